package transport

import (
	"context"
	"fmt"
	"math"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Method is a way to solve the problem.
type Method interface {
	// Plan returns what Fit will cost.
	Plan(e stream.Engine, s model.Shape, k kernelgen.Kernel) (*model.Plan, error)
	// Fit finds the plan between the rows of d, with a Gibbs kernel.
	Fit(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel) (*Fit, error)
}

var (
	_ Method = Exact{}
	_ Method = LowRank{}
)

// Sinkhorn are the settings of the iteration that both engines have. The zero value is
// ready to use.
type Sinkhorn struct {
	Epsilon float64 // ε; 0 means 1
	// From is an ε to begin with: the iteration goes on with a quarter of it, and so on until
	// Epsilon, which takes fewer rounds where that is small; 0 for none. It is for the exact
	// engine.
	From float64
	// Relax is ρ, what a mass costs that is not kept; 0 means that masses are kept.
	Relax float64
	// Tolerance on ‖T1 − a‖₁, with Tᵀ1 = b; 0 means 1e-6. With relaxed masses it is on what
	// a round changes of the masses of rows, relative to all mass.
	Tolerance float64
	Rounds    int // at most; 0 means 1000
	// Divergence asks for the debiased divergence between the sides too, which takes the
	// transport of either side to itself.
	Divergence bool
	Map        Mapping
	Neighbours int // fitted rows of a side that a model with [MapNearest] keeps; 0 means 10,000
	Seed       uint64
	Memory     int64 // bytes that the plan may take; 0 for no limit
}

// settings fills in what was left to us, and refuses what cannot be.
func (s Sinkhorn) settings() (Sinkhorn, error) {
	if s.Epsilon == 0 {
		s.Epsilon = 1
	}
	if s.Tolerance == 0 {
		s.Tolerance = 1e-6
	}
	if s.Rounds == 0 {
		s.Rounds = 1000
	}
	if s.Neighbours == 0 {
		s.Neighbours = 10_000
	}
	positive := func(v float64) bool { return v > 0 && v <= math.MaxFloat64 }
	switch {
	case !positive(s.Epsilon):
		return s, fmt.Errorf("`epsilon` %v must be positive and finite", s.Epsilon)
	case s.From != 0 && !(positive(s.From) && s.From >= s.Epsilon):
		return s, fmt.Errorf("`epsilon-from` %v must be finite and at least `epsilon` %v", s.From, s.Epsilon)
	case s.Relax != 0 && !positive(s.Relax):
		return s, fmt.Errorf("`relax` %v must be positive and finite", s.Relax)
	case !positive(s.Tolerance):
		return s, fmt.Errorf("`tol` %v must be positive and finite", s.Tolerance)
	case s.Rounds < 1 || s.Neighbours < 1 || s.Memory < 0:
		return s, fmt.Errorf("`rounds` %d and `neighbours` %d must be at least 1, and `memory` %d not negative", s.Rounds, s.Neighbours, s.Memory)
	}
	return s, nil
}

// exponent returns ρ/(ρ+ε).
func (s Sinkhorn) exponent() float64 {
	if s.Relax == 0 {
		return 1
	}
	return s.Relax / (s.Relax + s.Epsilon)
}

// progress is an iteration under way.
type progress struct {
	Sinkhorn
	history []float64 // errors after each round
}

// iterate makes rounds until the error is within the tolerance. round returns the error of
// the plan before it, which its row sums have told; that of the last plan is for finish to
// add.
func (p *progress) iterate(ctx context.Context, round func(first bool) (before float64, err error)) (rounds int, err error) {
	for rounds = 1; ; rounds++ {
		if err := context.Cause(ctx); err != nil {
			return rounds, err
		}
		before, err := round(rounds == 1)
		if err != nil {
			return rounds, err
		}
		if rounds > 1 {
			p.history = append(p.history, before)
		}
		if rounds == p.Rounds || rounds > 1 && before <= p.Tolerance {
			return rounds, nil
		}
	}
}
