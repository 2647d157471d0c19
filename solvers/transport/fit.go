package transport

import (
	"fmt"

	"github.com/nystream/nystream/solvers/model"
)

// Fit is a plan, represented by its scalings, and its report.
type Fit struct {
	*Model
	model.Report
	Iterations int // of all stages
	// History has the marginal error after each iteration: ‖T1 − a‖₁, where Tᵀ1 = b. With a
	// marginal penalty it has the change that another iteration would make to the row masses, relative to all mass. T is
	// the plan of the stage's ε.
	History []float64
	Cost    float64 // ⟨T, C⟩; NaN if the engine does not know it
	// Value is the minimum, ⟨T, C⟩ + ε·KL(T ‖ abᵀ), with a marginal penalty + ρ·KL(T1 ‖ a) + ρ·KL(Tᵀ1 ‖ b). It is the
	// value of the dual problem at u and v: a lower bound, reached when the iteration converges. Minus half of the
	// values of each side to itself, it is the Sinkhorn divergence (Feydy et al. 2019, "Interpolating between optimal
	// transport and MMD using Sinkhorn divergences").
	Value float64
}

// MarginalError returns the error after the last iteration.
func (f *Fit) MarginalError() float64 { return f.History[len(f.History)-1] }

// judge reports whether the iteration converged.
func (f *Fit) judge(tol float64) {
	if last := f.MarginalError(); !(last <= tol) {
		f.NotConverged = true
		f.Warn(fmt.Sprintf("after %d iterations the masses of rows are %.2g off, more than `MarginalTol` %.2g: "+
			"raise `Iterations`, or `Epsilon`", f.Iterations, last, tol))
	}
}
