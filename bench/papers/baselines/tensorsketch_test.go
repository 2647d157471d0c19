package baselines

import (
	"math"
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

// denseTensorSketch sums all dim^degree products of the tensor power by the
// definition.
func denseTensorSketch(s *tensorSketch, x []float64) []float64 {
	out := make([]float64, s.cols)
	var visit func(t, hash int, product float64)
	visit = func(t, hash int, product float64) {
		if t == len(s.hashes) {
			out[hash%s.cols] += product
			return
		}
		for i, v := range x {
			visit(t+1, hash+s.hashes[t][i], product*s.signs[t][i]*v)
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
			s := newTensorSketch(5, cols, degree, uint64(cols), "test")
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
