package transport

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Fit is a plan, by its scalings, and what is known of it.
type Fit struct {
	*Model
	model.Report
	Rounds int
	Before int // rounds with larger ε, see [Sinkhorn].From
	// History are the errors after each round: ‖T1 − a‖₁, with Tᵀ1 = b. Where masses are
	// relaxed it is what another round would change of the masses of rows, relative to all
	// mass.
	History []float64
	Cost    float64 // ⟨T, C⟩
	// Value is what the fit minimises, ⟨T, C⟩ + ε·KL(T ‖ abᵀ), and where masses are relaxed
	// ρ·KL(T1 ‖ a) + ρ·KL(Tᵀ1 ‖ b) more, as the dual problem has it at u and v: a lower
	// bound that is reached with the last round.
	Value float64
	// Divergence is Value − (that of left to left + that of right to right)/2 (Feydy et al.
	// 2019, "Interpolating between optimal transport and MMD using Sinkhorn divergences"):
	// 0 or more for kernels that are positive definite, and 0 where the sides are equal.
	// NaN unless it was asked for.
	Divergence float64

	data     *Data
	solution solution
}

// solution is what an engine leaves.
type solution interface {
	// apply returns T·x, or Tᵀ·x for the right side, for and of all rows.
	apply(ctx context.Context, e stream.Engine, side model.Side, x blas64.General) (blas64.General, error)
}

// count returns how many rows a side has.
func (f *Fit) count(side model.Side) int64 {
	if side == model.Right {
		return f.Cols
	}
	return f.Rows
}

// Apply returns T·x for side Left, x having a row for each right row, and Tᵀ·x for side Right,
// with a row for each left row. Cost: all entries of K with the exact engine, and a pass over
// each source with the low-rank one, where T is that of the low-rank kernel.
func (f *Fit) Apply(ctx context.Context, e stream.Engine, side model.Side, x blas64.General) (blas64.General, error) {
	if n := f.count(1 - side); int64(x.Rows) != n {
		return blas64.General{}, fmt.Errorf("%d rows are given, and the other side has %d", x.Rows, n)
	}
	return f.solution.apply(ctx, e, side, x)
}

// MarginalError returns the error after the last round.
func (f *Fit) MarginalError() float64 { return f.History[len(f.History)-1] }

// judge notes whether the iteration has ended.
func (f *Fit) judge(s Sinkhorn) {
	if last := f.MarginalError(); !(last <= s.Tolerance) {
		f.Unsettled = true
		f.Note(fmt.Sprintf("after %d rounds the masses of rows are %.2g off, more than `tol` %.2g: raise `rounds`, or `epsilon`", f.Rounds, last, s.Tolerance))
	}
}

// finish adds the divergence and the map that was asked for. self solves the transport of a
// side to itself.
func (f *Fit) finish(ctx context.Context, e stream.Engine, s Sinkhorn, d *Data, self func(context.Context, *Data) (*Fit, error)) error {
	f.data, f.Divergence = d, math.NaN()
	f.Rows, f.Cols = d.Left.Info().Rows, d.Left.Info().Rows
	right := d.Left
	if !d.oneSource() {
		right = d.Right
		f.Cols = right.Info().Rows
	}
	f.Left.Names, f.Right.Names = right.Info().Columns, d.Left.Info().Columns
	if s.Divergence {
		if err := f.debias(ctx, d, self); err != nil {
			return err
		}
	}
	if s.Map == MapNearest {
		return f.keepNearest(ctx, e, s)
	}
	return nil
}

// debias works out the divergence.
func (f *Fit) debias(ctx context.Context, d *Data, self func(context.Context, *Data) (*Fit, error)) error {
	if d.oneSource() {
		f.Divergence = 0
		return nil
	}
	f.Divergence = f.Value
	passes := 0
	for _, side := range []model.Side{model.Left, model.Right} {
		s, err := self(ctx, d.side(side))
		if err != nil {
			return fmt.Errorf("the transport of the %v side to itself: %w", side, err)
		}
		f.Divergence -= s.Value / 2
		f.KernelEntries += s.KernelEntries
		f.ExactPasses += s.ExactPasses
		passes = max(passes, s.SourcePasses)
		for _, note := range s.Notes {
			f.Note(fmt.Sprintf("%v side to itself: %s", side, note))
		}
		f.Unsettled = f.Unsettled || s.Unsettled
	}
	f.SourcePasses += passes
	return nil
}
