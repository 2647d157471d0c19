package rounding

import (
	"math"
	"testing"
)

func TestEqualUpToRounding(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      bool
	}{
		{0, 0, true}, {3, 3, true}, {.3, math.Nextafter(.3, 1), true}, {1 - 1e-14, 1, true}, {1 - 1e-13, 1, false},
		{-1, -1 + 1e-14, true}, {-1e-20, 1e-20, false}, {0, 5e-324, true}, {0, 1e-300, false},
		{-math.MaxFloat64, math.MaxFloat64, false}, {1e300, 1e300 * (1 + 1e-15), true}, {1e8, 1e8 + 1, false},
		{0, math.Inf(1), false}, {math.NaN(), math.NaN(), false},
	} {
		if got := Equal(c.low, c.high); got != c.want {
			t.Errorf("from %v to %v: %v", c.low, c.high, got)
		}
	}
}
