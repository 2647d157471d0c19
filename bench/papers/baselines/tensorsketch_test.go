package baselines

import (
	"math"
	"slices"
	"testing"

	"github.com/nystream/nystream/sketch"
)

// normals returns n standard normal numbers.
func normals(n int, item uint64) []float64 {
	d := sketch.NewRandom(7, "tensor sketch test").At(item)
	x := make([]float64, n)
	for i := range x {
		x[i] = d.Normal()
	}
	return x
}

func drawTensorSketch(t *testing.T, dim, cols, degree int, seed uint64) *tensorSketch {
	t.Helper()
	s, err := newTensorSketch(dim, cols, degree, seed, "test")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// denseTensorSketch sums all dim^degree products of the tensor power by the
// definition.
func denseTensorSketch(s *tensorSketch, x []float64) []float64 {
	out := make([]float64, s.cols)
	var visit func(t, hash int, product float64)
	visit = func(t, hash int, product float64) {
		if t == s.degree {
			out[hash%s.cols] += product
			return
		}
		for i, v := range x {
			visit(t+1, hash+s.hash(t)[i], product*s.sign(t)[i]*v)
		}
	}
	visit(0, 0, 1)
	return out
}

// TestTensorSketchDefinition: the transforms give what the definition says, to
// rounding, for columns with any factors.
func TestTensorSketchDefinition(t *testing.T) {
	for _, cols := range []int{1, 2, 3, 7, 16, 30, 61, 97} {
		for degree := 1; degree <= 5; degree++ {
			s := drawTensorSketch(t, 5, cols, degree, uint64(cols))
			x := normals(5, uint64(degree))
			got := make([]float64, cols)
			s.sketcher().apply(got, x)
			want := denseTensorSketch(s, x)
			norm := 0.0
			for _, v := range x {
				norm += math.Abs(v)
			}
			for i := range got {
				if e := math.Abs(got[i] - want[i]); !(e <= 0x1p-52*float64(max(4, cols))*math.Pow(norm, float64(degree))) {
					t.Errorf("%d columns, degree %d: entry %d is %g, by definition %g", cols, degree, i, got[i], want[i])
				}
			}
		}
	}
}

// TestTensorSketchUnbiased: over seeds the mean of S(x)·S(y) is (x·y)^p within
// four standard errors, and the variance is within the bound.
func TestTensorSketchUnbiased(t *testing.T) {
	const seeds, cols = 4000, 32
	x, y := normals(6, 1), normals(6, 2)
	for i := range y {
		y[i] = 0.7*x[i] + 0.5*y[i]
	}
	u, v := make([]float64, cols), make([]float64, cols)
	for degree := 1; degree <= 4; degree++ {
		sum, squares := 0.0, 0.0
		for seed := range uint64(seeds) {
			s := drawTensorSketch(t, 6, cols, degree, seed)
			w := s.sketcher()
			w.apply(u, x)
			w.apply(v, y)
			p := inner(u, v)
			sum += p
			squares += p * p
		}
		mean := sum / seeds
		variance := squares/seeds - mean*mean
		want := math.Pow(inner(x, y), float64(degree))
		if e := math.Abs(mean-want) / math.Sqrt(variance/seeds); !(e <= 4) {
			t.Errorf("degree %d: mean %g, want %g: %.1f standard errors", degree, mean, want, e)
		}
		p := float64(degree)
		bound := (math.Pow(3, p) - 1) * math.Pow(inner(x, x)*inner(y, y), p) / cols
		if !(variance <= bound) || variance == 0 {
			t.Errorf("degree %d: variance %g, bound %g", degree, variance, bound)
		}
	}
}

func inner(x, y []float64) float64 {
	s := 0.0
	for i, v := range x {
		s += v * y[i]
	}
	return s
}

// TestTensorSketchIsAValue: the same seed gives the same operator, another seed
// or purpose another, and a sketcher forgets what it has done.
func TestTensorSketchIsAValue(t *testing.T) {
	apply := func(s *tensorSketch, w *tensorSketcher, x []float64) []float64 {
		out := make([]float64, s.cols)
		w.apply(out, x)
		return out
	}
	x := normals(9, 3)
	s := drawTensorSketch(t, 9, 20, 3, 1)
	w := s.sketcher()
	want := apply(s, w, x)
	apply(s, w, normals(9, 4))
	if !slices.Equal(apply(s, w, x), want) {
		t.Error("the second use of a sketcher differs")
	}
	if !slices.Equal(apply(s, drawTensorSketch(t, 9, 20, 3, 1).sketcher(), x), want) {
		t.Error("the same seed gives another operator")
	}
	if slices.Equal(apply(s, drawTensorSketch(t, 9, 20, 3, 2).sketcher(), x), want) {
		t.Error("another seed gives the same operator")
	}
	for _, bad := range [][3]int{{0, 1, 1}, {1, 0, 1}, {1, 1, 0}} {
		if _, err := newTensorSketch(bad[0], bad[1], bad[2], 1, "test"); err == nil {
			t.Errorf("a TensorSketch of %v was made", bad)
		}
	}
}
