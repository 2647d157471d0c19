package ridge_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/ridge"
	"github.com/nystream/nystream/stream"
)

// raceData returns rows with a smooth target and noise, of which a share weighs twice as much.
func raceData(t *testing.T, rows int) *ridge.Data {
	t.Helper()
	x, random := matrix.New(rows, 3), sketch.NewRandom(1, "race")
	y, w := stream.Column{Kind: stream.Float64}, stream.Column{Kind: stream.Float64}
	for i := range rows {
		draws, row := random.At(uint64(i)), matrix.Row(x, i)
		for j := range row {
			row[j] = draws.Float64()
		}
		y.Floats = append(y.Floats, math.Sin(4*row[0])+row[1]*row[2]+0.1*draws.Float64())
		w.Floats = append(w.Floats, float64(1+i%2))
	}
	fields := []stream.Field{{Name: "y", Kind: stream.Float64}, {Name: "w", Kind: stream.Float64}}
	src, err := stream.Beside(stream.FromMatrix("x", x), fields, y, w)
	if err != nil {
		t.Fatal(err)
	}
	return &ridge.Data{Rows: src, Targets: []string{"y"}}
}

// raceKernel parses a kernel.
func raceKernel(t *testing.T, text string) kernelgen.Kernel {
	t.Helper()
	k, err := kernelgen.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestRace: above 2,000 rows, poor kernels leave after a quarter of the landmarks. The model has the bits of a fit with
// the chosen kernel alone, for any number of threads, with weights and given penalties.
func TestRace(t *testing.T) {
	good, rough := raceKernel(t, "rbf(gamma=2)"), raceKernel(t, "laplace(gamma=50)")
	flat := raceKernel(t, "rbf(gamma=1e-3)")
	for name, c := range map[string]struct {
		rows, landmarks int
		penalties       []float64
		weights         string
		left            int
	}{
		"few rows":      {rows: 2000, landmarks: 500},
		"few landmarks": {rows: 2200, landmarks: 499},
		"many":          {rows: 2200, landmarks: 500, left: 1},
		"weights":       {rows: 2200, landmarks: 500, weights: "w", left: 1},
		"penalty":       {rows: 2200, landmarks: 500, penalties: []float64{1e-3}, left: 1},
	} {
		d := raceData(t, c.rows)
		d.Weights = c.weights
		s := ridge.Solver{Landmarks: c.landmarks, Penalties: c.penalties, Kernels: []kernelgen.Kernel{good, flat}, Seed: 3}
		fits := [2]*ridge.Fit{}
		for i := range fits {
			var err error
			if fits[i], err = s.Fit(t.Context(), stream.Engine{Threads: 1 + i}, d, rough); err != nil {
				t.Fatal(name, err)
			}
		}
		f, left := fits[0], 0
		for i, k := range f.Kernels {
			if k.Raced != fits[1].Kernels[i].Raced || k.Error != fits[1].Kernels[i].Error {
				t.Errorf("%s: the race depends on threads", name)
			}
			if k.Raced > 0 {
				left++
			}
		}
		ordered := f.Kernel.String() == good.String() && f.Kernels[0].Kernel.String() == rough.String()
		if left < c.left || c.left == 0 && left > 0 || !ordered {
			t.Errorf("%s: %d kernels left, and %s was chosen: %+v", name, left, f.Kernel, f.Kernels)
		}
		s.Kernels = nil
		alone, err := s.Fit(t.Context(), stream.Engine{}, d, good)
		if err != nil {
			t.Fatal(err)
		}
		if c.left > 0 && !sameBits(f.Coefficients, alone.Coefficients) || !sameBits(f.Coefficients, fits[1].Coefficients) {
			t.Errorf("%s: the model is not that of its kernel alone, or depends on threads", name)
		}
	}
}

// sameBits reports whether two matrices have the same bits.
func sameBits(a, b blas64.General) bool {
	for i := range a.Rows {
		for j, v := range matrix.Row(a, i) {
			if v != matrix.Row(b, i)[j] {
				return false
			}
		}
	}
	return a.Rows == b.Rows
}

// TestPlanOfRace: the plan of a race has the memory of two kernels, not of all, and counts its entries.
func TestPlanOfRace(t *testing.T) {
	d, k := raceData(t, 2200), raceKernel(t, "rbf(gamma=2)")
	others := []kernelgen.Kernel{raceKernel(t, "laplace(gamma=50)"), raceKernel(t, "rbf(gamma=1e-3)"), k}
	s := ridge.Solver{Landmarks: 1000, Kernels: others}
	four, err := s.Plan(stream.Engine{Threads: 1}, d.Size(), k)
	if err != nil {
		t.Fatal(err)
	}
	s.Kernels = s.Kernels[:1]
	two, err := s.Plan(stream.Engine{Threads: 1}, d.Size(), k)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := four.Memory.Total(), two.Memory.Total(); float64(a) > 1.1*float64(b) {
		t.Errorf("four kernels ask for %d bytes, and two for %d", a, b)
	}
}
