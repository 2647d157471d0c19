package rkhs

import (
	"fmt"
	"testing"

	"github.com/nystream/nystream/internal/conformance"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// The accumulator passes the suite of all accumulators: any split, any order of merging,
// serialised in the middle, gives the same bits.
func TestConformance(t *testing.T) {
	conformance.Run(t, func() *moments { return newMoments(4) }, func(block int64) *moments {
		m := newMoments(4)
		rows := normal(9, 4, fmt.Sprint("block ", block))
		if err := m.factor.Add(rows); err != nil {
			t.Fatal(err)
		}
		m.rows = 9
		for i, place := range m.traces.numbers() {
			*place = rows.Data[i]
		}
		return m
	}, 11)
}

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
