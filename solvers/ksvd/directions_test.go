package ksvd

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/krylov"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// rareRows returns rows of five features. Only three rows have the last one.
func rareRows(n int, seed uint64) blas64.General {
	x := gaussian(n, 5, 1, seed)
	for i := range n {
		matrix.Row(x, i)[4] = 0
	}
	for i := range 3 {
		matrix.Row(x, n/7*(i+1))[4] = 16
	}
	return x
}

// TestMissedDirection: landmarks miss the rows of a singular direction. The triplets found have small residuals, and
// the fit warns of the missing one.
func TestMissedDirection(t *testing.T) {
	x, z := rareRows(600, 1), rareRows(500, 2)
	for _, scaling := range []Scaling{ScaleDerived, ScaleUnit, ScaleOrthonormal} {
		for _, scale := range []float64{1, 1e-150, 1e150} {
			fit, err := Nystrom{Rank: 4, Rows: 60, Scaling: scaling, Seed: 3}.Fit(background, stream.Engine{},
				between(t, scaledBy(x, scale), scaledBy(z, scale)), parse(t, "linear()"))
			if err != nil {
				t.Fatal(err)
			}
			if d := fit.Directions; d.Checked != 4 || d.Missed != 1 || !(d.Error > 0.3 && d.Error < 1) {
				t.Errorf("%v, rows times %g: %+v, values %.3g", scaling, scale, d, fit.Values)
			}
			if !strings.Contains(fmt.Sprint(fit.Warnings), "1 of the 4 leading singular directions of G are missing") {
				t.Errorf("%v: warnings %q", scaling, fit.Warnings)
			}
		}
	}
}

// scaledBy returns by·m.
func scaledBy(m blas64.General, by float64) blas64.General {
	m = matrix.Clone(m)
	dense.Scale(by, m)
	return m
}

// TestNothingFound: a sample of zeros yields no triplet, and the fit reports what it misses.
func TestNothingFound(t *testing.T) {
	x := matrix.New(500, 2)
	x.Data[6], x.Data[401] = 1, 2
	fit, err := Nystrom{Rank: 2, Rows: 10, Seed: 1}.Fit(background, stream.Engine{}, between(t, x, x), parse(t, "linear()"))
	if err != nil {
		t.Fatal(err)
	}
	if fit.Rank() != 0 {
		t.Fatalf("rank %d: this tests nothing", fit.Rank())
	}
	if d := fit.Directions; d.Missed != 2 || math.Abs(d.Error-2) > 1e-12 || len(fit.Warnings) == 0 {
		t.Errorf("%+v, warnings %q", d, fit.Warnings)
	}
	zero := matrix.New(50, 2)
	fit, err = Nystrom{Rank: 2, Rows: 10, Tolerance: 0.1, Seed: 1}.Fit(background, stream.Engine{}, between(t, zero, zero), parse(t, "linear()"))
	if err != nil || fit.Directions != (Directions{}) || fit.NotConverged {
		t.Errorf("a matrix of zeros: %+v, %v", fit, err)
	}
}

// TestDirections compares η and both norms with dense computations, with all rows held back, or some.
func TestDirections(t *testing.T) {
	x, z := gaussian(1600, 3, 1, 1), gaussian(300, 3, 1, 2)
	for i, f := range distanceKernels {
		if testing.Short() && i > 0 {
			continue
		}
		k := parse(t, f.text)
		for _, rows := range []int{40, 150} {
			fit, err := Nystrom{Rank: 6, Rows: rows, Center: true, Seed: 1}.Fit(background, stream.Engine{}, between(t, x, z), k)
			if err != nil {
				t.Fatal(err)
			}
			exact, err := Exact{Rank: 6, Center: true}.Fit(background, stream.Engine{}, between(t, x, z), k)
			if err != nil {
				t.Fatal(err)
			}
			u, v, err := factors(fit, stream.Engine{})
			if err != nil {
				t.Fatal(err)
			}
			want, err := eta(exact.U, exact.V, exact.Values, u, v)
			if err != nil {
				t.Fatal(err)
			}
			got := fit.Directions.Error
			if !(got > want/1.5 && got < 1.5*want) {
				t.Errorf("%s, %d landmarks: η is %.3g, estimated as %.3g", f.text, rows, want, got)
			}
			truth := verified(t, fit.Model, stream.Engine{}, sources(x, z), 0)
			for i, want := range []float64{truth.SpectralError, truth.FrobeniusError} {
				if got := fit.Estimates[i].Value; !(got > want/1.5 && got < 1.5*want) {
					t.Errorf("%s, %d landmarks: the error of the %v is %.3g, estimated as %.3g", f.text, rows, fit.Estimates[i].Quantity, want, got)
				}
			}
		}
	}
}

// TestNewDirections compares vectors at known angles.
func TestNewDirections(t *testing.T) {
	const n = 5
	unit := matrix.New(n, 3)
	for j := range 3 {
		matrix.Row(unit, j)[j] = 1
	}
	truth := &krylov.Triplets{Values: []float64{3, 1, 1e-4}, U: unit, V: unit}
	turned := matrix.Clone(matrix.Columns(unit, 0, 2)) // the second one leaves the span by 60°
	matrix.Row(turned, 1)[1], matrix.Row(turned, 4)[1] = 0.5, math.Sqrt(0.75)
	scaledUp := scaledBy(turned, 1e200)
	for _, u := range []blas64.General{turned, scaledUp} {
		d, err := newDirections(truth, u, matrix.Columns(unit, 0, 2))
		if err != nil || d.Checked != 2 || d.Missed != 1 || math.Abs(d.Error-0.25*0.5) > 1e-12 {
			t.Errorf("%+v, %v", d, err)
		}
	}
	d, err := newDirections(truth, matrix.New(n, 0), matrix.New(n, 2))
	if err != nil || d.Missed != 2 || math.Abs(d.Error-2) > 1e-12 {
		t.Errorf("no vectors: %+v, %v", d, err)
	}
}
