package rkhs

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/tilesize"
)

// moments is the result of one pass over the pairs: the triangular factor R of the rows
//
//	√w_i·(1, f(x_i), g(y_i))
//
// and the traces of the kernels. RᵀR holds all Gram and cross-Gram matrices of features, centred or not, without
// forming squares. The sum counts the pairs. Its rows are x and y, and its columns Σ w_i·k(x_i, x_i) and
// Σ w_i·‖f(x_i)‖².
type moments = sketch.Both[*sketch.QR, *sketch.Sum]

// The columns of the sum.
const (
	kernelTrace = iota
	featureTrace
)

func newMoments(cols int) *moments { return &moments{A: sketch.NewQR(cols), B: sketch.NewSum(2, 2)} }

// traceLeft returns the fraction of the trace of a side outside the features.
func traceLeft(m *moments, s PairSide) float64 {
	t := matrix.Row(m.B.General, int(s))
	if t[kernelTrace] <= 0 {
		return math.NaN()
	}
	return math.Max(0, 1-t[featureTrace]/t[kernelTrace])
}

// trace returns tr(C_XX), centred or not.
func (s resolvedSolver) trace(m *moments, sp *spaces) float64 {
	t := matrix.Row(m.B.General, int(SideX))[kernelTrace]
	if s.Center {
		for _, mean := range matrix.Row(m.A.R(), 0)[1 : 1+sp.x.Left.Rank()] {
			t -= mean * mean
		}
	}
	return t
}

// spread returns the fraction of Σ w_i·‖f(x_i)‖² of a side that remains after centring; NaN if the sum is 0.
func (p part) spread(m *moments) float64 {
	r, all, centred := matrix.Columns(m.A.R(), p.firstColumn, p.space.Left.Rank()), 0.0, 0.0
	for i := range r.Rows {
		squares := dense.Dot(matrix.Row(r, i), matrix.Row(r, i))
		if all += squares; i > 0 {
			centred += squares
		}
	}
	return centred / all
}

// part is one side in the columns of a pass.
type part struct {
	side        PairSide
	info        stream.Info
	space       *lowrank.Model
	firstColumn int // index of its first column
}

// parts returns the sides used by a fit.
func (sp *spaces) parts(d *Data) []part {
	all := []part{{SideX, d.x.Info(), sp.x, 1}}
	if sp.y != nil {
		all = append(all, part{SideY, d.y.Info(), sp.y, 1 + sp.x.Left.Rank()})
	}
	return all
}

// columns returns the columns √w_i·(1, f(x_i), g(y_i)) of a pass.
func (sp *spaces) columns(d *Data) *basis.Columns {
	c := &basis.Columns{One: true, SqrtWeight: d.rootWeight, Rows: d.n}
	first := 0
	for _, p := range sp.parts(d) {
		maker := p.space.Features(p.info.Name)
		c.Features = append(c.Features, basis.Features{Width: p.space.Left.Rank(), First: first, Count: len(p.info.Columns),
			Worker: func() func(dst, x blas64.General, start int64) error {
				features := maker()
				return func(dst, x blas64.General, start int64) error {
					if err := input.InSource(p.info, sketch.CheckFinite(x), input.Numbers{From: d.row(p.side, start)}); err != nil {
						return err
					}
					return features(dst, x, d.row(p.side, start))
				}
			}})
		first += len(p.info.Columns)
	}
	return c
}

// source returns the pairs of a pass: x alone if the operator does not use y. In a trajectory, all x but the last are
// the leading rows.
func (sp *spaces) source(d *Data) stream.Source {
	if sp.y == nil && len(d.runs) <= 1 {
		alone := *d
		alone.y, alone.lag = nil, 0
		return alone.pairedSource()
	}
	return d.pairedSource()
}

// pairBlocks returns the engine with blocks of pairs about half as large as a partial sum, if that exceeds the default.
// Such blocks of narrow rows are as fast to read, with fewer sums in memory and fewer merges.
func pairBlocks(e stream.Engine, columns, features int) stream.Engine {
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

// mostBlockRows limits blocks, to keep workers busy until the end of a pass.
const mostBlockRows = 1 << 16

// sums makes the one pass over the pairs, or over the rows of each side.
func (s resolvedSolver) sums(ctx context.Context, e stream.Engine, d *Data, sp *spaces) (*moments, error) {
	if !d.unpaired(sp) {
		return s.pass(ctx, e, "pairs", d, sp)
	}
	var sides [2]*moments
	for _, which := range []PairSide{SideX, SideY} {
		one := sp.alone(which)
		m, err := s.pass(ctx, e, "rows of "+which.String(), d.alone(which), one)
		if err != nil {
			return nil, err
		}
		sides[which] = m
		sp.entries += one.entries
	}
	return independentMoments(sides[SideX], sides[SideY])
}

// independentMoments returns the moments of all combinations of a row x and a row y, from those of each side: R has the
// rows (1, mean of f, mean of g), (0, R_x, 0) and (0, 0, R_y).
func independentMoments(x, y *moments) (*moments, error) {
	rx, ry := x.A.R(), y.A.R()
	p, q := rx.Cols-1, ry.Cols-1
	m, r := newMoments(1+p+q), matrix.New(1+p+q, 1+p+q)
	for i := range 1 + p {
		copy(matrix.Row(r, i), matrix.Row(rx, i))
	}
	copy(matrix.Row(r, 0)[1+p:], matrix.Row(ry, 0)[1:])
	for i := range q {
		copy(matrix.Row(r, 1+p+i)[1+p:], matrix.Row(ry, 1+i)[1:])
	}
	m.B.Count = x.B.Count
	copy(matrix.Row(m.B.General, int(SideX)), matrix.Row(x.B.General, int(SideX)))
	copy(matrix.Row(m.B.General, int(SideY)), matrix.Row(y.B.General, int(SideX)))
	return m, m.A.Add(r)
}

// pass makes one pass over pairs, or over the rows of one side.
func (s resolvedSolver) pass(ctx context.Context, e stream.Engine, name string, d *Data, sp *spaces) (*moments, error) {
	columns, src := sp.columns(d), sp.source(d)
	e = pairBlocks(e, len(src.Info().Columns), columns.Width()).WithInputs(d.weights)
	for _, p := range sp.parts(d) {
		e = e.WithInputs(p.space.Left.Landmarks, p.space.Left.Origin, p.space.Left.Projection)
	}
	newState := func() *moments { return newMoments(columns.Width()) }
	m, err := basis.Moments(ctx, e, name, src, columns, newState, func() func(*moments, basis.Rows) error {
		add := sp.traceAdder(d, columns)
		return func(m *moments, r basis.Rows) error {
			m.B.Count += int64(r.X.Rows)
			add(m.B, r)
			return m.A.Add(r.Z)
		}
	})
	if err != nil {
		return nil, err
	}
	if m.B.Count != d.n {
		return nil, fmt.Errorf("%s: promised %d pairs and gave %d: the file changed or is damaged", d.x.Info().Name, d.n, m.B.Count)
	}
	sp.count(d)
	return m, nil
}

// count counts the entries of a pass.
func (sp *spaces) count(d *Data) {
	for _, p := range sp.parts(d) {
		sp.entries += d.rows(p.side) * int64(p.space.Left.Entries())
	}
}

// traceAdder returns a function for one goroutine that adds to the traces of both sides.
func (sp *spaces) traceAdder(d *Data, columns *basis.Columns) func(to *sketch.Sum, r basis.Rows) {
	parts, diagonal := sp.parts(d), make([]float64, tilesize.PanelRows)
	var selves []func(dst []float64, x blas64.General)
	for _, p := range parts {
		selves = append(selves, p.space.SelfEntries())
	}
	return func(to *sketch.Sum, r basis.Rows) {
		for k, p := range parts {
			part, traces := columns.Features[k], matrix.Row(to.General, int(p.side))
			selves[k](diagonal[:r.X.Rows], matrix.Columns(r.X, part.First, part.Count))
			for i, v := range diagonal[:r.X.Rows] {
				root, f := d.rootWeight(r.Start+int64(i)), matrix.Row(r.Z, i)[p.firstColumn:p.firstColumn+part.Width]
				traces[kernelTrace] += root * root * v
				traces[featureTrace] += dense.Dot(f, f)
			}
		}
	}
}

// factorsOf returns the features of as many virtual pairs as R has rows, with the same products as all pairs. If
// centred, it subtracts the means: these are the first row of R, which belongs to the column of ones, and the other
// rows are the centred features.
func factorsOf(m *moments, sp *spaces, centred bool, cutoff float64) (f *Factors, means [2][]float64) {
	r := m.A.R()
	p := sp.x.Left.Rank()
	if centred {
		means[SideX] = slices.Clone(matrix.Row(r, 0)[1 : 1+p])
		means[SideY] = slices.Clone(matrix.Row(r, 0)[1+p:])
		r = matrix.Rows(r, 1, r.Rows-1)
	}
	f = &Factors{X: matrix.Clone(matrix.Columns(r, 1, p)), Cutoff: cutoff}
	if sp.y != nil {
		f.Y = matrix.Clone(matrix.Columns(r, 1+p, sp.y.Left.Rank()))
	}
	return f, means
}
