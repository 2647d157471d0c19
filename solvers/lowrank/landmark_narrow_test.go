package lowrank

import (
	"context"
	"slices"
	"testing"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// narrowed fits a core of all directions, or of those that are carried, and measures it between
// sampled rows, or all if sample is 0.
func narrowed(t *testing.T, m Landmark, src stream.Source, k kernelgen.Kernel, narrow bool, sample int) (directions, core int, v *model.Verification) {
	t.Helper()
	ctx, e := context.Background(), stream.Engine{}
	f, err := m.stream(ctx, e, src, k)
	if err != nil {
		t.Fatal(err)
	}
	if narrow {
		if err := f.narrow(ctx, e); err != nil {
			t.Fatal(err)
		}
	}
	directions, core = f.side.Rank(), len(f.core.number)
	for _, j := range f.landmarks.number {
		if _, is := slices.BinarySearch(f.core.number, j); !is {
			t.Fatalf("landmark %d is no core point", j)
		}
	}
	if err := f.fitCore(ctx, e); err != nil {
		t.Fatal(err)
	}
	v, err = f.model(m.Rank).Verify(ctx, e, model.Sources{Left: src}, sample, 1)
	if err != nil {
		t.Fatal(err)
	}
	return directions, core, v
}

// Where all rows are core points, few directions do for what all would: for eigenvalues that
// fall slowly and fast, and landmarks whose kernel is singular to rounding. Where much is left
// out, all are carried.
func TestNarrow(t *testing.T) {
	src := stream.FromMatrix("x", clusters(700, 8, 3))
	for gamma, carried := range map[float64]int{20: 80, 1: 50, 0.3: 50, 0.001: 50} {
		for _, precision := range []Precision{Float64, Float32} {
			m := Landmark{Rank: 20, Seed: 2, Precision: precision}
			all, _, want := narrowed(t, m, src, kernelgen.RBF(gamma), false, 0)
			few, _, got := narrowed(t, m, src, kernelgen.RBF(gamma), true, 0)
			if few != min(carried, all) {
				t.Errorf("gamma %v: %d of %d directions are carried, want %d", gamma, few, all, carried)
			}
			t.Logf("gamma %v, %v: %d of %d directions; errors %.4g and %.4g, with all %.4g and %.4g", gamma, precision, few, all,
				got.SpectralError, got.FrobeniusError, want.SpectralError, want.FrobeniusError)
			const rounding = 1e-6 // of float32
			if got.SpectralError > 1.05*want.SpectralError+rounding || got.FrobeniusError > 1.05*want.FrobeniusError+rounding {
				t.Errorf("gamma %v, %v: errors %.4g and %.4g, with all directions %.4g and %.4g", gamma, precision,
					got.SpectralError, got.FrobeniusError, want.SpectralError, want.FrobeniusError)
			}
		}
	}
}

// So they do on a sample of rows, with as many core points for each. Where the spectrum falls
// slowly, all are carried.
func TestNarrowSampled(t *testing.T) {
	inTheLarge(t)
	src := stream.FromMatrix("x", clusters(2100, 8, 3))
	m := Landmark{Rank: 200, Sketch: 300, Seed: 2, Choice: ChoiceUniform}
	all, points, want := narrowed(t, m, src, kernelgen.RBF(1), false, 1000)
	few, core, got := narrowed(t, m, src, kernelgen.RBF(1), true, 1000)
	if few != 500 || core != points*few/all {
		t.Errorf("%d of %d directions are carried on %d of %d core points, want 500", few, all, core, points)
	}
	t.Logf("%d of %d directions, %d of %d core points; errors %.4g and %.4g, with all %.4g and %.4g", few, all, core, points,
		got.SpectralError, got.FrobeniusError, want.SpectralError, want.FrobeniusError)
	if got.SpectralError > 1.05*want.SpectralError || got.FrobeniusError > 1.05*want.FrobeniusError {
		t.Errorf("errors %.4g and %.4g, with all %.4g and %.4g", got.SpectralError, got.FrobeniusError, want.SpectralError, want.FrobeniusError)
	}
	f, err := m.stream(context.Background(), stream.Engine{}, src, kernelgen.RBF(20))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.narrow(context.Background(), stream.Engine{}); err != nil {
		t.Fatal(err)
	}
	if f.side.Rank() != 800 || len(f.core.number) != points {
		t.Errorf("slow spectrum: %d directions are carried on %d core points, want 800 on %d", f.side.Rank(), len(f.core.number), points)
	}
}

// A kernel that is not positive definite has all.
func TestNarrowNot(t *testing.T) {
	if k, _, _ := narrowed(t, Landmark{Rank: 20, Seed: 2}, stream.FromMatrix("x", clusters(300, 8, 3)), kernelgen.Sigmoid(1, -1), true, 0); k == 50 {
		t.Errorf("%d directions are carried of an indefinite kernel", k)
	}
}
