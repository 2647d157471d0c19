package lowrank

import (
	"context"
	"sync/atomic"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/internal/basis"
	kerneltiles "github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/stream"
)

// tiles evaluates the entries of one kernel, times a scale: a power of two that keeps the squares
// of very large or very small entries representable. Whoever finishes a model divides it out.
type tiles struct {
	*kerneltiles.Tiles
	kernel  kernelgen.Kernel
	entries *atomic.Int64 // evaluated so far
}

func newTiles(k kernelgen.Kernel) *tiles {
	t := kerneltiles.Plain(k)
	return &tiles{Tiles: t, kernel: k, entries: &t.Entries}
}

// panel is a [basis.Panel]: rows with their numbers in the source, ascending.
type panel struct {
	*basis.Panel
	rows   blas64.General
	number []int64
	beside *panel // of held-back rows: others that stand for themselves; may be nil
}

func panelFrom(p *basis.Panel) *panel { return &panel{Panel: p, rows: p.Rows, number: p.Number} }

// pack prepares rows. With signs, columns of tiles are in the order in which they are folded.
func (t *tiles) pack(rows blas64.General, number []int64, signs *sketch.SparseSign) *panel {
	return panelFrom(basis.NewPanel(rows, number, signs))
}

// pickIndices returns the panel of some rows of p, in ascending order.
func (t *tiles) pickIndices(p *panel, chosen []int) *panel { return panelFrom(p.Pick(chosen)) }

// join returns the rows that are in one of two panels.
func (t *tiles) join(a, b *panel) *panel {
	return panelFrom((&basis.Panel{Rows: a.rows, Number: a.number}).Join(b.Panel))
}

// fill puts the tile K(x, p) into dst.
func (t *tiles) fill(dst, x blas64.General, p *panel, w *kernelgen.Workspace) {
	t.FillDense(dst, x, p.Cols, w)
}

// diag puts k(x_i, x_i) into dst.
func (t *tiles) diag(dst []float64, x blas64.General) { t.Diagonal(dst, x) }

// countPass returns a function to call after a pass over a source with panels: see CountPass.
func (t *tiles) countPass(src stream.Source, panels ...*panel) func() {
	cols := 0
	for _, p := range panels {
		cols += p.rows.Rows
	}
	return t.CountPass(src.Info().Rows * int64(cols))
}

// chooseUnit chooses the scale by the kernel between rows and landmarks.
func (t *tiles) chooseUnit(ctx context.Context, e stream.Engine, x blas64.General, y *panel) error {
	return basis.ChooseScale(ctx, e, t.Tiles, x, y.Panel)
}

// eachTile evaluates K(x, p) by panels of rows. f gets the number of the first row and must not
// keep the tile; it runs for several tiles at a time.
func (t *tiles) eachTile(ctx context.Context, e stream.Engine, x blas64.General, p *panel, f func(first int, tile blas64.General) error) error {
	return t.Each(ctx, e, &kerneltiles.Rows{Dense: x}, p.Cols, basis.PanelRows, f)
}

// between returns K(x, p).
func (t *tiles) between(ctx context.Context, e stream.Engine, x blas64.General, p *panel) (blas64.General, error) {
	return t.Between(ctx, e, &kerneltiles.Rows{Dense: x}, p.Cols, basis.PanelRows)
}

// checkFinite names the row of a source whose kernel entries are not finite.
func (t *tiles) checkFinite(y blas64.General, name string, number func(i int) int64) error {
	return basis.CheckFinite(t.Tiles, y, name, number)
}
