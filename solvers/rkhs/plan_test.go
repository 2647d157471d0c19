package rkhs

import (
	"testing"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// The memory of a plan does not grow with the pairs, but by their weights.
func TestPlanOfWeights(t *testing.T) {
	s := Solver{Operator: CCA{1}, Rank: 2, Engine: EngineLandmark, Landmarks: 50}
	shape := model.Shape{Rows: 1e8, Columns: 3, RightColumns: 2}
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

// TestPlanOfRoughKernels: the exact passes of kernels whose features no few rows span are
// planned, within a factor of two of those that a fit makes, and those of smooth kernels
// are not.
func TestPlanOfRoughKernels(t *testing.T) {
	s := Solver{Operator: Koopman{1e-3}, Task: Eigen, Rank: 3, Engine: EngineExact}
	shape := model.Shape{Rows: 2500, Columns: 2, RightColumns: 2}
	planned := map[string]int64{}
	for _, text := range []string{"rbf(sigma=0.5)", "rbf(gamma=median)", "matern52(length=0.5)", "matern32(length=0.5)", "laplace(gamma=median)"} {
		k, err := kernelgen.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.Plan(stream.Engine{}, shape, k)
		if err != nil {
			t.Fatal(err)
		}
		planned[text] = p.KernelEntries
	}
	// nystream fit operator of the quadruple well set evaluates 32,738,251 entries with the
	// first, 1,694,274,255 with matern32 and 3,842,766,838 with laplace(gamma=2).
	for text, counted := range map[string]float64{"rbf(sigma=0.5)": 32_738_251, "matern32(length=0.5)": 1_694_274_255, "laplace(gamma=median)": 3_842_766_838} {
		if r := float64(planned[text]) / counted; r < 0.5 || r > 2 {
			t.Errorf("%s: %d entries planned, %.0f evaluated", text, planned[text], counted)
		}
	}
	if planned["rbf(gamma=median)"] != planned["rbf(sigma=0.5)"] || planned["matern52(length=0.5)"] >= planned["matern32(length=0.5)"] {
		t.Errorf("planned: %v", planned)
	}
}
