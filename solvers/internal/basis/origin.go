package basis

import (
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"

	"github.com/nystream/nystream/solvers/internal/tiles"
)

// SetOrigin sets the origin of tiles to the median of each column, if [kernelgen.Kernel.CenteredShift] allows it.
// Products of rows far from 0 then lose no digits to cancellation when means are subtracted. The median is a value of
// its column close to most others, so subtracting it causes little or no rounding error. If all rows are equal, the
// origin stays 0, since shifted rows would all be 0.
//
// Cost: a sort of each column.
func SetOrigin(t *tiles.Tiles, rows blas64.General) {
	if rows.Rows == 0 || !t.Kernel.CenteredShift() {
		return
	}
	origin, column, differ := make([]float64, rows.Cols), make([]float64, rows.Rows), false
	for j := range origin {
		for i := range column {
			column[i] = matrix.Row(rows, i)[j]
		}
		slices.Sort(column)
		origin[j] = column[(len(column)-1)/2]
		differ = differ || column[0] != column[len(column)-1]
	}
	if differ {
		t.SetOrigin(origin)
	}
}
