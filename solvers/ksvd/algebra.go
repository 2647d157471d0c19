package ksvd

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/stream"
)

// Small dense algebra, as in solvers/lowrank: matrices as large as a sample or a
// basis.

// rankTolerance is where singular values are cut off, relative to the largest:
// below it they are rounding of the kernel entries.
const rankTolerance = 1e-12

// rowOf is row i of m, which may have no columns.
func rowOf(m blas64.General, i int) []float64 {
	if m.Cols == 0 {
		return nil
	}
	return m.Data[i*m.Stride : i*m.Stride+m.Cols]
}

// gemm is c = alpha·op(a)·op(b) + beta·c, for any shape, empty ones included.
func gemm(ta, tb blas.Transpose, alpha float64, a, b blas64.General, beta float64, c blas64.General) {
	if c.Rows == 0 || c.Cols == 0 {
		return
	}
	if a.Rows == 0 || a.Cols == 0 {
		if beta == 0 {
			clearMatrix(c)
		}
		return
	}
	blas64.Gemm(ta, tb, alpha, a, b, beta, c)
}

// mul is op(a)·op(b) in a new matrix.
func mul(ta blas.Transpose, a blas64.General, tb blas.Transpose, b blas64.General) blas64.General {
	rows, cols := a.Rows, b.Cols
	if ta != blas.NoTrans {
		rows = a.Cols
	}
	if tb != blas.NoTrans {
		cols = b.Rows
	}
	c := stream.NewMatrix(rows, cols)
	gemm(ta, tb, 1, a, b, 0, c)
	return c
}

func clearMatrix(m blas64.General) {
	for i := range m.Rows {
		clear(rowOf(m, i))
	}
}

// colSlice is the matrix of n columns of m from the given one on, sharing its data.
func colSlice(m blas64.General, first, n int) blas64.General {
	if m.Rows > 0 && n > 0 {
		m.Data = m.Data[first:]
	}
	m.Cols = n
	return m
}

// firstCols is the matrix of the first n columns of m, sharing its data.
func firstCols(m blas64.General, n int) blas64.General { return colSlice(m, 0, n) }

func copyOf(m blas64.General) blas64.General {
	c := stream.NewMatrix(m.Rows, m.Cols)
	for i := range m.Rows {
		copy(rowOf(c, i), rowOf(m, i))
	}
	return c
}

func transposeOf(m blas64.General) blas64.General {
	t := stream.NewMatrix(m.Cols, m.Rows)
	for i := range m.Rows {
		for j, v := range rowOf(m, i) {
			t.Data[j*t.Stride+i] = v
		}
	}
	return t
}

// scaleRows and scaleCols are diag(w)·m and m·diag(w), in place.
func scaleRows(m blas64.General, w []float64) {
	for i := range m.Rows {
		row := rowOf(m, i)
		for j := range row {
			row[j] *= w[i]
		}
	}
}

func scaleCols(m blas64.General, w []float64) {
	for i := range m.Rows {
		row := rowOf(m, i)
		for j := range row {
			row[j] *= w[j]
		}
	}
}

// inverses are 1/v.
func inverses(v []float64) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = 1 / x
	}
	return out
}

func roots(v []float64) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = math.Sqrt(x)
	}
	return out
}

// centreCols takes the mean of each column away from it.
func centreCols(m blas64.General) {
	if m.Rows == 0 {
		return
	}
	mean := make([]float64, m.Cols)
	for i := range m.Rows {
		for j, v := range rowOf(m, i) {
			mean[j] += v
		}
	}
	for i := range m.Rows {
		row := rowOf(m, i)
		for j := range row {
			row[j] -= mean[j] / float64(m.Rows)
		}
	}
}

// svd is a thin singular value decomposition a = U·diag(S)·Vᵀ, S descending. The
// entry of a column of V that is largest in magnitude is positive.
type svd struct {
	U, V blas64.General
	S    []float64
}

// newSVD decomposes a small matrix. what names it in errors.
func newSVD(what string, a blas64.General) (*svd, error) {
	k := min(a.Rows, a.Cols)
	if k == 0 {
		return &svd{U: stream.NewMatrix(a.Rows, 0), V: stream.NewMatrix(a.Cols, 0)}, nil
	}
	if err := checkFinite(what, a); err != nil {
		return nil, err
	}
	var d mat.Dense
	d.SetRawMatrix(a)
	var f mat.SVD
	if !f.Factorize(&d, mat.SVDThin) {
		return nil, fmt.Errorf("ksvd: the SVD of %s did not converge", what)
	}
	var u, v mat.Dense
	f.UTo(&u)
	f.VTo(&v)
	s := &svd{U: u.RawMatrix(), V: v.RawMatrix(), S: f.Values(nil)}
	fixSigns(s.U, s.V)
	return s, nil
}

// fixSigns makes the entry of each column of v that is largest in magnitude
// positive.
func fixSigns(u, v blas64.General) {
	for j := range v.Cols {
		best := 0.0
		for i := range v.Rows {
			if w := v.Data[i*v.Stride+j]; math.Abs(w) > math.Abs(best) {
				best = w
			}
		}
		if best < 0 {
			negateCol(u, j)
			negateCol(v, j)
		}
	}
}

func negateCol(m blas64.General, j int) {
	for i := range m.Rows {
		m.Data[i*m.Stride+j] = -m.Data[i*m.Stride+j]
	}
}

// rank is the number of values above tol times the largest.
func rank(values []float64, tol float64) int {
	r := 0
	for r < len(values) && values[r] > 0 && values[r] > tol*values[0] {
		r++
	}
	return r
}

// checkFinite says which matrix has entries that are not finite.
func checkFinite(what string, m blas64.General) error {
	for i := range m.Rows {
		for j, v := range rowOf(m, i) {
			if v-v != 0 {
				return fmt.Errorf("ksvd: entry (%d, %d) of %s is %v: the kernel is not finite on these rows; scale the columns (--scale standard) or change the kernel", i, j, what, v)
			}
		}
	}
	return nil
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
