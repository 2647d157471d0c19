package lowrank

import (
	"cmp"
	"context"
	"errors"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/krylov"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// symmetricTiles is the kernel matrix A of rows in memory as a krylov.Symmetric.
type symmetricTiles struct {
	tiles  *tiles
	engine stream.Engine
	src    stream.Gatherer
}

// Multiply makes an exact pass. Each row block has one sum for the tiles in which its
// rows are rows, and another, in mirror, for those in which they are columns, both in a
// fixed order: see stream.Pairs.
func (t *symmetricTiles) Multiply(ctx context.Context, x, y blas64.General) error {
	dense.Clear(y)
	mirror := stream.NewMatrix(y.Rows, y.Cols)
	err := t.tiles.eachPair(ctx, t.engine, "exact pass", t.src, t.src, stream.Upper, func() tileVisitor {
		return func(i, j *stream.Block, tile blas64.General) {
			addProduct(blas.NoTrans, tile, blockRows(x, j), blockRows(y, i))
			if i.Index != j.Index {
				addProduct(blas.Trans, tile, blockRows(x, i), blockRows(mirror, j))
			}
		}
	})
	if err != nil {
		return err
	}
	dense.Add(1, mirror, y)
	return t.tiles.checkFinite(y, t.src.Info().Name, numberFrom(0))
}

// blockRows returns the rows of m that belong to a block.
func blockRows(m blas64.General, b *stream.Block) blas64.General {
	return stream.RowSlice(m, int(b.Start), b.X.Rows)
}

// addProduct makes y op(tile)·x + y.
func addProduct(op blas.Transpose, tile, x, y blas64.General) {
	dense.Gemm(op, blas.NoTrans, 1, tile, x, 1, y)
}

// rectTiles is the m×n kernel matrix A between rows in memory as a krylov.Operator. The
// first pass multiplies a probe as well.
type rectTiles struct {
	tiles  *tiles
	engine stream.Engine
	rows   *sideRows
	probe  *probe
	probed bool
}

// Multiply makes an exact pass. A tile belongs to one row block of A·Q and one of Aᵀ·P,
// and each of them gets its tiles in a fixed order: see stream.Pairs.
func (t *rectTiles) Multiply(ctx context.Context, q, aq, p, atp blas64.General) error {
	dense.Clear(aq)
	dense.Clear(atp)
	err := t.tiles.eachPair(ctx, t.engine, "exact pass", t.rows.l, t.rows.r, stream.Full, func() tileVisitor {
		return func(i, j *stream.Block, tile blas64.General) {
			addProduct(blas.NoTrans, tile, blockRows(q, j), blockRows(aq, i))
			addProduct(blas.Trans, tile, blockRows(p, i), blockRows(atp, j))
			if !t.probed {
				addProduct(blas.NoTrans, tile, blockRows(t.probe.g, j), blockRows(t.probe.ag, i))
			}
		}
	})
	if err != nil {
		return err
	}
	t.probed = true
	return cmp.Or(t.tiles.checkFinite(aq, t.rows.l.Info().Name, numberFrom(0)), t.tiles.checkFinite(t.probe.ag, t.rows.l.Info().Name, numberFrom(0)),
		t.tiles.checkFinite(atp, t.rows.r.Info().Name, numberFrom(0)))
}

// choiceOf says which eigenpairs of a kernel matrix are the largest.
func choiceOf(k kernelgen.Kernel) krylov.Choice {
	if k.PositiveSemiDefinite() {
		return krylov.Positive
	}
	return krylov.Magnitude
}

// iterationError says what to do about numbers that are not finite.
func iterationError(err error) error {
	var bad *krylov.NotFiniteError
	if errors.As(err, &bad) {
		return notFinite(bad.Of)
	}
	return err
}
