package main

import (
	"fmt"

	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/solvers/lowrank"
)

// landmarkSolverOf is fit landmark: to a rank, to a tolerance, or refined by exact
// passes.
func landmarkSolverOf(c *fitCommand) solver {
	rule := map[string]lowrank.LandmarkShift{"centred": lowrank.ShiftCentred, "fitted": lowrank.ShiftFitted}
	method := lowrank.Landmark{Rank: c.rank, Sketch: c.sketch, NNZ: c.nnz, Choice: c.landmarkChoice(), Seed: c.seed, Shift: rule[c.shift.value], Precision: c.tiles()}
	switch {
	case c.refine != 0 && len(c.right) > 0:
		return c.refined(lowrank.Subspace{Start: lowrank.Landmark{Sketch: c.sketch, NNZ: c.nnz}})
	case c.refine != 0:
		passes := lowrank.Subspace{Start: lowrank.Landmark{Sketch: c.sketch, NNZ: c.nnz, Choice: c.landmarkChoice()}}
		if c.shift.value == "fitted" {
			passes.Shift = lowrank.SubspaceNone
		}
		return c.refined(passes)
	case c.tolerance != 0:
		return solver{Method: lowrank.Adaptive{Tolerance: c.tolerance, Rank: c.rank, Memory: int64(c.memory), Sketch: c.sketch, NNZ: c.nnz,
			Choice: c.landmarkChoice(), Seed: c.seed, Shift: rule[c.shift.value], Precision: c.tiles()}}
	}
	return solver{Method: method}
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
