package dense

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/internal/linalg/svd"
	"github.com/nystream/nystream/internal/matrix"
)

// Reasons why a matrix was not decomposed. Callers add which matrix it was, and a remedy.
var (
	ErrNotFinite     = errors.New("an entry is not finite")
	ErrNotConverging = errors.New("the singular values did not converge")
)

// SVD is a thin singular value decomposition a = U·diag(S)·Vᵀ with k = min(rows, columns) columns
// in U and V, S descending. The entry of largest magnitude in each column of V is positive, so that
// signs do not depend on rounding.
type SVD struct {
	U, V blas64.General
	S    []float64
}

// smallSVD is the number of singular values up to which gonum's dgesvd is faster, by a third. Its
// QR then works column by column, and avoids the bug that package householder describes.
const smallSVD = 32

// NewSVD decomposes a by divide and conquer (package svd), or by LAPACK's dgesvd if it is small.
// Cost: O(rows·columns·k) flops, nearly all in products, and the memory of six copies of a square
// matrix. An empty matrix has no singular values. It returns ErrNotFinite or ErrNotConverging.
func NewSVD(a blas64.General) (*SVD, error) {
	s, err := decompose(a)
	if err != nil {
		return nil, err
	}
	FixSigns(s.U, s.V)
	return s, nil
}

func decompose(a blas64.General) (*SVD, error) {
	k := min(a.Rows, a.Cols)
	switch {
	case k == 0:
		return &SVD{U: matrix.New(a.Rows, 0), V: matrix.New(a.Cols, 0)}, nil
	case k <= smallSVD:
		return decomposeSmall(a)
	}
	u, values, v, err := svd.Decompose(a)
	return &SVD{U: u, V: v, S: values}, packageError(err)
}

func decomposeSmall(a blas64.General) (*SVD, error) {
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
	return &SVD{U: u.RawMatrix(), V: v.RawMatrix(), S: f.Values(nil)}, nil
}

// packageError maps an error of package svd to the error of this package.
func packageError(err error) error {
	switch {
	case errors.Is(err, svd.ErrNotFinite):
		return ErrNotFinite
	case err != nil:
		return ErrNotConverging
	}
	return nil
}

// FixSigns makes the entry of largest magnitude in each column of v positive, and flips the sign of
// the column of u along with it. u may be empty.
func FixSigns(u, v blas64.General) {
	for j := range v.Cols {
		if largest(v, j) < 0 {
			negate(u, j)
			negate(v, j)
		}
	}
}

// largest returns the first entry of largest magnitude in column j.
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

// Rank returns the number of values that are positive and above tol times the first. The values
// must descend.
func Rank(values []float64, tol float64) int {
	r := 0
	for r < len(values) && values[r] > 0 && values[r] > tol*values[0] {
		r++
	}
	return r
}
