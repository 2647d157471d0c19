package lowrank

import "testing"

// Squares that many rows carry are those of many, one that outweighs the others counts as one,
// and beside landmarks that carry all of them nobody asks how many rows carry the rest.
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
