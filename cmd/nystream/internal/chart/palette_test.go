package chart

import (
	"image/color"
	"math"
	"testing"
)

// lightness returns the relative luminance, with a gamma of 2.2.
func lightness(c color.Color) float64 {
	r, g, b, _ := c.RGBA()
	part := func(v uint32) float64 { return math.Pow(float64(v)/0xffff, 2.2) }
	return 0.2126*part(r) + 0.7152*part(g) + 0.0722*part(b)
}

// Lightness increases along the colour map.
func TestSequentialColours(t *testing.T) {
	last := -1.0
	for i := range 101 {
		c := colourAt(viridis, float64(i)/100)
		if light := lightness(c); light <= last || c.A != 0xff {
			t.Errorf("colour %d, %v, is not lighter than the one before", i, c)
		} else {
			last = light
		}
	}
}

// Groups have distinct colours.
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
