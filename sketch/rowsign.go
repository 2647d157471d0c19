package sketch

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
)

// RowSign is a sparse-sign operator with a fixed number of nonzeros in every
// row: NNZ entries ±1/√NNZ at distinct columns (Martinsson and Tropp 2020,
// "Randomized numerical linear algebra", §9.2, which suggests NNZ = min(Cols, 8)).
// Every row of the sketched matrix takes part, so this is the rule for a matrix
// that is read in full anyway.
//
// The number of rows is open: row i is a function of i and the fields alone.
// The mean of C·Cᵀ over seeds is the identity. The fields must not be changed.
type RowSign struct {
	Cols    int // columns
	NNZ     int // nonzeros in each row
	Seed    uint64
	Purpose string // what the operator is for, see NewRandom
}

// NewRowSign returns an operator. It needs 1 ≤ nnz ≤ cols.
func NewRowSign(cols, nnz int, seed uint64, purpose string) (*RowSign, error) {
	if nnz < 1 || cols < nnz {
		return nil, fmt.Errorf("sketch: %d nonzeros in a row of %d columns: must be 1 to %d", nnz, cols, max(1, cols))
	}
	return &RowSign{Cols: cols, NNZ: nnz, Seed: seed, Purpose: purpose}, nil
}

// Row puts the columns of the nonzeros of row i, ascending, into cols and their
// values into vals, both of length NNZ. Cost about NNZ random draws.
func (s *RowSign) Row(i int64, cols []int, vals []float64) {
	s.row(NewRandom(s.Seed, s.Purpose), i, cols, vals)
}

// row chooses the columns by Floyd's method (Bentley and Floyd 1987, "A sample
// of brilliance"), which needs one draw for each: draw among the first j+1
// columns, and take column j itself when the drawn one is taken.
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

// rowPanel is the number of operator rows that MulRight makes at a time: enough
// to pay for making them, few enough to stay in the first-level cache.
const rowPanel = 256

// MulRight computes dst = m·C for m of B×n and dst of B×Cols, where the rows of
// C are 0..n-1. Each entry is summed in ascending order of the row of C. Cost
// B·n·NNZ multiply-adds and n·NNZ random draws.
func (s *RowSign) MulRight(dst, m blas64.General) {
	checkShape("MulRight dst", dst, m.Rows, s.Cols)
	random := NewRandom(s.Seed, s.Purpose)
	cols := make([]int, min(rowPanel, m.Cols)*s.NNZ)
	vals := make([]float64, len(cols))
	clearRows(dst)
	for start := 0; start < m.Cols; start += rowPanel {
		n := min(rowPanel, m.Cols-start)
		for l := range n {
			s.row(random, int64(start+l), cols[l*s.NNZ:(l+1)*s.NNZ], vals[l*s.NNZ:(l+1)*s.NNZ])
		}
		for i := range m.Rows {
			scatter(row(dst, i), row(m, i)[start:start+n], cols, vals, s.NNZ)
		}
	}
}

// scatter adds x·P to dst, where row l of P has its nnz entries at l·nnz.. of
// cols and vals.
func scatter(dst, x []float64, cols []int, vals []float64, nnz int) {
	for l, v := range x {
		c, w := cols[l*nnz:(l+1)*nnz], vals[l*nnz:(l+1)*nnz]
		for t, j := range c {
			dst[j] += v * w[t]
		}
	}
}

// MulLeft adds the product of C transposed, restricted to rows start, start+1,
// …, with m (B×n) to dst (Cols×n). Adding the row blocks of a matrix M in order
// gives CᵀM. Cost B·n·NNZ multiply-adds.
func (s *RowSign) MulLeft(dst blas64.General, start int64, m blas64.General) {
	checkShape("MulLeft dst", dst, s.Cols, m.Cols)
	random := NewRandom(s.Seed, s.Purpose)
	cols, vals := make([]int, s.NNZ), make([]float64, s.NNZ)
	for i := range m.Rows {
		s.row(random, start+int64(i), cols, vals)
		for t, j := range cols {
			axpy(vals[t], row(m, i), row(dst, j))
		}
	}
}
