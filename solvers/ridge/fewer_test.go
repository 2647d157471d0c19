package ridge

import (
	"math"
	"testing"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// curves returns rows, sorted by the first column, with targets of very different sizes, and weights.
func curves(t *testing.T, rows int) *Data {
	t.Helper()
	x, random := matrix.New(rows, 3), sketch.NewRandom(1, "curves")
	a, b, w := stream.Column{Kind: stream.Float64}, stream.Column{Kind: stream.Float64}, stream.Column{Kind: stream.Float64}
	for i := range rows {
		draws, row := random.At(uint64(i)), matrix.Row(x, i)
		row[0], row[1], row[2] = float64(i)/float64(rows), draws.Float64(), draws.Float64()
		a.Floats = append(a.Floats, 1e9*math.Sin(20*row[0])*row[1]+1e8*draws.Float64())
		b.Floats = append(b.Floats, 1e-9*math.Cos(9*row[1]+9*row[2]))
		w.Floats = append(w.Floats, float64(1+i%2))
	}
	fields := []stream.Field{{Name: "a", Kind: stream.Float64}, {Name: "b", Kind: stream.Float64}, {Name: "w", Kind: stream.Float64}}
	src, err := stream.Beside(stream.FromMatrix("x", x), fields, a, b, w)
	if err != nil {
		t.Fatal(err)
	}
	return &Data{Rows: src, Targets: []string{"a", "b"}}
}

// TestByLandmarks: errors with a quarter and half of the landmarks are those of fits with these landmarks.
func TestByLandmarks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		solver  Solver
		weights string
		off     float64 // of the penalty and the folds that are compared
	}{
		"penalty":    {Solver{Landmarks: 101, Penalties: []float64{1e-2}, Seed: 4}, "", 1e-9},
		"weights":    {Solver{Landmarks: 101, Penalties: []float64{1e-2}, Seed: 4}, "w", 1e-9},
		"search":     {Solver{Landmarks: 101}, "", 1e-2},
		"held out":   {Solver{Landmarks: 101, Penalties: []float64{1e-2}, Folds: 1}, "", 1e-9},
		"many folds": {Solver{Landmarks: 101, Penalties: []float64{1e-2}, Folds: 60}, "", 1e-9},
	} {
		d := curves(t, 600)
		d.Weights = c.weights
		chosen, err := c.solver.choose(t.Context(), stream.Engine{}, d, kernelgen.RBF(3), nil)
		if err != nil {
			t.Fatal(name, err)
		}
		told, err := chosen.byLandmarks(t.Context())
		if err != nil || len(told) != 3 || told[2].Landmarks != 101 {
			t.Fatal(name, told, err)
		}
		for _, of := range told[:2] {
			_, drawn, err := chosen.draw(t.Context())
			if err != nil {
				t.Fatal(name, err)
			}
			r, landmarks := chosen.raceOf(drawn), chosen.features.Landmarks
			some := landmarks.Pick(landmarks.Leading(of.Landmarks, chosen.Seed))
			if all, err := r.run(t.Context(), some, drawn); err != nil || len(all) != 1 {
				t.Fatal(name, err)
			}
			if want := math.Sqrt(r.candidates[0].lowest / 2); math.Abs(of.Error/want-1) > c.off {
				t.Errorf("%s: error %v with %d landmarks, of a fit %v", name, of.Error, of.Landmarks, want)
			}
		}
	}
}

// TestComparedParts: errors are compared on as many folds as have 2,000 rows.
func TestComparedParts(t *testing.T) {
	for _, c := range []struct {
		rows                int64
		folds, tested, want int
	}{{600, 5, 5, 5}, {9999, 5, 5, 2}, {10_000, 5, 5, 1}, {1e9, 5, 5, 1}, {1e4, 2, 1, 1}, {3000, 60, 60, 40}} {
		if got := (folding{parts: c.folds, tested: c.tested}).compared(c.rows); got != c.want {
			t.Errorf("%d rows in %d folds: %d, want %d", c.rows, c.folds, got, c.want)
		}
	}
}
