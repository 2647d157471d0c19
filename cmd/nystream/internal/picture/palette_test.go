package picture

import (
	"math"
	"testing"
)

func TestColourAt(t *testing.T) {
	last := -1.0
	for i := range 101 {
		c := ColourAt(float64(i) / 100)
		light := 0.2126*math.Pow(float64(c.R)/255, 2.2) + 0.7152*math.Pow(float64(c.G)/255, 2.2) + 0.0722*math.Pow(float64(c.B)/255, 2.2)
		if light <= last || c.A != 0xff {
			t.Errorf("colour %d, %v, is not lighter than the one before", i, c)
		}
		last = light
	}
}
