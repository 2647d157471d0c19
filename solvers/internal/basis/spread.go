package basis

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/solvers/model"
)

// leastSpread is the spread of a kernel matrix below which a fit warns: rounding of the entries is then
// 2e-8 of what tells rows apart, and more.
const leastSpread = 1e-8

// SpreadWarning warns of a kernel whose entries differ by little beside their size: spread is the norm of the
// centred matrix relative to that of the matrix.
func SpreadWarning(kernel fmt.Stringer, spread float64) []string {
	if !(spread < leastSpread) { // NaN where it is not known
		return nil
	}
	digits := int(math.Max(0, math.Log10(spread/0x1p-52)))
	return []string{fmt.Sprintf("entries of kernel %s differ between rows by %.0e of their size, which leaves about %d digits of what tells rows apart: "+
		"scale the columns (`scale standard`), or take a kernel that tells rows apart", kernel, spread, digits)}
}

// AlikeError returns the error of rows of the named source that a centred kernel cannot tell apart: the spread is
// below [Dependence].
func AlikeError(name string, kernel fmt.Stringer) error {
	return &model.DataError{Err: fmt.Errorf("%s: rows are all the same to kernel %s, or differ by less than the rounding of its entries, %.0e: "+
		"scale the columns (`scale standard`), or take a kernel that tells rows apart", name, kernel, Dependence)}
}

// Spread returns the Frobenius norm of the doubly centred matrix relative to that of the matrix. It
// overwrites the matrix, which has a row; NaN if all entries are equal, so that there is nothing to tell apart.
func Spread(a blas64.General) float64 {
	largest, equal := 0.0, true
	for i := range a.Rows {
		for _, v := range dense.Row(a, i) {
			largest, equal = math.Max(largest, math.Abs(v)), equal && v == a.Data[0]
		}
	}
	if equal {
		return math.NaN()
	}
	dense.Scale(1/largest, a) // squares stay representable
	all := dense.Norm(a.Data[:a.Rows*a.Cols])
	dense.CenterColumns(a)
	a = dense.Transpose(a)
	dense.CenterColumns(a)
	return dense.Norm(a.Data) / all
}
