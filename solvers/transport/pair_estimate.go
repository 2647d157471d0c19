package transport

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// estimateRows limits the rows of a side in an estimate.
const estimateRows = 512

// sample has rows of a side with their scalings.
type sample struct {
	number    []int64
	rows      blas64.General
	factor    blas64.General // rows of Y
	u, approx []float64      // the scalings, and the same with 0 for repaired rows
}

// sample draws rows of a side.
func (h *half) sample(ctx context.Context, seed uint64) (*sample, error) {
	drawn, err := sketch.NewSample(h.mass.n, int(min(h.mass.n, estimateRows)), seed, "transport estimate "+h.side.String())
	if err != nil {
		return nil, err
	}
	s := &sample{number: drawn.Positions()}
	if s.rows, err = stream.GatherRows(ctx, h.src, s.number); err != nil {
		return nil, err
	}
	n := len(s.number)
	h.count(int64(n))
	s.u, s.approx, s.factor = make([]float64, n), make([]float64, n), matrix.New(n, h.factor.Width())
	featuresOf, scale := h.features(), h.scalings()
	for i, number := range s.number {
		f, err := featuresOf(matrix.Rows(s.rows, i, 1), number)
		if err != nil {
			return nil, err
		}
		scale(s.u[i:i+1], f)
		if !slices.Contains(h.number, number) {
			s.approx[i] = s.u[i]
		}
		copy(matrix.Row(s.factor, i), matrix.Row(f.factor, 0))
	}
	return s, nil
}

// estimate compares the plan with diag(u)·K·diag(v), with exact K, between sampled rows of the two sides. It neglects
// the dependence of u and v on the kernel.
func (p *lowRankIteration) estimate(ctx context.Context, f *Fit) error {
	left, err := p.left.sample(ctx, p.Seed)
	if err != nil {
		return err
	}
	right, err := p.right.sample(ctx, p.Seed)
	if err != nil {
		return err
	}
	exact := matrix.New(len(left.number), len(right.number))
	p.left.tiles.FillDense(exact, left.rows, &tiles.Rows{Dense: right.rows}, nil)
	p.left.entries += int64(len(exact.Data))
	core := matrix.Clone(p.right.factor.Lower(matrix.Transpose(right.factor)))
	dense.ScaleRows(core, p.factors.Values)
	off := dense.Mul(blas.NoTrans, left.factor, blas.NoTrans, p.left.factor.Lift(core))
	dense.Add(-1, exact, off)
	dense.ScaleRows(off, left.approx)
	dense.ScaleColumns(off, right.approx)
	dense.ScaleRows(exact, left.u)
	dense.ScaleColumns(exact, right.u)
	f.AddEstimate(model.Estimate{Quantity: model.PlanFrobenius, Value: dense.Frobenius(off) / dense.Frobenius(exact),
		Evidence: "exact kernel entries of sampled rows", Remedy: "raise the `Rank`, or take `Method exact`"})
	return nil
}
