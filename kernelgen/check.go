package kernelgen

import (
	"fmt"

	"github.com/nystream/nystream/internal/matrix"

	"gonum.org/v1/gonum/blas/blas64"
)

// RowError is the error of a row that a kernel is not defined for.
type RowError struct {
	Row int64 // its number
	Err error // why, with the column
}

// Error names the row.
func (e *RowError) Error() string { return fmt.Sprintf("row %d: %v", e.Row, e.Err) }

// Unwrap returns why the kernel is not defined for the row.
func (e *RowError) Unwrap() error { return e.Err }

// CheckRows returns a [*RowError] if rows, whose first has the number first, are not
// what the kernel is defined for: kl takes probabilities,
// rows without negative entries whose sum is positive. Such rows give entries of
// NaN. Other kernels take all rows. It costs a look at every entry.
func (k Kernel) CheckRows(rows blas64.General, first int64) error {
	for b := range k.bases().each {
		s := b.spec()
		if s.check == nil {
			continue
		}
		for i := range rows.Rows {
			if err := s.check(matrix.Row(rows, i)); err != nil {
				return &RowError{Row: first + int64(i), Err: fmt.Errorf("%w: %v is between %s", err, k, s.domain)}
			}
		}
	}
	return nil
}
