package transport

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/solvers/internal/logsum"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

func (x *exact) apply(ctx context.Context, e stream.Engine, side model.Side, v blas64.General) (blas64.General, error) {
	from, to := x.right, x.left
	if side == model.Right {
		from, to = to, from
	}
	if from.number != nil {
		v = dense.PickRows(v, ints(from.number))
	}
	at := newGrid(e, x.gibbs, x.left, x.right)
	out := stream.NewMatrix(to.rows.Rows, v.Cols)
	numbers := 0
	if side == model.Right {
		numbers = len(out.Data)
	}
	sum, err := at.strips(ctx, "apply", numbers, func() stripVisitor {
		return func(sum []float64, first int, logs blas64.General) error {
			x.planStrip(logs, first)
			if side == model.Left {
				dense.Gemm(blas.NoTrans, blas.NoTrans, 1, logs, v, 0, stream.RowSlice(out, first, logs.Rows))
				return nil
			}
			dense.Gemm(blas.Trans, blas.NoTrans, 1, logs, stream.RowSlice(v, first, logs.Rows), 1, blas64.General{Rows: out.Rows, Cols: out.Cols, Stride: max(1, out.Cols), Data: sum})
			return nil
		}
	})
	if err != nil {
		return out, err
	}
	if side == model.Right {
		out.Data = sum
	}
	return to.spread(out), nil
}

// planStrip turns rows of log K into rows of T.
func (x *exact) planStrip(logs blas64.General, first int) {
	for i := range logs.Rows {
		row := dense.Row(logs, i)
		dense.Axpy(1, x.g, row)
		s := logsum.Zero()
		s.Add(row)
		blas64.Scal(math.Exp(x.f[first+i]+s.Most), dense.Vector(row))
	}
}

// spread returns a matrix with a row for each row of the source, zero for those without mass.
func (p *points) spread(m blas64.General) blas64.General {
	if p.number == nil {
		return m
	}
	all := stream.NewMatrix(int(p.count), m.Cols)
	for i, n := range p.number {
		copy(dense.Row(all, int(n)), dense.Row(m, i))
	}
	return all
}

// sideOf returns a side and what its scalings are made of.
func (p *pair) sideOf(side model.Side) (*half, scaling) {
	if side == model.Right {
		return p.right, p.used[1]
	}
	return p.left, p.used[0]
}

// rows makes a pass with a matrix of n columns for a result, a row for each row.
func (h *half) rows(ctx context.Context, e stream.Engine, name string, n int, fill func(dst blas64.General, s shown, start int64)) (blas64.General, error) {
	return stream.MapRows(ctx, e, name, h.src, n, func() func(blas64.General, *stream.Block) error {
		show := h.shower()
		return func(dst blas64.General, b *stream.Block) error {
			for first, x := range b.Panels(halfRows) {
				s, err := show(x, b.Start+int64(first))
				if err != nil {
					return err
				}
				fill(stream.RowSlice(dst, first, x.Rows), s, b.Start+int64(first))
			}
			return nil
		}
	})
}

func (p *pair) apply(ctx context.Context, e stream.Engine, side model.Side, v blas64.General) (blas64.General, error) {
	to, of := p.sideOf(side)
	from, made := p.sideOf(1 - side)
	w, err := from.weigh(ctx, e, "apply", p.exponent(), made, made, v.Cols, 0, func() columns {
		return func(_ []float64, dst, _ blas64.General, start int64, _, _ []float64) {
			for i := range dst.Rows {
				copy(dense.Row(dst, i), dense.Row(v, int(start)+i))
			}
		}
	})
	if err != nil {
		return blas64.General{}, err
	}
	z := dense.Clone(from.lower(w.factor))
	dense.ScaleRows(z, p.factors.Values)
	coef := to.lift(z)
	return to.rows(ctx, e, "apply", v.Cols, func(dst blas64.General, s shown, start int64) {
		dense.Gemm(blas.NoTrans, blas.NoTrans, 1, s.factor, coef, 0, dst)
		dense.Gemm(blas.NoTrans, blas.NoTrans, 1, s.sections, w.own, 1, dst)
		u := make([]float64, dst.Rows)
		to.scalings(u, s, start, p.exponent(), of)
		for i := range dst.Rows {
			if at, repaired := to.place[start+int64(i)]; repaired {
				copy(dense.Row(dst, i), dense.Row(w.sections, at))
			}
		}
		dense.ScaleRows(dst, u)
	})
}
