package sketch

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

// RowSign is a sparse-sign operator with a fixed number of nonzeros in every row: NNZ entries
// ±1/√NNZ at distinct columns (Martinsson and Tropp 2020, "Randomized numerical linear algebra",
// §9.2, which suggests NNZ = min(Cols, 8)). Every row of the sketched matrix contributes, so it
// suits matrices that are read completely anyway.
//
// The number of rows is open: row i is a function of i and the fields alone. The mean of C·Cᵀ over
// seeds is the identity. The fields must not be changed.
type RowSign struct {
	Cols    int // columns
	NNZ     int // nonzeros in each row
	Seed    uint64
	Purpose string // use of the random numbers, see NewRandom
}

// NewRowSign returns an operator with nnz nonzeros in each row of cols columns. It returns an error
// unless 1 ≤ nnz ≤ cols.
func NewRowSign(cols, nnz int, seed uint64, purpose string) (*RowSign, error) {
	if nnz < 1 || cols < nnz {
		return nil, fmt.Errorf("%d nonzeros in a row of %d columns: must be 1 to %d", nnz, cols, max(1, cols))
	}
	return &RowSign{Cols: cols, NNZ: nnz, Seed: seed, Purpose: purpose}, nil
}

// Row stores the ascending columns of the nonzeros of row i in cols and their values in vals, both
// of length NNZ. Cost: about NNZ random draws.
func (s *RowSign) Row(i int64, cols []int, vals []float64) {
	s.row(NewRandom(s.Seed, s.Purpose), i, cols, vals)
}

// row chooses the columns by Floyd's method (Bentley and Floyd 1987, "A sample of brilliance"),
// with one draw per column: draw among the first j+1 columns, and choose column j itself if the
// drawn one is already chosen.
func (s *RowSign) row(random Random, i int64, cols []int, vals []float64) {
	d := random.At(uint64(i))
	for t := range s.NNZ {
		j := s.Cols - s.NNZ + t
		col := int(d.Uint64n(uint64(j + 1)))
		if slices.Contains(cols[:t], col) {
			col = j
		}
		cols[t] = col
	}
	slices.Sort(cols[:s.NNZ])
	scale := 1 / math.Sqrt(float64(s.NNZ))
	signs := d.Uint64()
	for t := range s.NNZ {
		if t > 0 && t%64 == 0 {
			signs = d.Uint64()
		}
		vals[t] = scale * (1 - 2*float64(signs>>(t%64)&1))
	}
}

// FoldRows adds Cᵀ·tile to dst (Cols×m), where the rows of tile (m columns) have the numbers first,
// first+1, … If panels are given in ascending order, the bits do not depend on how they are cut.
// Cost: NNZ·tile.Rows·m multiply-adds and NNZ·tile.Rows draws.
func (s *RowSign) FoldRows(dst, tile blas64.General, first int64) {
	checkShape("FoldRows dst", dst, s.Cols, tile.Cols)
	random, cols, vals := NewRandom(s.Seed, s.Purpose), make([]int, s.NNZ), make([]float64, s.NNZ)
	for i := range tile.Rows {
		s.row(random, first+int64(i), cols, vals)
		for t, col := range cols {
			matrix.Axpy(vals[t], matrix.Row(tile, i), matrix.Row(dst, col))
		}
	}
}
