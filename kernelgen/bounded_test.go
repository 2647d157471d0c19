package kernelgen

import (
	"math"
	"testing"

	"github.com/nystream/nystream/internal/matrix"
)

// TestBounded compares Bounded with entries between rows at all distances, and between rows with NaN.
func TestBounded(t *testing.T) {
	bounded := map[string]bool{"rbf(gamma=0.5)": true, "rbf(gamma=5e-324)": true, "laplace(gamma=1e300)": true,
		"matern32(length=1e-200)": true, "matern52(length=1e200)": true,
		"linear": false, "poly(gamma=1, coef0=1, degree=3)": false, "2*rbf(gamma=1)": false}
	values := []float64{0, 5e-324, 1e-200, 1, -1, 1e200, -1e200, math.MaxFloat64, -math.MaxFloat64}
	n := len(values)
	x := matrix.New(n*n, 2)
	for i := range x.Rows {
		copy(matrix.Row(x, i), []float64{values[i/n], values[i%n]})
	}
	for text, want := range bounded {
		k, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := k.Bounded(); got != want {
			t.Errorf("%s: bounded %t, want %t", text, got, want)
		}
		if !want {
			continue
		}
		y, p := matrix.New(x.Rows, x.Rows), k.Pack(x)
		k.Fill(y, x, p, nil)
		for i, v := range y.Data {
			if !matrix.IsFinite(v) {
				t.Fatalf("%s: %v between rows %v and %v", text, v, matrix.Row(x, i/x.Rows), matrix.Row(x, i%x.Rows))
			}
		}
		row := matrix.Of([]float64{1, math.NaN()}, 1, 2)
		k.Fill(matrix.Rows(y, 0, 1), row, p, nil)
		for _, v := range matrix.Row(y, 0) {
			if !math.IsNaN(v) {
				t.Fatalf("%s: a row with NaN has the entry %v", text, v)
			}
		}
	}
}
