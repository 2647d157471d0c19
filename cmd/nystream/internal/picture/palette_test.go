package picture

import (
	"image/color"
	"math"
	"testing"
)

func lightness(c color.Color) float64 {
	r, g, b, _ := c.RGBA()
	part := func(v uint32) float64 { return math.Pow(float64(v)/0xffff, 2.2) }
	return 0.2126*part(r) + 0.7152*part(g) + 0.0722*part(b)
}

func TestSequentialColours(t *testing.T) {
	last := -1.0
	for i := range 101 {
		c := along(viridis, float64(i)/100)
		if light := lightness(c); light <= last || c.A != 0xff {
			t.Errorf("colour %d, %v, is not lighter than the one before", i, c)
		} else {
			last = light
		}
	}
}

// TestCyclicColours checks that the map comes round, has no seam, and that places half a
// turn apart differ.
func TestCyclicColours(t *testing.T) {
	apart := func(a, b color.Color) float64 {
		var sum float64
		r, g, b1, _ := a.RGBA()
		r2, g2, b2, _ := b.RGBA()
		for _, d := range []float64{float64(r) - float64(r2), float64(g) - float64(g2), float64(b1) - float64(b2)} {
			sum += d * d
		}
		return math.Sqrt(sum) / 0xffff
	}
	const steps = 100
	for i := range steps {
		at := float64(i) / steps
		if d := apart(cyclic(at), cyclic(at+1.0/steps)); d > 0.06 {
			t.Errorf("from %v on the colour jumps by %v", at, d)
		}
		if d := apart(cyclic(at), cyclic(at+0.5)); d < 0.25 {
			t.Errorf("the colours at %v and half a turn on are %v apart", at, d)
		}
	}
	if cyclic(0) != cyclic(1) {
		t.Errorf("%v at the beginning, %v at the end", cyclic(0), cyclic(1))
	}
}

func TestGroupColours(t *testing.T) {
	for _, n := range []int{1, 10, 11, 40} {
		seen := make(map[color.Color]int)
		for k := range n {
			c := groupColour(k, n)
			if other, ok := seen[c]; ok {
				t.Errorf("of %d groups %d and %d have the colour %v", n, other, k, c)
			}
			seen[c] = k
		}
	}
}
