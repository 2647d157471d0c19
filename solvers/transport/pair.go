package transport

import (
	"context"
	"errors"
	"fmt"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// lowRankIteration is the state of the iteration with a low-rank kernel.
type lowRankIteration struct {
	Sinkhorn
	engine      stream.Engine
	factors     *lowrank.Model
	left, right *half
	limit       int  // limit of the repaired rows of a side
	one         bool // both sides are the rows of one source
}

// newLowRankIteration returns the iteration before its first step. Factors of at most [HeldNumbers] numbers are
// computed once and held; larger ones are recomputed in each pass.
func newLowRankIteration(ctx context.Context, e stream.Engine, s Sinkhorn, d *Data,
	factors *lowrank.Model) (*lowRankIteration, error) {
	p := &lowRankIteration{Sinkhorn: s, engine: e, factors: factors, one: d.oneSource()}
	var halves [2]*half
	for i, side := range []model.Side{model.Left, model.Right} {
		mass, err := d.masses(side)
		if err != nil {
			return nil, err
		}
		halves[i] = &half{side: side, src: d.side(side).Left, mass: mass, exponent: s.exponent(), tiles: tiles.Plain(factors.Kernel),
			values: factors.Values, factor: factors.Factor(side)}
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

// maxRepairs limits the repairs of a fit. Plans that need more are off by a third or worse: the kernel is too coarse.
const maxRepairs = 10

// errRepaired reports that rows were repaired.
var errRepaired = errors.New("rows were repaired")

// solve iterates, and returns the fit with its maps. A repair changes the kernel, so the iteration restarts.
func (p *lowRankIteration) solve(ctx context.Context) (*Fit, error) {
	for range maxRepairs {
		p.left.product, p.right.product = nil, nil
		p.left.scaledFrom, p.right.scaledFrom = nil, nil
		if _, err := p.half(ctx, p.right, false); errors.Is(err, errRepaired) {
			continue
		} else if err != nil {
			return nil, err
		}
		history, err := p.iterate(ctx, func(first bool) (before float64, more bool, err error) {
			left, err := p.half(ctx, p.left, true)
			if err != nil {
				return 0, false, err
			}
			_, err = p.half(ctx, p.right, false)
			return left.change, first, err
		})
		if errors.Is(err, errRepaired) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return p.finish(ctx, history)
	}
	return nil, fmt.Errorf("the kernel of rank %d is too coarse: after %d repairs more sums of rows are not positive; %s",
		len(p.factors.Values), maxRepairs, finerKernel)
}

// half computes the scalings of a side, and the products of the other. It returns errRepaired if it repaired rows
// instead.
func (p *lowRankIteration) half(ctx context.Context, h *half, compare bool) (*scalingResult, error) {
	room := p.limit - len(h.number)
	s, err := h.scale(ctx, p.engine, compare, room+1)
	if err != nil {
		return nil, err
	}
	switch {
	case s.bad > int64(room):
		return nil, p.refuse(h, s.bad)
	case s.bad > 0:
		h.repair(s.number, s.rows)
		return nil, errRepaired
	}
	return s, p.pass(h, s.ones)
}

// errTooCoarse is wrapped by the error for a kernel with too many products that are not positive.
var errTooCoarse = errors.New("gives no plan")

// refuse returns the error for a kernel with bad further rows of a side whose products are not positive.
func (p *lowRankIteration) refuse(h *half, bad int64) error {
	return fmt.Errorf("the kernel of rank %d %w: its sums over %d rows of the %v side, and perhaps more, are not positive "+
		"or overflow, and up to %d are made exact; %s", len(p.factors.Values), errTooCoarse, bad+int64(len(h.number)), h.side,
		p.limit, finerKernel)
}

// pass passes the sums of ones over one side to the other, for its products.
func (p *lowRankIteration) pass(h *half, ones *weightedSums) error {
	if !dense.Finite(ones.core) || !dense.Finite(ones.own) || !dense.Finite(ones.sections) {
		return p.refuse(h, 1)
	}
	o := h.other
	for k, v := range ones.sections.Data {
		if !(v > 0) {
			return stream.NewValueError(o.src.Info().Name, o.number[k], "",
				"the sum of kernel %s over the other side is %v, so that no plan reaches this row", p.factors.Kernel, v).
				WithRemedy("take a wider kernel or a larger `Epsilon`, or `Method exact`, which has logarithms")
		}
	}
	o.product = ones
	return nil
}
