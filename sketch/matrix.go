package sketch

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"
)

// checkShape panics unless m is rows×cols.
func checkShape(what string, m blas64.General, rows, cols int) {
	if m.Rows != rows || m.Cols != cols {
		panic(fmt.Sprintf("sketch: %s is %d×%d, want %d×%d", what, m.Rows, m.Cols, rows, cols))
	}
}
