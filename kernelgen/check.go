package kernelgen

import (
	"fmt"

	"github.com/nystream/nystream/internal/matrix"

	"gonum.org/v1/gonum/blas/blas64"
)

// CheckRows returns an error if rows are not what the kernel is defined for,
// naming the row, counted from first, and the column: kl takes probabilities,
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
				return fmt.Errorf("row %d: %w: %v is between %s", first+int64(i), err, k, s.domain)
			}
		}
	}
	return nil
}
