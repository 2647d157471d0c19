package lowrank

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	kerneltiles "github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/stream"
)

// tiles evaluates the entries of one kernel, times a unit: a power of two that keeps the squares
// of very large or very small entries representable. Whoever finishes a model divides it out.
type tiles struct {
	*kerneltiles.Tiles
	kernel  kernelgen.Kernel
	unit    float64
	entries *atomic.Int64 // evaluated so far
}

func newTiles(k kernelgen.Kernel) *tiles {
	t := kerneltiles.Plain(k)
	return &tiles{Tiles: t, kernel: k, unit: 1, entries: &t.Entries}
}

// panel is the column side of tiles: rows with their numbers in the source, ascending.
type panel struct {
	rows   blas64.General
	number []int64
	cols   *kerneltiles.Rows // the rows in the order of the columns of tiles
	beside *panel            // of held-back rows: others that stand for themselves; may be nil
}

// pack prepares rows. With signs, columns of tiles are in the order in which they are folded.
func (t *tiles) pack(rows blas64.General, number []int64, signs *sketch.SparseSign) *panel {
	p := &panel{rows: rows, number: number, cols: &kerneltiles.Rows{Dense: rows}}
	if signs == nil {
		return p
	}
	ordered := stream.NewMatrix(rows.Rows, rows.Cols)
	for place, k := range signs.Folded() {
		copy(dense.Row(ordered, place), dense.Row(rows, k))
	}
	p.cols = &kerneltiles.Rows{Dense: ordered}
	return p
}

// fill puts the tile K(x, p) into dst.
func (t *tiles) fill(dst, x blas64.General, p *panel, w *kernelgen.Workspace) {
	t.FillDense(dst, x, p.cols, w)
	t.scale(dst)
}

// scale multiplies entries by the unit.
func (t *tiles) scale(tile blas64.General) {
	if t.unit == 1 {
		return
	}
	for i := range tile.Rows {
		blas64.Scal(t.unit, dense.Vector(dense.Row(tile, i)))
	}
}

// countPass returns a function to call after a pass over a source with panels: see CountPass.
func (t *tiles) countPass(src stream.Source, panels ...*panel) func() {
	cols := 0
	for _, p := range panels {
		cols += p.rows.Rows
	}
	return t.CountPass(src.Info().Rows * int64(cols))
}

// foldRows is how many rows of a tile are filled before they are folded, so that
// they are still in the first levels of the cache.
const foldRows = 32

// fillFolded puts K(x, p)·Ĉ into dst. tile is scratch of at least foldRows rows
// and as many columns as p has rows.
func (t *tiles) fillFolded(dst, x blas64.General, p *panel, signs *sketch.SparseSign, tile blas64.General, w *kernelgen.Workspace) {
	for first := 0; first < x.Rows; first += foldRows {
		n := min(foldRows, x.Rows-first)
		part := stream.RowSlice(tile, 0, n)
		t.fill(part, stream.RowSlice(x, first, n), p, w)
		signs.FoldCols(stream.RowSlice(dst, first, n), part)
	}
}

// diag puts k(x_i, x_i) into dst.
func (t *tiles) diag(dst []float64, x blas64.General) {
	t.kernel.Diag(dst, x)
	for i := range dst {
		dst[i] *= t.unit
	}
}

// chooseUnit looks at the kernel between landmarks and picks the unit.
func (t *tiles) chooseUnit(ctx context.Context, e stream.Engine, x blas64.General, y *panel) error {
	ofRows := make([]float64, x.Rows)
	err := t.eachTile(ctx, e, x, y, func(first int, tile blas64.General) error {
		for i := range tile.Rows {
			for _, v := range dense.Row(tile, i) {
				ofRows[first+i] = max(ofRows[first+i], math.Abs(v)) // NaN stays NaN
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	largest := 0.0
	for _, v := range ofRows {
		largest = max(largest, v)
	}
	if largest-largest != 0 {
		return fmt.Errorf("kernel %s gives %v between rows of this data: scale the columns (`scale standard`) or lower the kernel's weight", t.kernel, largest)
	}
	if unit := unitFor(largest); unit != 1 {
		t.unit = unit
	}
	return nil
}

// unitFor returns the unit for a matrix whose largest entry is about this: 1 unless that
// is very large or very small.
func unitFor(largest float64) float64 {
	if largest > 0 && (largest > 1e100 || largest < 1e-100) {
		return math.Ldexp(1, min(1000, -math.Ilogb(largest)))
	}
	return 1
}

// eachTile evaluates K(x, p) by panels of rows. f gets the number of the first row and must not
// keep the tile; it runs for several tiles at a time.
func (t *tiles) eachTile(ctx context.Context, e stream.Engine, x blas64.General, p *panel, f func(first int, tile blas64.General) error) error {
	return t.Each(ctx, e, &kerneltiles.Rows{Dense: x}, p.cols, corePanel, func(first int, tile blas64.General) error {
		t.scale(tile)
		return f(first, tile)
	})
}

// between returns K(x, p).
func (t *tiles) between(ctx context.Context, e stream.Engine, x blas64.General, p *panel) (blas64.General, error) {
	out, err := t.Between(ctx, e, &kerneltiles.Rows{Dense: x}, p.cols, corePanel)
	t.scale(out)
	return out, err
}

// checkFinite names the row of a source whose kernel entries are not finite.
func (t *tiles) checkFinite(y blas64.General, name string, number func(i int) int64) error {
	err := sketch.CheckFinite(y)
	if err == nil {
		return nil
	}
	var bad *sketch.NonFiniteError
	if !errors.As(err, &bad) {
		return err
	}
	return &stream.BadValueError{Source: name, Row: number(bad.Row),
		Reason: fmt.Sprintf("kernel %s is not finite between this row and a landmark; scale the columns (`scale standard`) or drop the row", t.kernel)}
}
