package ridge

import (
	"math"
	"testing"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// TestOutOfFold: out-of-fold predictions have the reported errors, and their intervals contain nine of ten values.
func TestOutOfFold(t *testing.T) {
	x, y := wavy(1500)
	f, err := Solver{Landmarks: 100, Seed: 1}.Fit(t.Context(), stream.Engine{}, targets(t, x, y), kernelgen.RBF(1))
	if err != nil {
		t.Fatal(err)
	}
	for j, want := range f.Path[f.Best].RMSE {
		sum, inside := 0.0, 0
		for i := range f.OutOfFold.Truth.Rows {
			if math.Abs(matrix.Row(f.OutOfFold.Truth, i)[j]-matrix.Row(y, i)[j]) > 1e-12 { // rounding
				t.Fatalf("row %d: the target is %g, not %g", i, matrix.Row(f.OutOfFold.Truth, i)[j], matrix.Row(y, i)[j])
			}
			e := matrix.Row(f.OutOfFold.Truth, i)[j] - matrix.Row(f.OutOfFold.Predicted, i)[j]
			sum += e * e
			if math.Abs(e) <= matrix.Row(f.OutOfFold.HalfWidth, i)[j] {
				inside++
			}
		}
		n := float64(f.OutOfFold.Truth.Rows)
		if got := math.Sqrt(sum / n); n != 1500 || math.Abs(got/want-1) > 1e-9 {
			t.Errorf("target %d: RMSE %g of %g rows, and the fit reports %g", j, got, n, want)
		}
		if share := float64(inside) / n; math.Abs(share-0.9) > 0.01 {
			t.Errorf("target %d: the intervals hold %g of the rows that they were learnt from", j, share)
		}
	}

	x, labels := rings(3000)
	for i := 0; i < len(labels); i += 20 {
		labels[i] = (labels[i] + 1) % 3 // wrong
	}
	c, err := Solver{Landmarks: 60, Seed: 1}.Fit(t.Context(), stream.Engine{}, classed(t, x, labels), kernelgen.RBF(1))
	if err != nil {
		t.Fatal(err)
	}
	right := 0
	for i, class := range c.OutOfFold.Class {
		if class != labels[i] {
			t.Fatalf("row %d is of class %d, not %d", i, class, labels[i])
		}
		if class == c.OutOfFold.Chosen[i] {
			right++
		}
	}
	if got := float64(right) / 3000; len(c.OutOfFold.Class) != 3000 || math.Abs(got-c.Scores.Accuracy) > 1e-12 || got > 0.96 {
		t.Errorf("accuracy %g of %d rows, and the fit reports %g", got, len(c.OutOfFold.Class), c.Scores.Accuracy)
	}
}
