package transport

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/internal/logsum"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

var _ model.Transformer = (*Model)(nil)

// Outputs returns the names of the columns of the other side.
func (m *Model) Outputs(side model.Side, kind model.Kind) ([]string, error) {
	if err := kind.Only(model.Coordinates); err != nil {
		return nil, err
	}
	if side == model.Both {
		return nil, errors.New("rows are of the left side or of the right one: transform one side at a time")
	}
	return m.mapOf(side).Names, nil
}

// Dimension returns how many columns rows have.
func (m *Model) Dimension(side model.Side) int { return m.mapOf(side).Dimension() }

// mapper maps the rows of a panel. It belongs to one goroutine.
type mapper func(dst, x blas64.General, start int64) error

// mapRows is how many rows a mapper takes at most.
const mapRows = 256

// Transform makes one pass over rows and gives their images to emit, in order. With the exact
// engine a row takes as many kernel entries as there are rows on the other side, with the
// low-rank engine as many as landmarks, and with [MapNearest] as many distances as there
// are fitted rows in the model.
func (m *Model) Transform(ctx context.Context, e stream.Engine, rows stream.Source, r model.Request, emit model.Emit) error {
	if _, err := r.Names(m); err != nil {
		return err
	}
	info, to := rows.Info(), m.mapOf(r.Side)
	if d := len(info.Columns); d != to.Dimension() {
		return fmt.Errorf("%s has %d columns, and the model was fitted on %d", info.Name, d, to.Dimension())
	}
	newMapper, err := m.mapping(r.Side, info)
	if err != nil {
		return err
	}
	return stream.Map(ctx, e, "transform", rows, to.Dimension(), r.Kept, func() func(blas64.General, *stream.Block) error {
		do := newMapper()
		return func(dst blas64.General, b *stream.Block) error {
			if err := model.CheckRows(info, b.X, b.Start); err != nil {
				return err
			}
			for first, x := range b.Panels(mapRows) {
				if err := do(stream.RowSlice(dst, first, x.Rows), x, b.Start+int64(first)); err != nil {
					return err
				}
			}
			return nil
		}
	}, emit)
}

// mapping returns what makes the mappers of a side for a source.
func (m *Model) mapping(side model.Side, info stream.Info) (func() mapper, error) {
	to := m.mapOf(side)
	switch {
	case to.Points.Cols > 0:
		g, err := newGibbs(m.Kernel, m.Epsilon)
		if err != nil {
			return nil, err
		}
		return to.byPoints(g, side, info), nil
	case to.Coefficients.Cols > 0:
		return m.byFactors(side, info)
	}
	near := to.nearest()
	return func() mapper {
		do := near()
		return func(dst, x blas64.General, _ int64) error {
			do(dst, x, nil)
			return nil
		}
	}, nil
}

// byPoints maps by sums over all rows of the other side.
func (to *Map) byPoints(g *gibbs, side model.Side, info stream.Info) func() mapper {
	n := to.Points.Rows
	panel := g.pack(to.Points)
	return func() mapper {
		var w kernelgen.Workspace
		buf, turned := stream.NewMatrix(stripRows(n), n), blas64.General{}
		if side == model.Right && !g.kernel.Symmetric() {
			turned = stream.NewMatrix(n, buf.Rows)
		}
		fill := func(dst, x blas64.General) {
			if turned.Rows == 0 {
				g.fill(dst, x, panel, &w)
				return
			}
			t := blas64.General{Rows: n, Cols: x.Rows, Stride: x.Rows, Data: turned.Data[:n*x.Rows]}
			g.fill(t, to.Points, g.pack(x), &w)
			for i := range dst.Rows {
				for j := range dst.Cols {
					dst.Data[i*dst.Stride+j] = t.Data[j*t.Stride+i]
				}
			}
		}
		return func(dst, x blas64.General, start int64) error {
			for first := 0; first < x.Rows; first += buf.Rows {
				strip := stream.RowSlice(buf, 0, min(buf.Rows, x.Rows-first))
				fill(strip, stream.RowSlice(x, first, strip.Rows))
				for i := range strip.Rows {
					row := dense.Row(strip, i)
					dense.Axpy(1, to.Logs, row)
					s := logsum.Zero()
					s.Add(row)
					if log := s.Log(); log-log != 0 {
						return g.badSum(info.Name, start+int64(first+i), log)
					}
					blas64.Scal(1/s.Rest, dense.Vector(row))
				}
				dense.Gemm(blas.NoTrans, blas.NoTrans, 1, strip, to.Points, 0, stream.RowSlice(dst, first, strip.Rows))
			}
			return nil
		}
	}
}

// nearest moves rows as the nearest of Near are moved; of rows with the same distance the first.
// It does so for the rows that which lists, nil for all.
func (to *Map) nearest() func() func(dst, x blas64.General, which []int) {
	distance := kernelgen.SquaredDistance.Kernel()
	panel := distance.Pack(to.Near)
	return func() func(dst, x blas64.General, which []int) {
		var w kernelgen.Workspace
		buf := stream.NewMatrix(stripRows(to.Near.Rows), to.Near.Rows)
		return func(dst, x blas64.General, which []int) {
			count := x.Rows
			if which != nil {
				count = len(which)
			}
			for first := 0; first < count; first += buf.Rows {
				strip := stream.RowSlice(buf, 0, min(buf.Rows, count-first))
				if which == nil {
					distance.Fill(strip, stream.RowSlice(x, first, strip.Rows), panel, &w)
				} else {
					distance.Fill(strip, dense.PickRows(x, which[first:first+strip.Rows]), panel, &w)
				}
				for i := range strip.Rows {
					at := first + i
					if which != nil {
						at = which[at]
					}
					move(dense.Row(dst, at), dense.Row(x, at), dense.Row(to.Moves, least(dense.Row(strip, i))))
				}
			}
		}
	}
}

// least returns the place of the smallest number, the first of equal ones.
func least(v []float64) (at int) {
	for j, x := range v {
		if x < v[at] {
			at = j
		}
	}
	return at
}

// move is dst = x + by.
func move(dst, x, by []float64) {
	for j, v := range x {
		dst[j] = v + by[j]
	}
}

// TransformPlan returns what a pass of Transform over rows will hold.
func (m *Model) TransformPlan(e stream.Engine, rows stream.Source, r model.Request) *model.Plan {
	to, d := m.mapOf(r.Side), len(rows.Info().Columns)
	p := model.NewPlan(e, rows.Info().Rows, d)
	p.Passes = 1
	p.Map("images", d, to.Dimension())
	n := float64(max(0, rows.Info().Rows))
	for _, part := range []struct {
		what   string
		points blas64.General
	}{{"rows of the other side", to.Points}, {"nearest rows", to.Near}} {
		if part.points.Rows > 0 {
			p.Add(part.what, 3*int64(len(part.points.Data)), "")
			p.Add("strips", int64(e.Workers()*stripRows(part.points.Rows)*part.points.Rows), "`threads`")
		}
	}
	if m.Factors != nil {
		p.Include(m.Factors.TransformPlan(e, rows, model.Request{Side: r.Side}))
		return p
	}
	p.AddEntries(n * math.Max(float64(to.Points.Rows), float64(to.Near.Rows)))
	return p
}

// keepNearest replaces the maps by those of the nearest fitted rows.
func (f *Fit) keepNearest(ctx context.Context, e stream.Engine, s Sinkhorn) error {
	var maps [2]*Map
	for i, side := range []model.Side{model.Left, model.Right} {
		src, to := f.data.side(side).Left, f.mapOf(side)
		rows, err := model.SampleRows(ctx, src, s.Neighbours, s.Seed, "neighbours "+side.String())
		if err != nil {
			return err
		}
		images := stream.NewMatrix(rows.Rows, rows.Cols)
		err = f.Transform(ctx, e, stream.FromMatrix(src.Info().Name, rows), model.Request{Side: side}, func(b *stream.Block, out blas64.General) error {
			for i := range out.Rows {
				copy(dense.Row(images, int(b.Start)+i), dense.Row(out, i))
			}
			return nil
		})
		if err != nil {
			return err
		}
		perRow := to.Points.Rows + to.Corrections.Rows
		if f.Factors != nil {
			perRow += f.Factors.Factor(side).Entries()
		}
		f.KernelEntries += int64(rows.Rows) * int64(perRow)
		dense.Add(-1, rows, images)
		maps[i] = &Map{Names: to.Names, Near: rows, Moves: images}
	}
	f.Left, f.Right, f.Factors = maps[0], maps[1], nil
	return nil
}
