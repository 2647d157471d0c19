package basis

import (
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/solvers/internal/tiles"
)

// SetOrigin moves the origin of tiles into the rows, to the median of each column, if the kernel
// allows that of centred matrices: see CentredShift of package kernelgen. Then x·z keeps the digits of
// rows far from 0, which would be lost when the means are subtracted. A median is a value of its
// column, near most others, so that the difference of the two has no rounding or little. Rows that are all the
// same leave the origin at 0: less themselves they would span nothing.
//
// Cost: a sort of each column.
func SetOrigin(t *tiles.Tiles, rows blas64.General) {
	if rows.Rows == 0 || !t.Kernel.CentredShift() {
		return
	}
	origin, column, differ := make([]float64, rows.Cols), make([]float64, rows.Rows), false
	for j := range origin {
		for i := range column {
			column[i] = dense.Row(rows, i)[j]
		}
		slices.Sort(column)
		origin[j] = column[(len(column)-1)/2]
		differ = differ || column[0] != column[len(column)-1]
	}
	if differ {
		t.SetOrigin(origin)
	}
}
