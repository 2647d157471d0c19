package sketch

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/simd"
)

// NonFiniteError reports that a block holds a NaN or an infinity.
type NonFiniteError struct {
	Row, Col int     // inside the block, from 0
	Value    float64 // NaN, +Inf or -Inf
}

// Error gives the position and the value of the entry.
func (e *NonFiniteError) Error() string {
	return fmt.Sprintf("the entry at row %d, column %d of the block is %v, not a finite number", e.Row, e.Col, e.Value)
}

// CheckFinite returns a [*NonFiniteError] for the first entry of m, row by row,
// that is not finite. Cost: less than reading m from memory.
func CheckFinite(m blas64.General) error {
	i, j, found := simd.NotFinite(m)
	if !found {
		return nil
	}
	return &NonFiniteError{Row: i, Col: j, Value: matrix.Row(m, i)[j]}
}

// checkOverflow returns an error if an entry of m, computed from finite blocks, is not finite.
func checkOverflow(what string, m blas64.General) error {
	i, j, found := simd.NotFinite(m)
	if !found {
		return nil
	}
	return fmt.Errorf("entry (%d, %d) of the %s exceeds %.2g, the largest float64: scale the data down", i, j, what, math.MaxFloat64)
}
