package transport

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// pair is a low-rank solution under way.
type pair struct {
	Sinkhorn
	engine      stream.Engine
	factors     *lowrank.Model
	left, right *half
	limit       int // repaired rows of a side
}

func newPair(ctx context.Context, e stream.Engine, s Sinkhorn, d *Data, factors *lowrank.Model) (*pair, error) {
	p := &pair{Sinkhorn: s, engine: e, factors: factors}
	var halves [2]*half
	for i, side := range []model.Side{model.Left, model.Right} {
		mass, err := d.masses(side)
		if err != nil {
			return nil, err
		}
		halves[i] = &half{side: side, src: d.side(side).Left, mass: mass, kernel: factors.Kernel, factor: factors.Factor(side), place: map[int64]int{}}
	}
	p.left, p.right = halves[0], halves[1]
	p.left.other, p.right.other = p.right, p.left
	p.limit = max(64, p.left.factor.Entries())
	if (p.left.mass.n+p.right.mass.n)*int64(len(factors.Values)) > HeldNumbers {
		return p, nil
	}
	for _, h := range halves {
		if err := h.hold(ctx, e, factors); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// solve iterates, and makes a fit of what is found.
func (p *pair) solve(ctx context.Context) (*Fit, error) {
	if err := p.begin(ctx); err != nil {
		return nil, err
	}
	var used scaling // that u is made of
	it := &progress{Sinkhorn: p.Sinkhorn}
	rounds, err := it.iterate(ctx, func(bool) (float64, error) {
		left, err := p.half(ctx, p.left, used)
		if err != nil {
			return 0, err
		}
		used.coef, used.exact = p.left.coef, p.left.exact
		if err := p.pass(ctx, p.left, left); err != nil {
			return 0, err
		}
		right, err := p.half(ctx, p.right, scaling{})
		if err != nil {
			return 0, err
		}
		return left.change / left.mass, p.pass(ctx, p.right, right)
	})
	if err != nil {
		return nil, err
	}
	return p.finish(ctx, it, rounds, used)
}

// begin makes v = b.
func (p *pair) begin(ctx context.Context) error {
	right, err := p.right.scale(ctx, p.engine, "begin", scaling{exponent: p.exponent()}, 1)
	if err != nil {
		return err
	}
	return p.pass(ctx, p.right, right)
}

// half makes the scalings of a side, and repairs rows until all of its products are
// positive.
func (p *pair) half(ctx context.Context, h *half, before scaling) (*sums, error) {
	for {
		before.exponent = p.exponent()
		if before.coef != nil { // rows were repaired since: what u was made of had no part in them
			before.coef, before.exact = h.padded(before)
		}
		room := p.limit - len(h.number)
		s, err := h.scale(ctx, p.engine, "round, "+h.side.String(), before, room+1)
		if err != nil || s.bad == 0 {
			return s, err
		}
		if s.bad > int64(room) {
			return nil, &notPositive{side: h.side, rows: s.bad + int64(len(h.number)), limit: p.limit, rank: len(p.factors.Values)}
		}
		h.repair(s.number, s.badRows)
		other, err := h.other.scale(ctx, p.engine, "repair", scaling{exponent: p.exponent()}, 1)
		if err != nil {
			return nil, err
		}
		if err := p.pass(ctx, h.other, other); err != nil {
			return nil, err
		}
		for k, v := range h.exact {
			if !(v > 0) || math.IsInf(v, 1) {
				return nil, &stream.BadValueError{Source: h.src.Info().Name, Row: h.number[k], Column: "(all)",
					Reason: fmt.Sprintf("the sum of kernel %s over the other side is %v, so that no plan reaches this row: take a wider kernel or a larger `epsilon`, or `engine exact`, which has logarithms", p.factors.Kernel, v)}
			}
		}
	}
}

// padded returns what u was made of, for as many sections and repaired rows as there are
// now. A row that was repaired since had no u: its change counts as if it had had no mass.
func (h *half) padded(s scaling) (coef, exact []float64) {
	coef = append(s.coef[:len(s.coef):len(s.coef)], make([]float64, h.width()+len(h.other.number)-len(s.coef))...)
	exact = s.exact[:len(s.exact):len(s.exact)]
	for range len(h.number) - len(s.exact) {
		exact = append(exact, math.Inf(1))
	}
	return coef, exact
}

// pass gives the sums over one side to the other: the coefficients of its products.
func (p *pair) pass(_ context.Context, h *half, s *sums) error {
	z := h.lower(column(s.factor))
	dense.ScaleRows(z, p.factors.Values)
	o := h.other
	coef := o.lift(z).Data
	if h.coef == nil { // in the beginning
		u := make([]float64, len(h.number))
		for k, number := range h.number {
			u[k] = h.mass.at(number)
		}
		o.coef = append(coef, u...)
	} else {
		o.coef = append(coef, h.exactScalings(p.exponent())...)
	}
	o.exact = s.sections
	for _, v := range o.coef {
		if v-v != 0 {
			return fmt.Errorf("the products of the low-rank kernel overflow: take a larger `epsilon`, or `engine exact`")
		}
	}
	return nil
}

func column(v []float64) blas64.General {
	return blas64.General{Rows: len(v), Cols: 1, Stride: 1, Data: v}
}
