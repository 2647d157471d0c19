package kernelgen_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/kernelgen"
)

// spectralDraws are draws of a seeded generator.
type spectralDraws struct{ *rand.Rand }

func (d spectralDraws) Normal() float64 { return d.NormFloat64() }

// TestSpectralMeasure: the mean of cos(ω·(x−y)) is k(x, y)/k(x, x) within four standard errors, at small and large
// distances.
func TestSpectralMeasure(t *testing.T) {
	const draws, d = 40000, 3
	for _, text := range []string{
		"rbf(gamma=0.7)", "rbf(sigma2=2)", "rbf(sigma=1.3)", "gaussian(sigma=0.9)", "3.5*rbf(gamma=0.2)", "laplace(gamma=0.6)", "exponential(gamma=0.8)",
		"matern12(length=1.5)", "matern32(length=0.9)", "matern52(length=1.2)", "rq(alpha=0.3, length=0.8)", "rq(alpha=1, length=1)",
		"rq(alpha=7.5, length=1.4)", "rq(alpha=1e6, length=1)", "cauchy(length=1.1)", "0.25*imq(length=0.7)",
	} {
		k, err := kernelgen.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		m, err := k.SpectralMeasure()
		if err != nil {
			t.Fatal(err)
		}
		if m.RotationInvariant() == strings.HasPrefix(text, "laplace") {
			t.Errorf("%s: invariant under rotations %v", text, m.RotationInvariant())
		}
		random := spectralDraws{rand.New(rand.NewPCG(1, 2))}
		deltas := [][]float64{{0, 0, 0}, {0.1, -0.2, 0.3}, {1, 0, -0.5}, {0, 0, 2}, {-3, 2, 1}}
		sum, squares := make([]float64, len(deltas)), make([]float64, len(deltas))
		omega := make([]float64, d)
		for range draws {
			m.Frequency(omega, random)
			for i, delta := range deltas {
				phase := 0.0
				for j, v := range delta {
					phase += omega[j] * v
				}
				c := math.Cos(phase)
				sum[i] += c
				squares[i] += c * c
			}
		}
		for i, delta := range deltas {
			tile := blas64.General{Rows: 1, Cols: 1, Stride: 1, Data: make([]float64, 1)}
			x := blas64.General{Rows: 1, Cols: d, Stride: d, Data: delta}
			zero := blas64.General{Rows: 1, Cols: d, Stride: d, Data: make([]float64, d)}
			k.Fill(tile, x, k.Pack(zero), nil)
			want, mean := tile.Data[0]/m.Weight, sum[i]/draws
			deviation := math.Sqrt(max(0, squares[i]/draws-mean*mean) / draws)
			if e := math.Abs(mean - want); !(e <= 4*deviation+1e-12) {
				t.Errorf("%s at %v: mean %g, kernel %g, standard error %g", text, delta, mean, want, deviation)
			}
		}
	}
}

// TestNoSpectralMeasure: the error names the kernels that have one.
func TestNoSpectralMeasure(t *testing.T) {
	for _, text := range []string{"linear()", "relu()", "csrbf(sigma2=1, theta=1, v=2)", "rbf(gamma=1) + rbf(gamma=2)", "rbf(gamma=1)*laplace(gamma=2)", "2*(rbf(gamma=1) + linear())"} {
		k, err := kernelgen.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		_, err = k.SpectralMeasure()
		if err == nil || !strings.Contains(err.Error(), k.String()) || !strings.Contains(err.Error(), "matern52, rq, cauchy and imq") {
			t.Errorf("%s: error %v", text, err)
		}
	}
}

// TestProductProfiles: Polynomial and ProductExponential return the parameters of such kernels, and an error for
// others.
func TestProductProfiles(t *testing.T) {
	parse := func(text string) kernelgen.Kernel {
		k, err := kernelgen.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	for text, want := range map[string]kernelgen.Polynomial{
		"linear()":                             {Weight: 1, Gamma: 1, Degree: 1},
		"2*poly(degree=4, gamma=0.5, coef0=3)": {Weight: 2, Gamma: 0.5, Coef0: 3, Degree: 4},
	} {
		if p, ok := parse(text).Polynomial(); !ok || p != want {
			t.Errorf("%s: %v, %v", text, p, ok)
		}
	}
	for text, want := range map[string]kernelgen.ProductExponential{
		"3*expdot(scale=0.5)": {Weight: 3, Scale: 0.5},
		"rbf(sigma2=4)":       {Weight: 1, Scale: 0.5, Damped: true},
		"gaussian(sigma=2)":   {Weight: 1, Scale: 0.25, Damped: true},
	} {
		if p, ok := parse(text).ProductExponential(); !ok || p != want {
			t.Errorf("%s: %v, %v", text, p, ok)
		}
	}
	for _, text := range []string{"laplace(gamma=1)", "linear() + linear()", "linear()*expdot(scale=1)"} {
		_, poly := parse(text).Polynomial()
		_, exp := parse(text).ProductExponential()
		if poly || exp {
			t.Errorf("%s: polynomial %v, exponential %v", text, poly, exp)
		}
	}
}
