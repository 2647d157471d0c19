package ism

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// TestRestarts: more starts never end with a smaller J, and say which one was kept; in one of
// a few problems a random one is.
func TestRestarts(t *testing.T) {
	t.Parallel()
	elsewhere := 0
	for seed := uint64(1); seed <= 4; seed++ {
		x, labels, _ := informative(80, 8, 4, seed)
		d := &Data{Rows: source(x), Known: mustClasses(t, labels, 4)}
		k := kernelgen.Gaussian(0.7) // narrow: J has many maxima
		one := mustFit(t, Solver{Dim: 2, Seed: seed}, stream.Engine{}, d, k)
		more := mustFit(t, Solver{Dim: 2, Seed: seed, Restarts: 3}, stream.Engine{}, d, k)
		if more.Objective < one.Objective {
			t.Errorf("seed %d: J is %v, and %v from more starts", seed, one.Objective, more.Objective)
		}
		if same := slices.Equal(one.W.Data, more.W.Data); same != (more.Start == 0) {
			t.Errorf("seed %d: start %d is kept, and W is that of one start: %v", seed, more.Start, same)
		}
		if !strings.Contains(strings.Join(more.Notes, "\n"), "of 4 starts number ") {
			t.Errorf("seed %d: notes %q", seed, more.Notes)
		}
		if more.Start > 0 {
			elsewhere++
		}
	}
	if elsewhere == 0 {
		t.Error("no random start was kept")
	}
	x, first, _ := twoViews(200, 6)
	f := mustFit(t, Solver{Dim: 2, Paradigm: Unsupervised, Clusters: 3, Restarts: 2}, stream.Engine{}, &Data{Rows: source(x)}, medianGaussian)
	if len(f.Labels) != len(first) || math.IsNaN(f.Objective) || f.Embedding.Rows != len(first) {
		t.Errorf("%d labels, J %v, Y of %d rows", len(f.Labels), f.Objective, f.Embedding.Rows)
	}
}
