package sketch

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/simd"
)

// SparseSign is a sparse-sign operator with a fixed number of nonzeros in every
// column and at most one in every row: a Rows×Cols matrix C with entries 0 and
// ±1/√NNZ and orthonormal columns. All NNZ·Cols positions are drawn without
// replacement over the whole matrix, which is what Theorems 2 and 3 of paper 1
// (ssrSVD and S3SPSD) ask for; its Algorithm 3 as printed draws each column on
// its own and does not scale.
//
// C touches NNZ·Cols coordinates only. They are its positions, numbered in
// ascending order; Ĉ is C restricted to them, so that C = E·Ĉ where E picks the
// positions.
//
// The fields say what the operator is and must not be changed.
type SparseSign struct {
	Rows    int64
	Cols    int // columns
	NNZ     int // nonzeros in each column
	Seed    uint64
	Purpose string // what the operator is for, see NewRandom

	positions []int64   // ascending
	column    []int     // of each position
	sign      []float64 // of each position, ±1
	folded    []int     // the position in each place of Folded
	foldSign  []float64 // and its sign
	scale     float64   // 1/√NNZ
}

// NewSparseSign draws an operator. The arguments must be at least 1, and the
// nnz·cols positions need as many rows; the error names the largest number of
// columns that fits. Time and memory O(nnz·cols), whatever the rows.
func NewSparseSign(rows int64, cols, nnz int, seed uint64, purpose string) (*SparseSign, error) {
	if rows < 1 || cols < 1 || nnz < 1 {
		return nil, fmt.Errorf("a sparse-sign operator of %d rows, %d columns and %d nonzeros a column: each must be at least 1", rows, cols, nnz)
	}
	if fit := rows / int64(nnz); int64(cols) > fit {
		return nil, fmt.Errorf("a sparse-sign operator of %d columns with %d nonzeros each needs %s rows and there are %d: at most %d columns fit",
			cols, nnz, product(cols, nnz), rows, fit)
	}
	s := &SparseSign{Rows: rows, Cols: cols, NNZ: nnz, Seed: seed, Purpose: purpose}
	s.draw()
	return s, nil
}

// draw fills in the entries: the t-th position drawn belongs to column t/NNZ
// and takes the t-th sign.
func (s *SparseSign) draw() {
	drawn := NewRandom(s.Seed, s.Purpose).Choose(s.Rows, s.Cols*s.NNZ)
	signs := NewRandom(s.Seed, s.Purpose+" signs").At(0)
	order := make([]int, len(drawn)) // order[k] is the draw that became position k
	sign := make([]float64, len(drawn))
	for t := range drawn {
		order[t] = t
		sign[t] = signs.Sign()
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Compare(drawn[a], drawn[b])
	})

	s.scale = 1 / math.Sqrt(float64(s.NNZ))
	s.positions = make([]int64, len(drawn))
	s.column = make([]int, len(drawn))
	s.sign = make([]float64, len(drawn))
	s.folded = make([]int, len(drawn))
	s.foldSign = make([]float64, len(drawn))
	filled := make([]int, s.Cols)
	for k, t := range order {
		j := t / s.NNZ
		s.positions[k], s.column[k], s.sign[k] = drawn[t], j, sign[t]
		place := filled[j]*s.Cols + j
		s.folded[place], s.foldSign[place] = k, sign[t]
		filled[j]++
	}
}

// Folded lists the numbers of the positions in the order in which FoldCols wants
// the columns of a tile: first the first position of every column of C, then the
// second of every column, and so on, so that a fold is sums of whole vectors.
// The caller must not modify it.
func (s *SparseSign) Folded() []int { return s.folded }

// Positions returns the rows of C that are not zero, ascending, NNZ·Cols in
// number. The caller must not modify them.
func (s *SparseSign) Positions() []int64 { return s.positions }

// Col returns the column of the nonzero at position number k.
func (s *SparseSign) Col(k int) int { return s.column[k] }

// Value returns the nonzero at position number k, ±1/√NNZ.
func (s *SparseSign) Value(k int) float64 { return s.sign[k] * s.scale }

// Within returns the numbers first ≤ k < end of the positions in rows
// start..stop-1.
func (s *SparseSign) Within(start, stop int64) (first, end int) {
	first, _ = slices.BinarySearch(s.positions, start)
	end, _ = slices.BinarySearch(s.positions, max(start, stop))
	return first, end
}

// Row returns the one nonzero of row i of C, or ok = false when the row is zero.
func (s *SparseSign) Row(i int64) (col int, value float64, ok bool) {
	k, ok := slices.BinarySearch(s.positions, i)
	if !ok {
		return 0, 0, false
	}
	return s.Col(k), s.Value(k), true
}

// Marked returns the rows of C that are not zero among rows start..stop-1: their
// numbers counted from start, ascending, and the rows themselves, of Cols
// columns. This is what [PairQR.Add] wants to know about a block.
func (s *SparseSign) Marked(start, stop int64) (marked []int, rows blas64.General) {
	first, end := s.Within(start, stop)
	if first == end {
		return nil, blas64.General{Cols: s.Cols, Stride: s.Cols}
	}
	marked, rows = make([]int, end-first), matrix.New(end-first, s.Cols)
	for i := range marked {
		marked[i] = int(s.positions[first+i] - start)
		matrix.Row(rows, i)[s.Col(first+i)] = s.Value(first + i)
	}
	return marked, rows
}

// FoldCols computes dst = tile·Ĉ. The columns of tile (B × NNZ·Cols) are in the
// order of [SparseSign.Folded]; dst is B×Cols and must not overlap tile. Each
// entry is the signed sum of NNZ numbers, added in ascending order of position,
// then scaled. Cost B·NNZ·Cols additions.
func (s *SparseSign) FoldCols(dst, tile blas64.General) {
	checkShape("FoldCols tile", tile, tile.Rows, len(s.positions))
	checkShape("FoldCols dst", dst, tile.Rows, s.Cols)
	simd.Fold(dst, tile, s.foldSign, s.scale)
}

// FoldRows adds Ĉᵀ·tile to dst (Cols×m), where the rows of tile (m columns)
// belong to the positions numbered first, first+1, … When panels are given in
// ascending order the result does not depend on how they were cut, to the last
// bit. Cost tile.Rows·m multiply-adds.
func (s *SparseSign) FoldRows(dst, tile blas64.General, first int) {
	if first < 0 || first+tile.Rows > len(s.positions) {
		panic(fmt.Sprintf("sketch: FoldRows of positions %d..%d, but there are %d", first, first+tile.Rows-1, len(s.positions)))
	}
	checkShape("FoldRows dst", dst, s.Cols, tile.Cols)
	for i := range tile.Rows {
		matrix.Axpy(s.Value(first+i), matrix.Row(tile, i), matrix.Row(dst, s.Col(first+i)))
	}
}

// product spells a·b, which may not fit an int.
func product(a, b int) string {
	return fmt.Sprintf("%.0f", float64(a)*float64(b))
}
