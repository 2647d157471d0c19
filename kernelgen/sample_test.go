package kernelgen

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestMiddle compares with the median of all sorted values.
func TestMiddle(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	draw := map[string]func(i, n int) float64{
		"random":     func(int, int) float64 { return random.ExpFloat64() },
		"equal":      func(int, int) float64 { return 3 },
		"two values": func(i, n int) float64 { return float64(2 * i / n) },
		"ascending":  func(i, n int) float64 { return float64(i) },
		"descending": func(i, n int) float64 { return float64(-i) },
		// The values in the thinned sample are the largest ones.
		"unlike the sample": func(i, n int) float64 {
			return random.Float64() + float64((i+1)%thinning/(thinning-1)) - float64(min(1, i%thinning))
		},
		"infinite": func(i, n int) float64 { return math.Inf(i%3 - 1) },
		"some NaN": func(i, n int) float64 { return math.Sqrt(random.Float64() - .1) },
	}
	for name, value := range draw {
		for _, n := range []int{1, 2, 5, manyValues - 1, manyValues, manyValues + 1, 3*manyValues + 7} {
			v := make([]float64, n)
			for i := range v {
				v[i] = value(i, n)
			}
			sorted := slices.Sorted(slices.Values(v))
			want := sorted[(n-1)/2]/2 + sorted[n/2]/2
			if got := middle(v); got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Errorf("%s: the middle of %d values is %v, want %v", name, n, got, want)
			}
		}
	}
}

func BenchmarkMiddle(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	v, w := make([]float64, 499_500), make([]float64, 499_500)
	for i := range v {
		v[i] = random.Float64()
	}
	for b.Loop() {
		copy(w, v)
		middle(w)
	}
}
