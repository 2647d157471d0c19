package lowrank

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/solvers/symeig"
	"github.com/nystream/nystream/stream"
)

// Small dense algebra: matrices as large as the sketch, never as the data.

// rowOf is row i of m, which may have no columns.
func rowOf(m blas64.General, i int) []float64 {
	if m.Cols == 0 {
		return nil
	}
	return m.Data[i*m.Stride : i*m.Stride+m.Cols]
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
	gemm(ta, tb, a, b, c)
	return c
}

// gemm is c = op(a)·op(b), for any shape, empty ones included.
func gemm(ta, tb blas.Transpose, a, b, c blas64.General) {
	if c.Rows == 0 || c.Cols == 0 {
		return
	}
	if a.Rows == 0 || a.Cols == 0 {
		clearMatrix(c)
		return
	}
	blas64.Gemm(ta, tb, 1, a, b, 0, c)
}

func clearMatrix(m blas64.General) {
	for i := range m.Rows {
		clear(rowOf(m, i))
	}
}

// firstCols is the matrix of the first n columns of m, sharing its data.
func firstCols(m blas64.General, n int) blas64.General {
	m.Cols = n
	return m
}

// dense is m as a mat.Dense that shares its data.
func dense(m blas64.General) *mat.Dense {
	d := &mat.Dense{}
	d.SetRawMatrix(m)
	return d
}

// colSlice is the matrix of n columns of m from the given one on, sharing its data.
func colSlice(m blas64.General, first, n int) blas64.General {
	if m.Rows > 0 {
		m.Data = m.Data[first:]
	}
	m.Cols = n
	return m
}

// svd is a thin singular value decomposition a = U·diag(S)·Vᵀ, S descending.
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
	if !allFinite(a) {
		return nil, notFinite(what)
	}
	var f mat.SVD
	if !f.Factorize(dense(a), mat.SVDThin) {
		return nil, fmt.Errorf("lowrank: the SVD of %s did not converge", what)
	}
	var u, v mat.Dense
	f.UTo(&u)
	f.VTo(&v)
	s := &svd{U: u.RawMatrix(), V: v.RawMatrix(), S: f.Values(nil)}
	for j := range k {
		s.fixSign(j)
	}
	return s, nil
}

// fixSign makes the entry of column j of V that is largest in magnitude positive.
func (s *svd) fixSign(j int) {
	if largestEntry(s.V, j) >= 0 {
		return
	}
	negateColumn(s.U, j)
	negateColumn(s.V, j)
}

func largestEntry(m blas64.General, j int) float64 {
	best := 0.0
	for i := range m.Rows {
		if v := m.Data[i*m.Stride+j]; math.Abs(v) > math.Abs(best) {
			best = v
		}
	}
	return best
}

func negateColumn(m blas64.General, j int) {
	for i := range m.Rows {
		m.Data[i*m.Stride+j] = -m.Data[i*m.Stride+j]
	}
}

// rank is the number of singular values above tol times the largest.
func (s *svd) rank(tol float64) int {
	r := 0
	for r < len(s.S) && s.S[r] > 0 && s.S[r] > tol*s.S[0] {
		r++
	}
	return r
}

// whitener is V_r·S_r⁻¹, which makes the columns of a·V_r·S_r⁻¹ orthonormal.
func (s *svd) whitener(r int) blas64.General {
	t := stream.NewMatrix(s.V.Rows, r)
	for i := range t.Rows {
		for j := range r {
			t.Data[i*t.Stride+j] = s.V.Data[i*s.V.Stride+j] / s.S[j]
		}
	}
	return t
}

// eigen is the eigendecomposition of a small symmetric matrix, descending.
type eigen struct {
	Values  []float64
	Vectors blas64.General
}

// newEigen decomposes the symmetric part of a.
func newEigen(what string, a blas64.General) (*eigen, error) {
	values, vectors, err := symeig.Decompose(symmetricPart(a))
	switch {
	case errors.Is(err, symeig.ErrNotFinite):
		return nil, notFinite(what)
	case err != nil:
		return nil, fmt.Errorf("lowrank: %s: %w", what, err)
	}
	return (&eigen{Values: values, Vectors: vectors}).fixSigns(), nil
}

// eigenvaluesOf are those of the symmetric part of a, descending.
func eigenvaluesOf(what string, a blas64.General) ([]float64, error) {
	if a.Rows == 0 {
		return nil, nil
	}
	if !allFinite(a) {
		return nil, notFinite(what)
	}
	var f mat.EigenSym
	if !f.Factorize(mat.NewSymDense(a.Rows, symmetricPart(a).Data), false) {
		return nil, fmt.Errorf("lowrank: the eigenvalues of %s did not converge", what)
	}
	values := f.Values(nil)
	slices.Reverse(values)
	return values, nil
}

// symmetricPart is (a + aᵀ)/2.
func symmetricPart(a blas64.General) blas64.General {
	s := stream.NewMatrix(a.Rows, a.Rows)
	for i := range a.Rows {
		for j := range a.Rows {
			s.Data[i*s.Stride+j] = a.Data[i*a.Stride+j]/2 + a.Data[j*a.Stride+i]/2
		}
	}
	return s
}

// congruence is t·diag(w)·tᵀ.
func congruence(t blas64.General, w []float64) blas64.General {
	tw := stream.NewMatrix(t.Rows, t.Cols)
	for i := range t.Rows {
		for j, v := range rowOf(t, i) {
			tw.Data[i*tw.Stride+j] = v * w[j]
		}
	}
	return mul(blas.NoTrans, tw, blas.Trans, t)
}

func trace(m blas64.General) float64 {
	sum := 0.0
	for i := range m.Rows {
		sum += m.Data[i*m.Stride+i]
	}
	return sum
}

func allFinite(m blas64.General) bool {
	for i := range m.Rows {
		for _, v := range rowOf(m, i) {
			if v-v != 0 {
				return false
			}
		}
	}
	return true
}

func notFinite(what string) error {
	return fmt.Errorf("lowrank: %s has entries that are not finite: the kernel overflows on these rows; scale the columns (--scale standard) or use a smaller kernel weight", what)
}
