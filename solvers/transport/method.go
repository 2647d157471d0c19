package transport

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Method is any method that solves the problem with a Gibbs kernel.
type Method = model.Method[*Data, Fit]

// Sinkhorn has the settings of the iteration, for both engines. The zero value is ready to use.
type Sinkhorn struct {
	Epsilon float64 // ε; 0 means 1
	// MarginalPenalty is ρ, the cost of masses that are not preserved; 0 means that masses are preserved.
	MarginalPenalty float64
	// MarginalTol bounds ‖T1 − a‖₁, where Tᵀ1 = b; 0 means 1e-6. With a MarginalPenalty it bounds the change of the row
	// masses in an iteration, relative to the total mass.
	MarginalTol float64
	Iterations  int // limit, over all stages; 0 means 1000
	Seed        uint64
}

// settings sets the defaults. It returns an error if a setting is out of range.
func (s Sinkhorn) settings() (Sinkhorn, error) {
	s.Epsilon, s.MarginalTol, s.Iterations = cmp.Or(s.Epsilon, 1), cmp.Or(s.MarginalTol, 1e-6), cmp.Or(s.Iterations, 1000)
	positive := func(v float64) bool { return v > 0 && v <= math.MaxFloat64 }
	switch {
	case !positive(s.Epsilon):
		return s, fmt.Errorf("`Epsilon` %v must be positive and finite", s.Epsilon)
	case s.MarginalPenalty != 0 && !positive(s.MarginalPenalty):
		return s, fmt.Errorf("`MarginalPenalty` %v must be positive and finite", s.MarginalPenalty)
	case !positive(s.MarginalTol):
		return s, fmt.Errorf("`MarginalTol` %v must be positive and finite", s.MarginalTol)
	case s.Iterations < 1:
		return s, fmt.Errorf("`Iterations` %d must be at least 1", s.Iterations)
	}
	return s, nil
}

// exponent returns ρ/(ρ+ε).
func (s Sinkhorn) exponent() float64 {
	if s.MarginalPenalty == 0 {
		return 1
	}
	return s.MarginalPenalty / (s.MarginalPenalty + s.Epsilon)
}

// iterate calls step until the marginal error is within MarginalTol. step makes an iteration. It returns the error of
// the plan before it, and whether another iteration must follow. The history lacks the error of the last plan, which
// the caller measures and appends.
func (s Sinkhorn) iterate(ctx context.Context, step func(first bool) (before float64, more bool, err error)) (history []float64, err error) {
	for n := 1; ; n++ {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		before, more, err := step(n == 1)
		if err != nil {
			return nil, err
		}
		if n > 1 {
			history = append(history, before)
		}
		if n == s.Iterations || !more && before <= s.MarginalTol {
			return history, nil
		}
	}
}

// solver solves the problem between the rows of d.
type solver func(ctx context.Context, s Sinkhorn, d *Data, k kernelgen.Kernel) (*Fit, error)

// fit solves the problem.
func (s Sinkhorn) fit(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel, solve solver) (*Fit, error) {
	s, err := s.settings()
	if err != nil {
		return nil, err
	}
	if err := d.check(); err != nil {
		return nil, err
	}
	if k, err = family.Resolve(ctx, e, d, k, s.Seed); err != nil {
		return nil, err
	}
	f, err := solve(ctx, s, d, k)
	if err != nil {
		return nil, err
	}
	left, right := d.side(model.Left).Left.Info(), d.side(model.Right).Left.Info()
	f.Kernel, f.Epsilon, f.MarginalPenalty, f.Seed = k, s.Epsilon, s.MarginalPenalty, s.Seed
	f.Rows, f.Cols = left.Rows, right.Rows
	f.Left.Names, f.Right.Names = right.Columns, left.Columns
	return f, nil
}
