package ksvd

import (
	"context"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/internal/tiles"
)

// setOrigin moves the origin of the tiles of a centred matrix to the median of a sample of rows, if the kernel allows
// it: see [basis.SetOrigin]. Sparse rows are not moved.
func (d *Data) setOrigin(ctx context.Context, t *tiles.Tiles, seed uint64) error {
	if d.sparse() || !t.Kernel.CenteredShift() {
		return nil
	}
	rows, err := d.Sample(ctx, family.ResolveRows, seed)
	if err != nil {
		return err
	}
	if _, _, bad := dense.NotFinite(rows); !bad { // otherwise the pass reports the row
		basis.SetOrigin(t, rows)
	}
	return nil
}
