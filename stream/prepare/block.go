package prepare

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// Blocks returns the names of the columns of prepared rows of src, and a function that returns
// workers, for passes that read src itself. A worker prepares the rows of a raw block into as many
// rows of dst, like [Preparation.Apply]. One goroutine uses a worker at a time. Blocks must carry
// the kept columns if there are categories.
//
// A worker cannot drop rows: with [NullsDrop] a row with a null is an error, as with [NullsRefuse].
func (p Preparation) Blocks(src stream.Source) (columns []string, worker func() func(dst blas64.General, b *stream.Block) error, err error) {
	if p.Nulls == NullsDrop {
		p.Nulls = NullsRefuse
	}
	s, err := newSource(src, p, nil)
	if err != nil {
		return nil, nil, err
	}
	return s.info.Columns, func() func(dst blas64.General, b *stream.Block) error {
		var to, raw stream.Batch
		return func(dst blas64.General, b *stream.Block) error {
			if len(s.categories) > 0 && len(b.Kept) != len(src.Info().Kept) {
				return fmt.Errorf("%s: its blocks have no kept columns, and categories are made of them", s.info.Name)
			}
			if s.numericIndex == nil {
				matrix.Copy(matrix.Columns(dst, 0, s.rows.numeric), b.X)
			}
			to.X, raw.X, raw.Kept = dst, b.X, b.Kept
			_, err := s.clean(&to, &raw, b.X.Rows, false, func(i int) int64 { return b.Start + int64(i) })
			return err
		}
	}, nil
}
