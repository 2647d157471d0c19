package kernelgen

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
)

// centredTile returns the doubly centred kernel matrix of rows.
func centredTile(k Kernel, x blas64.General) blas64.General {
	a := tile(k, x, x)
	for range 2 { // columns, then rows
		for j := range a.Cols {
			mean := 0.0
			for i := range a.Rows {
				mean += a.Data[i*a.Stride+j] / float64(a.Rows)
			}
			for i := range a.Rows {
				a.Data[i*a.Stride+j] -= mean
			}
		}
		for i := range a.Rows {
			for j := range i {
				p, q := &a.Data[i*a.Stride+j], &a.Data[j*a.Stride+i]
				*p, *q = *q, *p
			}
		}
	}
	return a
}

// difference returns the largest difference of entries, relative to the largest entry.
func difference(a, b blas64.General) float64 {
	most, largest := 0.0, 0.0
	for i, v := range a.Data {
		most, largest = math.Max(most, math.Abs(v-b.Data[i])), math.Max(largest, math.Abs(v))
	}
	return most / largest
}

// TestCentredShift: CenteredShift holds for kernels whose matrix changes with a shift of the rows while the centred
// matrix does not.
func TestCentredShift(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	x := normal(rng, 12, 3, 0)
	y := normal(rng, 12, 3, 0)
	for i := range y.Data {
		y.Data[i] = x.Data[i] + []float64{0.3, -0.2, 0.5}[i%3]
	}
	texts := []string{"linear() + rbf(gamma=1)", "2*(linear() + laplace(gamma=1)) + poly(degree=1, gamma=2, coef0=1)", "linear()*rbf(gamma=1)",
		"linear()*linear()", "rbf(gamma=1)*laplace(gamma=1)", "linear() + cosine()", "2*rbf(gamma=1)", "rbf(gamma=1)*(linear() + rbf(gamma=1))"}
	for _, ref := range references {
		texts = append(texts, ref.text)
	}
	found := 0
	for _, text := range texts {
		k, err := mustParse(t, text).Resolve(x)
		if err != nil {
			t.Fatal(err)
		}
		if _, normalised := k.Normaliser(); normalised || k.bases()[KLDivergence] {
			continue
		}
		want := difference(tile(k, x, x), tile(k, y, y)) > 1e-6 && difference(centredTile(k, x), centredTile(k, y)) < 1e-12
		if k.CenteredShift() != want {
			t.Errorf("%s: CentredShift() = %v", text, !want)
		}
		if want {
			found++
		}
	}
	if found < 5 {
		t.Errorf("%d kernels shift", found)
	}
}
