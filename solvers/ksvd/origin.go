package ksvd

import (
	"context"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
)

// setOrigin moves the origin of the tiles of a centred matrix into a sample of the rows, where the kernel
// allows it: see [basis.SetOrigin]. Sparse rows stay as they are.
func (d *Data) setOrigin(ctx context.Context, t *tiles.Tiles, seed uint64) error {
	if d.sparse() || !t.Kernel.CentredShift() {
		return nil
	}
	rows, err := d.Sample(ctx, model.ResolveRows, seed)
	if err != nil {
		return err
	}
	if _, _, bad := dense.NotFinite(rows); !bad { // else the pass names the row
		basis.SetOrigin(t, rows)
	}
	return nil
}
