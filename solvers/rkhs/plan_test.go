package rkhs

import (
	"testing"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// TestPlanOfWeights: the memory of a plan does not grow with the number of pairs, except for their weights.
func TestPlanOfWeights(t *testing.T) {
	s := Solver{Operator: CCA{1}, Rank: 2, Algorithm: AlgorithmLandmark, Landmarks: 50}
	shape := model.Size{Rows: 1e8, Columns: 3, RightColumns: 2}
	without, err := s.Plan(stream.Engine{}, shape, kernelgen.RBF(1))
	if err != nil {
		t.Fatal(err)
	}
	shape.Weighted = true
	with, err := s.Plan(stream.Engine{}, shape, kernelgen.RBF(1))
	if err != nil {
		t.Fatal(err)
	}
	if more := with.Memory.Total() - without.Memory.Total(); more != 8e8 || without.Memory.Total() > 200<<20 {
		t.Errorf("%d bytes, and %d more with weights", without.Memory.Total(), more)
	}
}
