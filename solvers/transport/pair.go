package transport

import (
	"context"
	"errors"
	"fmt"
	"slices"

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
	limit       int        // repaired rows of a side
	used        [2]scaling // that u and v of the solution are made of
	one         bool       // both sides are the rows of one source
}

func newPair(ctx context.Context, e stream.Engine, s Sinkhorn, d *Data, factors *lowrank.Model) (*pair, error) {
	p := &pair{Sinkhorn: s, engine: e, factors: factors, one: d.oneSource()}
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

// restarts is how often the iteration begins at most. Plans that take more are a third and more
// off: their kernel is too coarse.
const restarts = 10

// solve iterates, and makes a fit of what is found. Where rows are repaired it begins anew: the
// kernel is one for all rounds.
func (p *pair) solve(ctx context.Context) (*Fit, error) {
	for range restarts {
		it := &progress{Sinkhorn: p.Sinkhorn}
		f, err := p.begin(ctx, it)
		if !errors.Is(err, errRepaired) {
			return f, err
		}
	}
	return nil, fmt.Errorf("the kernel of rank %d is too coarse: after %d repairs more sums of rows are not positive; %s",
		len(p.factors.Values), restarts, finerKernel)
}

// errRepaired says that rows were repaired, and that the iteration begins anew.
var errRepaired = errors.New("rows were repaired")

// begin iterates from v = b.
func (p *pair) begin(ctx context.Context, it *progress) (*Fit, error) {
	p.left.coef, p.right.coef = nil, nil
	if _, err := p.half(ctx, p.right, scaling{}); err != nil {
		return nil, err
	}
	var used scaling // that u is made of
	rounds, err := it.iterate(ctx, func(bool) (float64, error) {
		made := p.left.now()
		left, err := p.half(ctx, p.left, used)
		if err != nil {
			return 0, err
		}
		used = made
		_, err = p.half(ctx, p.right, scaling{})
		return left.change / left.mass, err
	})
	if err != nil {
		return nil, err
	}
	return p.finish(ctx, it, rounds, used)
}

// half makes the scalings of a side, and the products of the other.
func (p *pair) half(ctx context.Context, h *half, before scaling) (*sums, error) {
	before.exponent = p.exponent()
	room := p.limit - len(h.number)
	s, err := h.scale(ctx, p.engine, "round, "+h.side.String(), before, room+1)
	if err != nil {
		return nil, err
	}
	switch {
	case s.bad > int64(room):
		return nil, p.refused(h, s.bad)
	case s.bad > 0:
		h.repair(s.number, s.badRows)
		return nil, errRepaired
	}
	return s, p.pass(h, s)
}

// refused returns the error of a kernel whose products with so many more rows of a side are
// not positive.
func (p *pair) refused(h *half, bad int64) error {
	return &notPositive{side: h.side, rows: bad + int64(len(h.number)), limit: p.limit, rank: len(p.factors.Values)}
}

// pass gives the sums over one side to the other: the coefficients of its products.
func (p *pair) pass(h *half, s *sums) error {
	z := h.lower(column(slices.Clone(s.factor)))
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
	for _, v := range append(o.coef, o.exact...) {
		if v-v != 0 {
			return p.refused(h, 1)
		}
	}
	for k, v := range o.exact {
		if !(v > 0) {
			return &stream.BadValueError{Source: o.src.Info().Name, Row: o.number[k],
				Reason: fmt.Sprintf("the sum of kernel %s over the other side is %v, so that no plan reaches this row: take a wider kernel or a larger `epsilon`, or `engine exact`, which has logarithms", p.factors.Kernel, v)}
		}
	}
	return nil
}

func column(v []float64) blas64.General {
	return blas64.General{Rows: len(v), Cols: 1, Stride: 1, Data: v}
}
