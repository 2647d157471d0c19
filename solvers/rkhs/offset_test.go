package rkhs

import (
	"errors"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// far returns rows rounded to multiples of 1/1024 plus a constant, exact up to 1e12.
func far(x blas64.General, by float64) blas64.General {
	out := matrix.Clone(x)
	for i, v := range out.Data {
		out.Data[i] = math.Round(1024*v)/1024 + by
	}
	return out
}

// TestCentredFarFromZero: shifting all rows changes no centred operator, for kernels that change only by functions of
// one row. Near 0 the singular values of linear kernels are those of the definition.
func TestCentredFarFromZero(t *testing.T) {
	t.Parallel()
	const n = 60
	x, y, _ := dependent(t, n, 3, 3)
	fresh := normal(10, 3, "fresh")
	sum, err := kernelgen.Parse("2*linear() + rbf(gamma=0.3)")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []kernelgen.Kernel{kernelgen.Linear(), sum} {
		for _, op := range allOperators {
			var near []float64
			for _, by := range []float64{0, 1e7} {
				a, b := far(x, by), far(y, by)
				f := mustFit(t, Solver{Operator: op, Rank: 3, Center: true}, pairs(t, a, b), k)
				if by == 0 && k.Same(kernelgen.Linear()) {
					checkSVD(t, f, newExplicit(a, b, equalWeights(n), true).operator(op))
				}
				found := append(append([]float64{f.Trace}, f.Values...), valuesAt(t, f.Right, far(fresh, by)).Data...)
				if by == 0 {
					near = found
				} else if !slices.Equal(found, near) {
					t.Errorf("%s of %s: trace and values %v at %g, %v near 0", name(op), k, found[:4], by, near[:4])
				}
				if len(f.Warnings) > 0 {
					t.Errorf("%s of %s at %g: warnings %q", name(op), k, by, f.Warnings)
				}
			}
		}
	}
}

// TestLosesDigits: if no shift helps, a fit warns of lost digits. It fails if the operator is centred and no digit
// remains.
func TestLosesDigits(t *testing.T) {
	t.Parallel()
	x, y, _ := dependent(t, 60, 3, 3)
	poly, err := kernelgen.Parse("poly(degree=2, gamma=1, coef0=1)")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		kernel       kernelgen.Kernel
		by           float64
		centre       bool
		warns, fails bool
	}{
		{kernel: kernelgen.Linear(), by: 0},
		{kernel: kernelgen.Linear(), by: 1e7, warns: true},
		{kernel: poly, by: 0, centre: true},
		{kernel: poly, by: 1e5, centre: true, warns: true},
		{kernel: poly, by: 1e9, warns: true},
		{kernel: poly, by: 1e9, centre: true, fails: true},
	} {
		s := Solver{Operator: Koopman{Ridge: 0.1}, Rank: 2, Center: c.centre}
		f, err := s.Fit(t.Context(), stream.Engine{}, pairs(t, far(x, c.by), far(y, c.by)), c.kernel)
		var ofData *stream.DataError
		switch {
		case c.fails:
			if !errors.As(err, &ofData) {
				t.Errorf("%s at %g: %v", c.kernel, c.by, err)
			}
		case err != nil:
			t.Errorf("%s at %g: %v", c.kernel, c.by, err)
		case (len(f.Warnings) > 0) != c.warns:
			t.Errorf("%s at %g, centred %v: warnings %q", c.kernel, c.by, c.centre, f.Warnings)
		}
	}
}
