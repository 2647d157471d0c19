package rkhs

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// moments is what one pass over the pairs leaves: the triangular factor R of the rows
//
//	√w_i·(1, f(x_i), g(y_i))
//
// so that RᵀR holds all Gram and cross-Gram matrices of features, and of features
// less their means, without that anything was squared; and the traces of the kernels.
// The sum counts the pairs; its rows are x and y, and its columns Σ w_i·k(x_i, x_i) and
// Σ w_i·‖f(x_i)‖².
type moments = sketch.Both[*sketch.QR, *sketch.Sum]

// The columns of the sum.
const (
	kernelTrace = iota
	featureTrace
)

func newMoments(cols int) *moments {
	return &moments{A: sketch.NewQR(cols), B: newTraces()}
}

func newTraces() *sketch.Sum { return sketch.NewSum(2, 2) }

// traceLeft returns the part of the trace of a side that features leave.
func traceLeft(m *moments, s Side) float64 {
	t := dense.Row(m.B.General, int(s))
	if t[kernelTrace] <= 0 {
		return math.NaN()
	}
	return math.Max(0, 1-t[featureTrace]/t[kernelTrace])
}

// trace returns that of C_XX.
func (s setting) trace(m *moments, sp *spaces) float64 {
	t := dense.Row(m.B.General, int(OfX))[kernelTrace]
	if s.Centre {
		for _, mean := range dense.Row(m.A.R(), 0)[1 : 1+sp.x.Left.Rank()] {
			t -= mean * mean
		}
	}
	return t
}

// part is a side in the rows of a pass.
type part struct {
	side   Side
	kernel kernelgen.Kernel
	info   stream.Info
	space  *lowrank.Model
	maker  func() func(dst, x blas64.General, start int64) error
	column int // of the pairs
	first  int // of the features
}

// parts returns the sides that a fit looks at.
func (s setting) parts(d *Data, sp *spaces) []*part {
	all := []*part{{side: OfX, kernel: s.kernels[OfX], info: d.x.Info(), space: sp.x, first: 1}}
	if sp.y != nil {
		all = append(all, &part{side: OfY, kernel: s.kernels[OfY], info: d.y.Info(), space: sp.y, column: len(all[0].info.Columns),
			first: 1 + sp.x.Left.Rank()})
	}
	for _, p := range all {
		p.maker = p.space.Features(p.info.Name)
	}
	return all
}

// source returns the pairs of a pass: x alone where the operator does not look at y, and
// all x of a trajectory but its last are those of the first rows.
func (sp *spaces) source(d *Data) stream.Source {
	if sp.y == nil && len(d.runs) <= 1 {
		alone := *d
		alone.y, alone.lag = nil, 0
		return alone.joined()
	}
	return d.joined()
}

// grid returns the engine with blocks of pairs that are about half as large as a partial sum of
// so many features, where that is more than the default: of narrow rows fewer blocks are as
// quick to read, and there are fewer sums at a time and fewer merges.
func grid(e stream.Engine, columns, features int) stream.Engine {
	if e.BlockRows > 0 {
		return e
	}
	rows := stream.BlockRows(columns)
	for 2*rows*columns <= features*features/4 && rows < mostBlockRows {
		rows *= 2
	}
	e.BlockRows = rows
	return e
}

// mostBlockRows keeps workers busy to the end of a pass.
const mostBlockRows = 1 << 16

// pass makes the one pass over the pairs.
func (s setting) pass(ctx context.Context, e stream.Engine, d *Data, sp *spaces) (*moments, error) {
	parts := s.parts(d, sp)
	last := parts[len(parts)-1]
	cols := last.first + last.space.Left.Rank()
	src := sp.source(d)
	e = grid(e, len(src.Info().Columns), cols).Given(d.weights)
	for _, p := range parts {
		e = e.Given(p.space.Left.Landmarks, p.space.Left.Projection)
	}
	m, err := stream.Fold(ctx, e, "pairs", src, func() *moments { return newMoments(cols) }, func() func(*moments, *stream.Block) error {
		w := newWorker(d, parts, cols)
		return w.add
	})
	if err != nil {
		return nil, err
	}
	if m.B.Count != d.n {
		return nil, fmt.Errorf("%s: promised %d pairs and gave %d: the file changed or is damaged", d.x.Info().Name, d.n, m.B.Count)
	}
	for _, p := range parts {
		sp.entries += d.n * int64(p.space.Left.Entries())
	}
	return m, nil
}

// worker is the scratch memory of one worker.
type worker struct {
	data     *Data
	parts    []*part
	features []func(dst, x blas64.General, start int64) error
	rows     blas64.General
	roots    []float64
	diagonal []float64
}

func newWorker(d *Data, parts []*part, cols int) *worker {
	w := &worker{data: d, parts: parts, rows: stream.NewMatrix(stream.PanelRows, cols),
		roots: make([]float64, stream.PanelRows), diagonal: make([]float64, stream.PanelRows)}
	for _, p := range parts {
		w.features = append(w.features, p.maker())
	}
	return w
}

func (w *worker) add(m *moments, b *stream.Block) error {
	for first, panel := range b.Panels(stream.PanelRows) {
		if err := w.panel(m, panel, b.Start+int64(first)); err != nil {
			return err
		}
	}
	return nil
}

// panel takes in pairs, the first of which has the number start.
func (w *worker) panel(m *moments, pairs blas64.General, start int64) error {
	rows := stream.RowSlice(w.rows, 0, pairs.Rows)
	if err := w.fill(rows, m.B, pairs, start); err != nil {
		return err
	}
	m.B.Count += int64(pairs.Rows)
	return m.A.Add(rows)
}

// fill puts √w_i·(1, f(x_i), g(y_i)) into rows, and adds to the traces.
func (w *worker) fill(rows blas64.General, to *sketch.Sum, pairs blas64.General, start int64) error {
	if start+int64(pairs.Rows) > w.data.n {
		return fmt.Errorf("%s has more rows than were promised: the file changed", w.parts[0].info.Name)
	}
	roots := w.roots[:pairs.Rows]
	for i := range roots {
		roots[i] = w.data.rootWeight(start + int64(i))
		rows.Data[i*rows.Stride] = 1
	}
	for k, p := range w.parts {
		x := dense.Columns(pairs, p.column, len(p.info.Columns))
		if err := model.InSource(p.info, sketch.CheckFinite(x), func(i int) int64 { return w.data.row(p.side, start+int64(i)) }); err != nil {
			return err
		}
		f := dense.Columns(rows, p.first, p.space.Left.Rank())
		if err := w.features[k](f, x, w.data.row(p.side, start)); err != nil {
			return err
		}
		w.trace(dense.Row(to.General, int(p.side)), p, x, f, roots)
	}
	dense.ScaleRows(rows, roots)
	return nil
}

// trace adds to the traces of a side.
func (w *worker) trace(traces []float64, p *part, x, f blas64.General, roots []float64) {
	diagonal := w.diagonal[:x.Rows]
	p.kernel.Diag(diagonal, x)
	for i, r := range roots {
		row := dense.Row(f, i)
		traces[kernelTrace] += r * r * diagonal[i]
		traces[featureTrace] += r * r * dense.Dot(row, row)
	}
}

// factorsOf returns the features of virtual pairs, as few as R has rows, with the same products
// as those of all pairs; less their means if centred: R begins with the column of ones,
// so that its first row is the means, and the others are what is left without them.
func factorsOf(m *moments, sp *spaces, centred bool, cutoff float64) (f *Factors, means [2][]float64) {
	r := m.A.R()
	p := sp.x.Left.Rank()
	if centred {
		means[OfX] = slices.Clone(dense.Row(r, 0)[1 : 1+p])
		means[OfY] = slices.Clone(dense.Row(r, 0)[1+p:])
		r = stream.RowSlice(r, 1, r.Rows-1)
	}
	f = &Factors{X: dense.Clone(dense.Columns(r, 1, p)), Cutoff: cutoff}
	if sp.y != nil {
		f.Y = dense.Clone(dense.Columns(r, 1+p, sp.y.Left.Rank()))
	}
	return f, means
}
