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

// SparseSign is a sparse-sign operator with a fixed number of nonzeros in every column and at most
// one in every row: a Rows×Cols matrix C with entries 0 and ±1/√NNZ and orthonormal columns. All
// NNZ·Cols positions are drawn without replacement over the whole matrix, as Theorems 2 and 3 of
// paper 1 (ssrSVD and S3SPSD) require; its Algorithm 3 as printed draws each column separately and
// does not scale.
//
// C touches only NNZ·Cols coordinates, its positions, numbered in ascending order. Ĉ is C
// restricted to them: C = E·Ĉ, where E selects the positions.
//
// The fields must not be changed.
type SparseSign struct {
	Rows    int64
	Cols    int // columns
	NNZ     int // nonzeros in each column
	Seed    uint64
	Purpose string // use of the random numbers, see NewRandom

	positions []int64   // ascending
	column    []int     // of each position
	sign      []float64 // of each position, ±1
	folded    []int     // position index of each tile column, see FoldOrder
	foldSign  []float64 // sign of each tile column
	scale     float64   // 1/√NNZ
}

// NewSparseSign draws an operator. Arguments must be at least 1, and nnz·cols at most rows;
// otherwise the error gives the largest number of columns that fits. Time and memory are
// O(nnz·cols), independent of rows.
func NewSparseSign(rows int64, cols, nnz int, seed uint64, purpose string) (*SparseSign, error) {
	if rows < 1 || cols < 1 || nnz < 1 {
		return nil, fmt.Errorf("a sparse-sign operator of %d rows, %d columns and %d nonzeros a column: each must be at least 1", rows, cols, nnz)
	}
	if fit := rows / int64(nnz); int64(cols) > fit {
		return nil, fmt.Errorf("a sparse-sign operator of %d columns with %d nonzeros each needs %s rows and there are %d: at most %d columns fit",
			cols, nnz, formatProduct(cols, nnz), rows, fit)
	}
	s := &SparseSign{Rows: rows, Cols: cols, NNZ: nnz, Seed: seed, Purpose: purpose}
	s.draw()
	return s, nil
}

// draw sets the entries: the t-th position drawn belongs to column t/NNZ and has the t-th sign.
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

// FoldOrder returns the position indices in the column order that FoldCols expects of a tile: the
// first position of every column of C, then the second of every column, and so on. A fold is then a
// sum of contiguous vectors. The caller must not modify it.
func (s *SparseSign) FoldOrder() []int { return s.folded }

// Positions returns the NNZ·Cols nonzero rows of C, ascending. The caller must not modify them.
func (s *SparseSign) Positions() []int64 { return s.positions }

// Col returns the column of the nonzero at position index k.
func (s *SparseSign) Col(k int) int { return s.column[k] }

// Value returns the nonzero at position index k, ±1/√NNZ.
func (s *SparseSign) Value(k int) float64 { return s.sign[k] * s.scale }

// PositionsIn returns the range first ≤ k < end of position indices whose rows are in start..stop-1.
func (s *SparseSign) PositionsIn(start, stop int64) (first, end int) {
	first, _ = slices.BinarySearch(s.positions, start)
	end, _ = slices.BinarySearch(s.positions, max(start, stop))
	return first, end
}

// Row returns the single nonzero of row i of C. ok is false if the row is zero.
func (s *SparseSign) Row(i int64) (col int, value float64, ok bool) {
	k, ok := slices.BinarySearch(s.positions, i)
	if !ok {
		return 0, 0, false
	}
	return s.Col(k), s.Value(k), true
}

// MarkedRows returns the nonzero rows of C among start..stop-1: their numbers relative to start,
// ascending, and the rows themselves, of Cols columns. These are arguments of [PairQR.Add].
func (s *SparseSign) MarkedRows(start, stop int64) (marked []int, rows blas64.General) {
	first, end := s.PositionsIn(start, stop)
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

// FoldCols sets dst = tile·Ĉ. The columns of tile (B × NNZ·Cols) are in the order of
// [SparseSign.FoldOrder]; dst is B×Cols and must not overlap tile. Each entry is the signed sum of NNZ
// numbers in ascending order of position, then scaled. Cost: B·NNZ·Cols additions.
func (s *SparseSign) FoldCols(dst, tile blas64.General) {
	checkShape("FoldCols tile", tile, tile.Rows, len(s.positions))
	checkShape("FoldCols dst", dst, tile.Rows, s.Cols)
	simd.Fold(dst, tile, s.foldSign, s.scale)
}

// FoldRows adds Ĉᵀ·tile to dst (Cols×m), where the rows of tile (m columns) belong to the position
// indices first, first+1, … If panels are given in ascending order, the bits do not depend on how
// they are cut. Cost: tile.Rows·m multiply-adds.
func (s *SparseSign) FoldRows(dst, tile blas64.General, first int) {
	if first < 0 || first+tile.Rows > len(s.positions) {
		panic(fmt.Sprintf("sketch: FoldRows of positions %d..%d, but there are %d", first, first+tile.Rows-1, len(s.positions)))
	}
	checkShape("FoldRows dst", dst, s.Cols, tile.Cols)
	for i := range tile.Rows {
		matrix.Axpy(s.Value(first+i), matrix.Row(tile, i), matrix.Row(dst, s.Col(first+i)))
	}
}

// formatProduct formats a·b, which may overflow an int.
func formatProduct(a, b int) string {
	return fmt.Sprintf("%.0f", float64(a)*float64(b))
}
