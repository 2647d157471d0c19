package dense

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/stream"
)

// Why a matrix was not decomposed. Callers say which matrix it was, and what to do.
var (
	ErrNotFinite     = errors.New("an entry is not finite")
	ErrNotConverging = errors.New("the singular values did not converge")
)

// SVD is a thin singular value decomposition a = U·diag(S)·Vᵀ with k = min(rows,
// columns) columns in U and V, S descending. The entry of each column of V that is
// largest in magnitude is positive, so that signs do not hang on rounding.
type SVD struct {
	U, V blas64.General
	S    []float64
}

// NewSVD decomposes a by LAPACK's dgesvd (gonum's): O(rows·columns·k) flops, memory
// of three copies. An empty matrix has no singular values. Errors are ErrNotFinite
// and ErrNotConverging.
func NewSVD(a blas64.General) (*SVD, error) {
	if min(a.Rows, a.Cols) == 0 {
		return &SVD{U: stream.NewMatrix(a.Rows, 0), V: stream.NewMatrix(a.Cols, 0)}, nil
	}
	if !Finite(a) {
		return nil, ErrNotFinite
	}
	var d mat.Dense
	d.SetRawMatrix(a)
	var f mat.SVD
	if !f.Factorize(&d, mat.SVDThin) {
		return nil, ErrNotConverging
	}
	var u, v mat.Dense
	f.UTo(&u)
	f.VTo(&v)
	s := &SVD{U: u.RawMatrix(), V: v.RawMatrix(), S: f.Values(nil)}
	FixSigns(s.U, s.V)
	return s, nil
}

// FixSigns makes the entry of each column of v that is largest in magnitude
// positive, and changes the sign of the column of u with it. u may be empty.
func FixSigns(u, v blas64.General) {
	for j := range v.Cols {
		if largest(v, j) < 0 {
			negate(u, j)
			negate(v, j)
		}
	}
}

// largest is the entry of column j that is largest in magnitude, the first of them.
func largest(m blas64.General, j int) float64 {
	best := 0.0
	for i := range m.Rows {
		if v := m.Data[i*m.Stride+j]; math.Abs(v) > math.Abs(best) {
			best = v
		}
	}
	return best
}

func negate(m blas64.General, j int) {
	for i := range m.Rows {
		m.Data[i*m.Stride+j] = -m.Data[i*m.Stride+j]
	}
}

// Rank is how many of the values, which descend, are positive and above tol times
// the first.
func Rank(values []float64, tol float64) int {
	r := 0
	for r < len(values) && values[r] > 0 && values[r] > tol*values[0] {
		r++
	}
	return r
}
