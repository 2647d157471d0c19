package sketch_test

import (
	"math"
	"testing"
)

// checkChiSquare fails if the counts are too far from the expected ones, or suspiciously close:
// beyond 5 standard deviations of the χ² statistic in the Wilson–Hilferty approximation. Seeds are
// fixed, so the outcome never changes.
func checkChiSquare(t *testing.T, what string, counts []int, expected []float64) {
	t.Helper()
	chi := 0.0
	for i, n := range counts {
		d := float64(n) - expected[i]
		chi += d * d / expected[i]
	}
	df := float64(len(counts) - 1)
	z := (math.Cbrt(chi/df) - (1 - 2/(9*df))) / math.Sqrt(2/(9*df))
	if math.Abs(z) > 5 {
		t.Errorf("%s: χ² = %.1f at %v degrees of freedom, %.1f standard deviations off", what, chi, df, z)
	}
}

// uniform returns equal expected counts.
func uniform(cells, draws int) []float64 {
	e := make([]float64, cells)
	for i := range e {
		e[i] = float64(draws) / float64(cells)
	}
	return e
}
