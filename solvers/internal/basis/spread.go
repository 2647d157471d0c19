package basis

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// leastSpread is the spread of a kernel matrix below which a fit warns. The relative rounding error of the differences
// between entries is then above 2e-8.
const leastSpread = 1e-8

// SpreadWarning returns a warning if the spread of a kernel matrix, see [Spread], is below 1e-8: entries of different
// rows then differ little, relative to their size. It returns nil otherwise, also if the spread is NaN.
func SpreadWarning(kernel fmt.Stringer, spread float64) []string {
	if !(spread < leastSpread) { // NaN if unknown
		return nil
	}
	digits := int(math.Max(0, math.Log10(spread/0x1p-52)))
	return []string{fmt.Sprintf("entries of kernel %s differ between rows by %.0e of their size, which leaves about %d digits of what tells rows apart: "+
		"scale the columns (`Treatment.Scale standard`), or take a kernel that tells rows apart",
		kernel, spread, digits)}
}

// AlikeError returns the error for a source with rows that a centred kernel cannot distinguish: the spread is below
// [Dependence].
func AlikeError(name string, kernel fmt.Stringer) error {
	return stream.NewDataError(name, "rows are all the same to kernel %s, or differ by less than the rounding of its entries, %.0e", kernel, Dependence).
		WithRemedy("scale the columns (`Treatment.Scale standard`), or take a kernel that tells rows apart")
}

// Spread returns the Frobenius norm of the doubly centred matrix a, relative to that of a. It is NaN if all entries are
// equal. Spread overwrites a, which must not be empty.
func Spread(a blas64.General) float64 {
	largest, equal := 0.0, true
	for i := range a.Rows {
		for _, v := range matrix.Row(a, i) {
			largest, equal = math.Max(largest, math.Abs(v)), equal && v == a.Data[0]
		}
	}
	if equal {
		return math.NaN()
	}
	dense.Scale(1/largest, a) // keeps squares representable
	all := dense.Norm(a.Data[:a.Rows*a.Cols])
	dense.CenterColumns(a)
	a = matrix.Transpose(a)
	dense.CenterColumns(a)
	return dense.Norm(a.Data) / all
}
