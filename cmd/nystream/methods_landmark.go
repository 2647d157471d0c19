package main

import (
	"context"
	"fmt"

	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/stream"
)

// landmarkSolverOf is fit landmark: to a rank, to a tolerance, or refined by exact
// passes.
func landmarkSolverOf(c *fitCommand) solver {
	rule := map[string]lowrank.LandmarkShift{"centred": lowrank.ShiftCentred, "fitted": lowrank.ShiftFitted}
	method := lowrank.Landmark{Rank: c.rank, Sketch: c.sketch, NNZ: c.nnz, Choice: c.landmarkChoice(), Seed: c.seed, Shift: rule[c.shift.value], Precision: c.tiles()}
	switch {
	case c.refine != 0 && len(c.right) > 0:
		return c.refinedSVD(lowrank.Landmark{Sketch: c.sketch, NNZ: c.nnz})
	case c.refine != 0:
		passes := lowrank.Subspace{Rank: c.rank, Passes: c.refine, Sketch: c.sketch, NNZ: c.nnz, Choice: c.landmarkChoice(), Seed: c.seed}
		if c.shift.value == "fitted" {
			passes.Shift = lowrank.SubspaceNone
		}
		return subspaceSolver{passes, c.tiles(), c.refine, "--refine"}
	case c.tolerance != 0:
		return toleranceSolver{lowrank.Adaptive{Landmark: method, Tolerance: c.tolerance, Memory: int64(c.memory)}}
	}
	return landmarkSolver{method}
}

type landmarkSolver struct{ lowrank.Landmark }

func (s landmarkSolver) plan(e stream.Engine, n shape) (*lowrank.Plan, error) {
	if n.right > 0 {
		return s.PlanRect(e, n.left, n.right, n.columns)
	}
	return s.Plan(e, n.left, n.columns)
}

func (s landmarkSolver) fit(ctx context.Context, e stream.Engine, src sources, k kernelgen.Kernel) (*fitted, error) {
	if src.right != nil {
		return kernelFit(s.FitRect(ctx, e, src.left, src.right, k))
	}
	return kernelFit(s.Fit(ctx, e, src.left, k))
}

// toleranceSolver finds the rank.
type toleranceSolver struct{ lowrank.Adaptive }

func (s toleranceSolver) plan(e stream.Engine, n shape) (*lowrank.Plan, error) {
	return s.Plan(e, n.left, n.columns)
}

func (s toleranceSolver) fit(ctx context.Context, e stream.Engine, src sources, k kernelgen.Kernel) (*fitted, error) {
	f, err := s.Fit(ctx, e, src.left, k)
	if err != nil {
		return nil, err
	}
	return toleranceFit(f)
}

// toleranceFit is a fit to a tolerance in the common shape.
func toleranceFit(f *lowrank.AdaptiveFit) (*fitted, error) {
	out, err := kernelFit(f.Fit, nil)
	if err == nil {
		out.reached = &f.Reached
		for _, s := range f.Steps {
			out.steps = append(out.steps, toleranceStep{s.Landmarks, s.Rank, show.Number(s.Estimate)})
		}
	}
	return out, err
}

// toleranceStep is a pass on the way to a tolerance.
type toleranceStep struct {
	Landmarks int         `json:"landmarks"`
	Rank      int         `json:"rank"`
	Estimate  show.Number `json:"spectral_error_estimate"`
}

func (s toleranceStep) String() string {
	return fmt.Sprintf("%d landmarks: rank %d, about %.2g", s.Landmarks, s.Rank, float64(s.Estimate))
}
