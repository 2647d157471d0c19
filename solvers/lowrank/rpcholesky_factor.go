package lowrank

import (
	"context"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/krylov"
	"github.com/nystream/nystream/internal/linalg/pivoted"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// wholeCholesky is a partial factorisation K ≈ F·Fᵀ of the kernel matrix of rows in
// memory, whose pivots are drawn from all of them. Passes over the rows share out its
// work: a worker computes the new columns of F for its block, and no other writes
// there. The grid is its own, so that no setting of the engine changes a bit.
type wholeCholesky struct {
	t        *tiles
	engine   stream.Engine
	progress func(stream.Event)
	rows     *panel
	src      stream.Gatherer
	random   sketch.Random
	drawn    uint64         // proposals so far
	block    int            // most proposals at a time
	factor   blas64.General // F, n×(most pivots); the columns of pivots are there
	pivots   []int64
	residual *pivoted.Residual
	sums     []float64 // of the residual diagonal over each block of the grid
	trace    float64   // tr(K)
	left     float64   // tr(K − F·Fᵀ), the sum of sums
}

// newWholeCholesky begins with no pivot of at most c.
func (t *tiles) newWholeCholesky(ctx context.Context, e stream.Engine, rows *panel, name string, c int, seed uint64, purpose string) (*wholeCholesky, error) {
	n := rows.rows.Rows
	f := &wholeCholesky{t: t, engine: e, progress: e.Progress, rows: rows, src: stream.FromMatrix(name, rows.rows),
		random: sketch.NewRandom(seed, purpose), block: mostProposals(int64(n)), factor: stream.NewMatrix(n, c)}
	f.engine.BlockRows = min(stream.PanelRows, stream.BlockRows(rows.rows.Cols))
	f.engine.Progress = nil // of passes: there are many short ones
	f.sums = make([]float64, (n+f.engine.BlockRows-1)/f.engine.BlockRows)
	if len(f.sums) == 1 {
		f.engine.Threads = 1 // others would wait
	}
	if err := f.begin(ctx); err != nil {
		return nil, err
	}
	f.trace = f.left
	return f, nil
}

// begin works out the diagonal of K, and the unit of the tiles that follows from
// it; with the unit the sums change.
func (f *wholeCholesky) begin(ctx context.Context) error {
	diagonal := stream.NewMatrix(f.rows.rows.Rows, 1)
	f.residual = &pivoted.Residual{Left: diagonal.Data}
	err := f.sweep(ctx, func() func(b *stream.Block) error {
		return func(b *stream.Block) error {
			part := blockRows(diagonal, b)
			f.t.diag(part.Data[:b.X.Rows], b.X)
			return f.t.checkFinite(part, f.src.Info().Name, numberFrom(b.Start))
		}
	})
	if err != nil {
		return err
	}
	if most := krylov.Largest(diagonal.Data); most > 0 && (most > 1e100 || most < 1e-100) {
		f.t.unit = powerNear(most)
	}
	blas64.Scal(f.t.unit, dense.Vector(diagonal.Data))
	f.residual = pivoted.NewResidual(diagonal.Data, RankTolerance)
	return f.sweep(ctx, func() func(b *stream.Block) error {
		return func(*stream.Block) error { return nil }
	})
}

// numberFrom numbers the rows of a block.
func numberFrom(start int64) func(i int) int64 {
	return func(i int) int64 { return start + int64(i) }
}

// sweep runs do over the blocks of all rows, which are where they are in memory, and sums
// up the residual diagonal that it leaves.
func (f *wholeCholesky) sweep(ctx context.Context, do func() func(b *stream.Block) error) error {
	workers := sync.Pool{New: func() any { return do() }}
	err := stream.Each(ctx, f.engine.Threads, len(f.sums), func(i int) error {
		work := workers.Get().(func(b *stream.Block) error)
		defer workers.Put(work)
		start := i * f.engine.BlockRows
		end := min(start+f.engine.BlockRows, f.rows.rows.Rows)
		b := &stream.Block{Index: int64(i), Start: int64(start), X: stream.RowSlice(f.rows.rows, start, end-start)}
		err := work(b)
		f.sums[i] = dense.Sum(f.residual.Left[start:end])
		return err
	})
	f.left = dense.Sum(f.sums)
	return err
}

// run draws pivots until there are as many as F has columns, or only rounding is
// left.
func (f *wholeCholesky) run(ctx context.Context) error {
	for len(f.pivots) < f.factor.Cols && f.left > 0 {
		chosen, err := f.draw()
		if err != nil {
			return err
		}
		if err := f.extend(ctx, chosen); err != nil {
			return err
		}
		if f.progress != nil {
			f.progress(stream.Event{Pass: "pivots", Done: int64(len(f.pivots)), Total: int64(f.factor.Cols)})
		}
	}
	return nil
}

// columns returns F as far as it is known, or its first column, which is zero.
func (f *wholeCholesky) columns() blas64.General {
	return dense.Columns(f.factor, 0, max(1, len(f.pivots)))
}

// extend computes the columns of F that belong to new pivots T:
// (K(·, T) − F·F_Tᵀ)·L⁻ᵀ, L·Lᵀ being what is left of K(T, T).
func (f *wholeCholesky) extend(ctx context.Context, chosen *pivotBlock) error {
	known, more := len(f.pivots), len(chosen.rows)
	if more == 0 {
		return nil
	}
	pivots := f.t.pack(pickRows(f.rows.rows, f.rows.number, chosen.rows), chosen.rows, nil)
	before := dense.Columns(f.factor, 0, known)
	atPivots := pickRows(before, f.rows.number, chosen.rows)
	lower := blas64.Triangular{Uplo: blas.Lower, Diag: blas.NonUnit, N: more, Stride: chosen.l.Stride, Data: chosen.l.Data}
	err := f.sweep(ctx, func() func(b *stream.Block) error {
		var w kernelgen.Workspace
		return func(b *stream.Block) error {
			next := blockRows(dense.Columns(f.factor, known, more), b)
			f.t.fill(next, b.X, pivots, &w)
			if err := f.t.checkFinite(next, f.src.Info().Name, numberFrom(b.Start)); err != nil {
				return err
			}
			if known > 0 {
				blas64.Gemm(blas.NoTrans, blas.Trans, -1, blockRows(before, b), atPivots, 1, next)
			}
			blas64.Trsm(blas.Right, blas.Trans, 1, lower, next)
			f.settle(b, next, chosen)
			return nil
		}
	})
	f.pivots = append(f.pivots, chosen.rows...)
	return err
}

// settle takes the new columns of F from the residual diagonal of a block. Rows of
// pivots are those of L: nothing is left of them.
func (f *wholeCholesky) settle(b *stream.Block, next blas64.General, chosen *pivotBlock) {
	for p, s := range chosen.rows {
		if i := s - b.Start; i >= 0 && i < int64(b.X.Rows) {
			copy(dense.Row(next, int(i)), dense.Row(chosen.l, p))
			f.residual.Left[s] = 0
		}
	}
	for i := range next.Rows {
		f.residual.Subtract(int(b.Start)+i, dense.Dot(dense.Row(next, i), dense.Row(next, i)))
	}
}

// triangular streams the R factor of F.
func (f *wholeCholesky) triangular(ctx context.Context) (blas64.General, error) {
	all := f.columns()
	newFactor := func() *sketch.QR { return sketch.NewQR(all.Cols) }
	qr, err := stream.Fold(ctx, f.engine, "fit", f.src, newFactor, func() func(*sketch.QR, *stream.Block) error {
		return func(qr *sketch.QR, b *stream.Block) error { return qr.Add(blockRows(all, b)) }
	})
	if err != nil {
		return blas64.General{}, err
	}
	return qr.R(), nil
}
