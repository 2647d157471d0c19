package simd

import (
	"math"
	"testing"
)

func TestNarrowAndWiden(t *testing.T) {
	eachPath(t, func(t *testing.T) {
		special := []float64{0, math.Copysign(0, -1), 1e300, -1e300, 1e-300, math.Inf(1), math.NaN(), 0x1p-149, 0x1.000001p0}
		for n := range 40 {
			src, minus := make([]float64, n), make([]float64, n)
			for i := range src {
				src[i], minus[i] = float64(i)*1.1, float64(i%7)/3
				if i >= 20 {
					src[i], minus[i] = special[i%len(special)], 0
				}
			}
			narrow := append(make([]float32, n), 7)
			wide := append(make([]float64, n), 7)
			Narrow(narrow[:n], src, minus)
			Widen(wide[:n], narrow[:n], 0.25)
			if narrow[n] != 7 || wide[n] != 7 {
				t.Fatalf("%d values: the one behind was overwritten", n)
			}
			for i, v := range src {
				want := float32(v - minus[i])
				if math.Float32bits(narrow[i]) != math.Float32bits(want) && want == want {
					t.Errorf("%d values: number %d narrows to %v, want %v", n, i, narrow[i], want)
				}
				if w := 0.25 * float64(want); wide[i] != w && w == w {
					t.Errorf("%d values: number %d widens to %v, want %v", n, i, wide[i], w)
				}
			}
		}
	})
}
