package lowrank

import "testing"

// TestEffective: squares spread over many rows have a large effective size, and one dominant row counts as one. If the
// landmarks carry all squares, the other rows do not matter.
func TestEffective(t *testing.T) {
	for _, c := range []struct {
		squares []float64
		known   int
		want    float64
	}{
		{[]float64{1, 1, 1, 1}, 0, 4},
		{[]float64{1e200, 0, 0, 0}, 0, 1},
		{[]float64{1000, 1, 0, 0}, 1, 4},
		{[]float64{1, 1, 0, 0}, 1, 1},
	} {
		if got := effectiveSize(c.squares, c.known); got != c.want {
			t.Errorf("%v behind %d: %g, want %g", c.squares, c.known, got, c.want)
		}
	}
}
