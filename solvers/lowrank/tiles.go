package lowrank

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// tiles evaluates one kernel and counts the entries. Entries are multiplied by
// unit, a power of two that keeps the squares of very large or very small
// kernels representable; whoever finishes a model divides it out again.
type tiles struct {
	kernel  kernelgen.Kernel
	unit    float64
	entries atomic.Int64
}

func newTiles(k kernelgen.Kernel) *tiles {
	return &tiles{kernel: k, unit: 1}
}

// panel is the column side of tiles: rows with their numbers, packed once, when
// they are first asked for.
type panel struct {
	rows   blas64.General
	number []int64 // row numbers in the source, ascending
	packed func() *kernelgen.Panel
	beside *panel // of held-back rows: others that stand for themselves; may be nil
}

// pack prepares rows. With signs the columns of tiles come in the order in which
// they are folded, else in that of the rows.
func (t *tiles) pack(rows blas64.General, number []int64, signs *sketch.SparseSign) *panel {
	return &panel{rows: rows, number: number,
		packed: sync.OnceValue(func() *kernelgen.Panel { return t.kernel.Pack(inFoldOrder(rows, signs)) }),
	}
}

func inFoldOrder(rows blas64.General, signs *sketch.SparseSign) blas64.General {
	if signs == nil {
		return rows
	}
	ordered := stream.NewMatrix(rows.Rows, rows.Cols)
	for place, k := range signs.Folded() {
		copy(dense.Row(ordered, place), dense.Row(rows, k))
	}
	return ordered
}

// fill puts the tile K(x, p) into dst.
func (t *tiles) fill(dst, x blas64.General, p *panel, w *kernelgen.Workspace) {
	t.kernel.Fill(dst, x, p.packed(), w)
	t.entries.Add(int64(x.Rows) * int64(p.rows.Rows))
	if t.unit == 1 {
		return
	}
	for i := range dst.Rows {
		for j, v := range dense.Row(dst, i) {
			dst.Data[i*dst.Stride+j] = v * t.unit
		}
	}
}

// countPass returns a function that is called after a pass over the rows of a source with
// the panels: then the entries of all its tiles are counted, whether they were evaluated or a
// state answered the pass.
func (t *tiles) countPass(src stream.Source, panels ...*panel) func() {
	after := t.entries.Load()
	for _, p := range panels {
		after += src.Info().Rows * int64(p.rows.Rows)
	}
	return func() { t.entries.Store(after) }
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

// eachTile computes K(x, p) by panels of rows, as many at a time as the engine has workers.
// f gets the index of the first row and may keep nothing; calls for different panels may run
// at the same time.
func (t *tiles) eachTile(ctx context.Context, e stream.Engine, x blas64.General, p *panel, f func(first int, tile blas64.General) error) error {
	type room struct {
		w    kernelgen.Workspace
		tile blas64.General
	}
	rooms := sync.Pool{New: func() any {
		return &room{tile: stream.NewMatrix(min(corePanel, x.Rows), p.rows.Rows)}
	}}
	return stream.Each(ctx, e.Threads, (x.Rows+corePanel-1)/corePanel, func(i int) error {
		r := rooms.Get().(*room)
		defer rooms.Put(r)
		first := i * corePanel
		rows := stream.RowSlice(x, first, min(corePanel, x.Rows-first))
		tile := stream.RowSlice(r.tile, 0, rows.Rows)
		t.fill(tile, rows, p, &r.w)
		return f(first, tile)
	})
}

// between returns K(x, p), computed by panels of rows.
func (t *tiles) between(ctx context.Context, e stream.Engine, x blas64.General, p *panel) (blas64.General, error) {
	out := stream.NewMatrix(x.Rows, p.rows.Rows)
	rooms := sync.Pool{New: func() any { return new(kernelgen.Workspace) }}
	return out, stream.Each(ctx, e.Threads, (x.Rows+corePanel-1)/corePanel, func(i int) error {
		w := rooms.Get().(*kernelgen.Workspace)
		defer rooms.Put(w)
		first := i * corePanel
		rows := min(corePanel, x.Rows-first)
		t.fill(stream.RowSlice(out, first, rows), stream.RowSlice(x, first, rows), p, w)
		return nil
	})
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
