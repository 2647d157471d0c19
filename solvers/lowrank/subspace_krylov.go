package lowrank

import (
	"context"
	"errors"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/krylov"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/stream"
)

// exactTiles is the kernel matrix A between rows in memory as a krylov.Operator.
type exactTiles struct {
	tiles       *tiles
	engine      stream.Engine
	name        string // of the passes
	left, right stream.Gatherer
	visit       func() tileVisitor // looks at the tiles as well, unless it is nil
}

// exact returns the operator between two sources.
func (t *tiles) exact(e stream.Engine, left, right stream.Gatherer) exactTiles {
	return exactTiles{tiles: t, engine: e, name: "exact pass", left: left, right: right}
}

// Multiply implements krylov.Operator.
func (t exactTiles) Multiply(ctx context.Context, q, aq, p, atp blas64.General) error {
	if err := t.multiply(ctx, stream.Full, q, aq, p, atp); err != nil {
		return err
	}
	if err := t.tiles.checkFinite(aq, t.left.Info().Name, basis.From(0)); err != nil {
		return err
	}
	return t.tiles.checkFinite(atp, t.right.Info().Name, basis.From(0))
}

// multiply makes an exact pass, for A·q and Aᵀ·p. The upper half of A has the tiles of the
// diagonal in A·q alone. Each row block has one sum for the tiles in which its rows are rows,
// and each column block another, both in a fixed order: see stream.Pairs.
func (t exactTiles) multiply(ctx context.Context, shape stream.Shape, q, aq, p, atp blas64.General) error {
	dense.Clear(aq)
	dense.Clear(atp)
	return t.tiles.eachPair(ctx, t.engine, t.name, t.left, t.right, shape, func() tileVisitor {
		visit := func(i, j *stream.Block, tile blas64.General) {}
		if t.visit != nil {
			visit = t.visit()
		}
		return func(i, j *stream.Block, tile blas64.General) {
			addProduct(blas.NoTrans, tile, blockRows(q, j), blockRows(aq, i))
			if shape == stream.Full || i.Index != j.Index {
				addProduct(blas.Trans, tile, blockRows(p, i), blockRows(atp, j))
			}
			visit(i, j, tile)
		}
	})
}

// symmetricTiles is a symmetric A between the rows of one source as a krylov.Symmetric.
type symmetricTiles struct{ exactTiles }

// Multiply makes an exact pass over a half of the tiles.
func (t symmetricTiles) Multiply(ctx context.Context, x, y blas64.General) error {
	mirror := stream.NewMatrix(y.Rows, y.Cols)
	if err := t.multiply(ctx, stream.Upper, x, y, x, mirror); err != nil {
		return err
	}
	dense.Add(1, mirror, y)
	return t.tiles.checkFinite(y, t.left.Info().Name, basis.From(0))
}

// blockRows returns the rows of m that belong to a block.
func blockRows(m blas64.General, b *stream.Block) blas64.General {
	return stream.RowSlice(m, int(b.Start), b.X.Rows)
}

// addProduct makes y op(tile)·x + y.
func addProduct(op blas.Transpose, tile, x, y blas64.General) {
	if x.Cols == 0 {
		return
	}
	dense.Gemm(op, blas.NoTrans, 1, tile, x, 1, y)
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
