package logsum

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestSum compares sums with sums of exponentials, shifted by any offset.
func TestSum(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 7))
	for _, offset := range []float64{0, -5000, 5000} {
		logs := make([]float64, 301)
		want := 0.0
		for i := range logs {
			logs[i] = 20 * r.NormFloat64()
			want += math.Exp(logs[i])
			logs[i] += offset
		}
		one, pieces, weighted := Zero(), Zero(), Sum{}
		ones := make([]float64, 43)
		for i := range ones {
			ones[i] = 1
		}
		for _, v := range logs {
			one.AddLog(v)
		}
		for first := 0; first < len(logs); first += 43 {
			piece := append([]float64(nil), logs[first:first+43]...)
			weighted.AddWeighted(append([]float64(nil), piece...), ones)
			pieces.Add(piece)
			for i, v := range piece {
				if w := math.Exp(logs[first+i] - pieces.Max); math.Abs(v-w) > 1e-12*w {
					t.Fatalf("offset %v: number %d is left as %v, not %v", offset, first+i, v, w)
				}
			}
		}
		for name, s := range map[string]Sum{"one by one": one, "in pieces": pieces, "weighted": weighted} {
			if got := s.Log() - offset; math.Abs(got-math.Log(want)) > 1e-11 {
				t.Errorf("offset %v, %s: %v, not %v", offset, name, got, math.Log(want))
			}
		}
	}
}

func TestEdges(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		logs []float64
		want float64
	}{{nil, -inf}, {[]float64{-inf, -inf}, -inf}, {[]float64{-inf, 3}, 3}, {[]float64{0, math.NaN()}, math.NaN()}, {[]float64{-1e300}, -1e300}} {
		all, each := Zero(), Zero()
		for _, v := range c.logs {
			each.AddLog(v)
		}
		all.Add(append([]float64(nil), c.logs...))
		for _, got := range []float64{all.Log(), each.Log()} {
			if got != c.want && !(got != got && c.want != c.want) {
				t.Errorf("%v: %v, not %v", c.logs, got, c.want)
			}
		}
	}
}
