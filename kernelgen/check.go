package kernelgen

import (
	"fmt"

	"github.com/nystream/nystream/internal/matrix"

	"gonum.org/v1/gonum/blas/blas64"
)

// RowError reports a row on which a kernel is undefined.
type RowError struct {
	Row int64 // number of the row
	Err error // the reason, naming the column
}

// Error names the row.
func (e *RowError) Error() string { return fmt.Sprintf("row %d: %v", e.Row, e.Err) }

// Unwrap returns the reason.
func (e *RowError) Unwrap() error { return e.Err }

// CheckRows returns a [*RowError] for the first row on which the kernel is undefined. first is the number of the first
// row. kl is defined on rows without negative entries and with a positive sum; other rows give entries of NaN. Other
// kernels accept all rows. Cost: one comparison for each entry.
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
