package main

import (
	"math"
	"testing"
)

// TestSquareSum: the standard error of a root mean square is that of a jackknife, in any unit.
func TestSquareSum(t *testing.T) {
	const n = 200
	root := func(without int) float64 {
		sum, rows := 0.0, 0.0
		for i := range n {
			if v := math.Sin(float64(i * i)); i != without {
				sum, rows = sum+v*v, rows+1
			}
		}
		return math.Sqrt(sum / rows)
	}
	want := 0.0
	for i := range n {
		want += (root(i) - root(-1)) * (root(i) - root(-1))
	}
	want = math.Sqrt(want)
	for _, unit := range []float64{1, 1e-200, 1e200} {
		var s squareSum
		for i := range n {
			s.add(unit*math.Sin(float64(i*i)), 1)
		}
		if got := s.rootError(n) / unit; math.Abs(s.root(n)/unit-root(-1)) > 1e-12 || math.Abs(got-want) > 0.02*want {
			t.Errorf("unit %v: %v ± %v, by the jackknife %v ± %v", unit, s.root(n)/unit, got, root(-1), want)
		}
	}
	var one squareSum
	if one.add(2, 1); !math.IsNaN(one.rootError(1)) {
		t.Error("one number has a standard error")
	}
}
