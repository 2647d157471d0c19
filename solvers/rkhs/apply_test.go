package rkhs

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// TestApply: C_YX·k(·, z) is Σ k(x_i, z)·l(·, y_i)/n, minus the means if centred. The pseudo-inverse maps it back to a
// function of no larger norm with the same image.
func TestApply(t *testing.T) {
	const n = 40
	x, y, d := dependent(t, n, 2, 2)
	z := normal(5, 2, "z")
	ky := kernelgen.RBF(0.2)
	for _, centred := range []bool{false, true} {
		f := mustFit(t, Solver{Operator: CrossCovariance{}, KernelY: &ky, Rank: n, Center: centred, Algorithm: AlgorithmExact}, d, kernelgen.RBF(0.3))
		sections, err := f.Right.Sections(t.Context(), stream.Engine{}, z)
		if err != nil {
			t.Fatal(err)
		}
		image, err := f.Apply(sections)
		if err != nil {
			t.Fatal(err)
		}
		got := valuesAt(t, image, y)
		gx, gy := plainGram(x, z, 0.3), plainGram(y, y, 0.2)
		if centred {
			lessMeans(gx)
			lessMeans(gy)
		}
		want := multiply(gy, gx)
		for i, v := range want.Data {
			if math.Abs(got.Data[i]-v/n) > 1e-9 {
				t.Fatalf("centred %v: value %d of the image is %v, not %v", centred, i, got.Data[i], v/n)
			}
		}
		inverse, err := f.PseudoInverse(1e-7)
		if err != nil {
			t.Fatal(err)
		}
		back, err := inverse.Apply(image)
		if err != nil {
			t.Fatal(err)
		}
		again, err := f.Apply(back)
		if err != nil {
			t.Fatal(err)
		}
		if off := dense.MaxAbs(difference(again.Coefficients, image.Coefficients)); off > 1e-6 {
			t.Errorf("centred %v: the solution has another image, by %g", centred, off)
		}
		for j := range back.Count() {
			if a, b := norm(back, j), norm(sections, j); a > b*(1+1e-9) {
				t.Errorf("centred %v: solution %d has norm %v, and there is one of %v", centred, j, a, b)
			}
		}
		if _, err := f.Apply(image); err == nil {
			t.Error("functions of the other space are taken")
		}
	}
}

// valuesAt returns the values of functions at rows.
func valuesAt(t *testing.T, f *Functions, rows blas64.General) blas64.General {
	t.Helper()
	v, err := f.At(t.Context(), stream.Engine{}, rows)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// norm returns the norm of function j.
func norm(f *Functions, j int) float64 { return dense.Frobenius(matrix.Columns(f.Coefficients, j, 1)) }

// plainGram returns exp(−γ·‖x−z‖²), one row for each x.
func plainGram(x, z blas64.General, gamma float64) blas64.General {
	k := gaussianOf(gamma)
	m := matrix.New(x.Rows, z.Rows)
	for i := range x.Rows {
		for j := range z.Rows {
			m.Data[i*m.Stride+j] = k(matrix.Row(x, i), matrix.Row(z, j))
		}
	}
	return m
}

// lessMeans subtracts the mean of each column.
func lessMeans(m blas64.General) {
	for j := range m.Cols {
		mean := 0.0
		for i := range m.Rows {
			mean += m.Data[i*m.Stride+j] / float64(m.Rows)
		}
		for i := range m.Rows {
			m.Data[i*m.Stride+j] -= mean
		}
	}
}

// difference returns a − b.
func difference(a, b blas64.General) blas64.General {
	c := matrix.Clone(a)
	for i := range c.Rows {
		matrix.Axpy(-1, matrix.Row(b, i), matrix.Row(c, i))
	}
	return c
}
