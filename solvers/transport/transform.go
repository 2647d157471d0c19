package transport

import (
	"context"
	"errors"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

var _ model.Transformer = (*Model)(nil)

// Outputs returns the names of the columns of the other side. It fails for both sides at once.
func (m *Model) Outputs(side model.Side, kind model.Output) ([]string, error) {
	if err := kind.RequireOneOf(model.Coordinates); err != nil {
		return nil, err
	}
	if side == model.Both {
		return nil, errors.New("rows are of the left side or of the right one: transform one side at a time")
	}
	return m.mapOf(side).Names, nil
}

// Dimension returns the number of columns of the rows of a side.
func (m *Model) Dimension(side model.Side) int { return m.mapOf(side).Dimension() }

// mapper maps at most mapRows rows. start is the number of the first one. It must not be used concurrently.
type mapper func(dst, x blas64.General, start int64) error

// mapRows limits the rows of a mapper call.
const mapRows = 256

// Transform maps rows in one pass, and calls emit with blocks in order. It fails if the number of columns is not that
// of the fit, or if the exact engine's kernel is 0 between a row and the whole other side. Cost of a row: a kernel
// entry for each row of the other side with the exact engine, and for each landmark with the low-rank one.
func (m *Model) Transform(ctx context.Context, e stream.Engine, rows stream.Source, r model.Request, emit model.Emit) error {
	return model.Transform(ctx, e, m, rows, r, emit)
}

// Worker makes workers of [Model.Transform].
func (m *Model) Worker(rows stream.Source, r model.Request) (func() model.Worker, error) {
	if err := input.CheckColumns(rows.Info(), m.Dimension(r.Side)); err != nil {
		return nil, err
	}
	newMapper, err := m.mapping(r.Side, rows.Info())
	if err != nil {
		return nil, err
	}
	return func() model.Worker {
		do := newMapper()
		return func(dst blas64.General, b *stream.Block) error {
			for first, x := range b.Panels(mapRows) {
				if err := do(matrix.Rows(dst, first, x.Rows), x, b.Start+int64(first)); err != nil {
					return err
				}
			}
			return nil
		}
	}, nil
}

// mapping returns a function that makes mappers of a side for the rows of a source.
func (m *Model) mapping(side model.Side, info stream.Info) (func() mapper, error) {
	if m.Factors != nil {
		return m.byFactors(side, info), nil
	}
	g, err := newGibbs(m.Kernel, m.Epsilon)
	if err != nil {
		return nil, err
	}
	return m.mapOf(side).byPoints(g, side, info), nil
}

// byPoints maps a row to its barycentric projection: the mean of Points, weighted by the plan.
func (to *Mapping) byPoints(g gibbs, side model.Side, info stream.Info) func() mapper {
	n := to.Points.Rows
	right := &tiles.Rows{Dense: to.Points}
	return func() mapper {
		var w kernelgen.Workspace
		var room, turned []float64 // grow to the largest strip so far
		fill := func(dst, x blas64.General) { g.logs.FillDense(dst, x, right, &w) }
		if side == model.Right && !g.logs.Kernel.Symmetric() { // the points are left rows
			fill = func(dst, x blas64.General) {
				t := matrix.Reuse(&turned, n, x.Rows)
				g.logs.FillDense(t, to.Points, &tiles.Rows{Dense: x}, &w)
				for i := range dst.Rows {
					blas64.Copy(blas64.Vector{N: n, Inc: t.Stride, Data: t.Data[i:]}, dense.Vector(matrix.Row(dst, i)))
				}
			}
		}
		return func(dst, x blas64.General, start int64) error {
			for first := 0; first < x.Rows; first += stripRows(n) {
				strip := matrix.Reuse(&room, min(stripRows(n), x.Rows-first), n)
				fill(strip, matrix.Rows(x, first, strip.Rows))
				for i := range strip.Rows {
					row := matrix.Row(strip, i)
					s := weights(row, to.Logs)
					if log := s.Log(); !matrix.IsFinite(log) {
						return g.badSum(info.Name, start+int64(first+i), log)
					}
					blas64.Scal(1/s.Scaled, dense.Vector(row))
				}
				dense.GemmRows(blas.NoTrans, strip, to.Points, 0, matrix.Rows(dst, first, strip.Rows))
			}
			return nil
		}
	}
}

// byNearest moves a row by the displacement of the nearest of the sampled rows, the first in a tie.
func (to *Mapping) byNearest() func() mapper {
	distance, near := tiles.Plain(kernelgen.SquaredDistance.Kernel()), &tiles.Rows{Dense: to.SampledRows}
	return func() mapper {
		var w kernelgen.Workspace
		var room []float64 // grows to the largest strip so far
		n := to.SampledRows.Rows
		return func(dst, x blas64.General, _ int64) error {
			for first := 0; first < x.Rows; first += stripRows(n) {
				strip := matrix.Reuse(&room, min(stripRows(n), x.Rows-first), n)
				distance.FillDense(strip, matrix.Rows(x, first, strip.Rows), near, &w)
				for i := range strip.Rows {
					move := matrix.Row(to.Displacements, floats.MinIdx(matrix.Row(strip, i)))
					floats.AddTo(matrix.Row(dst, first+i), matrix.Row(x, first+i), move)
				}
			}
			return nil
		}
	}
}

// TransformPlan returns the cost of Transform for rows.
func (m *Model) TransformPlan(e stream.Engine, rows stream.Source, r model.Request) *model.Plan {
	to, d := m.mapOf(r.Side), len(rows.Info().Columns)
	p := model.NewPlan(e, rows.Info().Rows, d)
	p.SourcePasses = 1
	p.Map("images", d, to.Dimension())
	for _, part := range []struct {
		what   string
		points blas64.General
	}{{"rows of the other side", to.Points}, {"nearest rows", to.SampledRows}} {
		if part.points.Rows > 0 {
			p.Add(part.what, 3*int64(len(part.points.Data)), "")
			p.Add("strips", int64(e.Workers()*stripRows(part.points.Rows)*part.points.Rows), "`Engine.Threads`")
		}
	}
	if m.Factors != nil {
		p.Include(m.Factors.TransformPlan(e, rows, model.Request{Side: r.Side}))
		return p
	}
	p.AddEntries(float64(max(0, rows.Info().Rows)) * float64(to.Points.Rows))
	return p
}
