package rkhs

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// A fit that is far from exact says so, and names landmarks with which it is not.
func TestRemedy(t *testing.T) {
	x := normal(400, 1, "x")
	d := pairs(t, x, x)
	s := Solver{Operator: CrossCovariance{}, Rank: 5, Engine: EngineLandmark, Landmarks: 6}
	f := mustFit(t, s, d, kernelgen.RBF(2))
	if len(f.Errors) != 2 || !(f.Errors[1].Value > remedyError) {
		t.Fatalf("errors %v", f.Errors)
	}
	if _, err := fmt.Sscanf(f.Errors[1].Remedy, "raise `landmarks` to about %d", &s.Landmarks); err != nil || !strings.Contains(strings.Join(f.Notes, "\n"), f.Errors[1].Remedy) {
		t.Fatalf("remedy %q, notes %q", f.Errors[1].Remedy, f.Notes)
	}
	f = mustFit(t, s, d, kernelgen.RBF(2))
	if !(f.Errors[1].Value < remedyError) || f.Errors[1].Remedy != "" {
		t.Errorf("with %d landmarks errors are %v", s.Landmarks, f.Errors)
	}
}

// Operators without a solver for their inverses, and random features, have estimates too; that of
// all pairs has one that is not known.
func TestEstimatesOfAll(t *testing.T) {
	_, _, d := dependent(t, 60, 2, 2)
	for _, c := range []struct {
		s     Solver
		known bool
	}{
		{Solver{Operator: Koopman{}, Task: Eigen}, true},
		{Solver{Operator: PerronFrobenius{1e-2, true}}, true},
		{Solver{Operator: CCA{1e-2}, Task: Eigen}, true},
		{Solver{Operator: transposed{}}, true},
		{Solver{Operator: CrossCovariance{}, Random: true}, true},
		{Solver{Operator: Explicit{B: stream.FromMatrix("B", normal(60, 60, "B"))}}, false},
	} {
		c.s.Engine, c.s.Rank, c.s.Landmarks = EngineLandmark, 2, 20
		f := mustFit(t, c.s, d, kernelgen.RBF(0.5))
		if known := len(f.Errors) > 0 && !math.IsNaN(f.Errors[0].Value); known != c.known || len(f.Errors) == 0 {
			t.Errorf("operator %s: errors %v", c.s.Operator, f.Errors)
		}
	}
}

// What was sampled stands for all pairs: those that were singled out with their own weights.
func TestStratified(t *testing.T) {
	d, err := Pairs(stream.FromMatrix("x", normal(500, 1, "x")), stream.FromMatrix("y", normal(500, 1, "y")))
	if err != nil {
		t.Fatal(err)
	}
	far := &farthest{most: 10}
	for i := range int64(500) {
		far.add(i, float64(i))
	}
	far.cut()
	numbers, weights := d.stratified(50, far, 1)
	sum := 0.0
	for i, n := range numbers {
		sum += weights[i]
		if n >= 490 && math.Abs(weights[i]-1./500) > 1e-15 {
			t.Errorf("pair %d has weight %v", n, weights[i])
		}
	}
	if len(numbers) < 40 || numbers[len(numbers)-10] != 490 || math.Abs(sum-1) > 1e-12 {
		t.Errorf("%d pairs, weights of %v in sum", len(numbers), sum)
	}
}
