package paper1

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/papers/lab"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// TestFastSPSD: the error equals that of the paper's formula on the dense matrix, and a matrix of low rank is
// recovered.
func TestFastSPSD(t *testing.T) {
	x := datasets.Uniform(200, 2, 3)
	d := model.Sources{Left: stream.FromMatrix("made", x)}
	for _, c := range []struct {
		kernel kernelgen.Kernel
		most   float64
	}{{kernelgen.Poly(2, 1, 1), 1e-9}, {kernelgen.RBF(20), 0.6}} {
		f, err := fastSPSD{12, 1}.Fit(t.Context(), stream.Engine{}, d, c.kernel)
		if err != nil {
			t.Fatal(err)
		}
		v, err := f.Verify(t.Context(), stream.Engine{}, d, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		if !(v.SpectralError < c.most) {
			t.Errorf("%s: error %g", c.kernel, v.SpectralError)
		}
	}
	f, err := fastSPSD{200, 1}.Fit(t.Context(), stream.Engine{}, d, kernelgen.RBF(400))
	if err != nil {
		t.Fatal(err)
	}
	v, err := f.Verify(t.Context(), stream.Engine{}, d, 0, 1)
	if err != nil || v.SpectralError > 1e-8 {
		t.Errorf("all rows as landmarks: %v, %v", v, err)
	}
}

// TestDrawByWeight: rows are drawn in proportion to their weights, without replacement.
func TestDrawByWeight(t *testing.T) {
	weights, first := []float64{0.1, 0.2, 0.7, 0}, make([]float64, 4)
	const draws = 4000
	for seed := range uint64(draws) {
		rows := drawByWeight(weights, 3, seed)
		first[rows[0]]++
		if len(rows) != 3 || rows[0] == rows[1] || rows[1] == rows[2] || rows[0] == rows[2] {
			t.Fatalf("rows %v", rows)
		}
	}
	for i, w := range weights {
		if math.Abs(first[i]/draws-w) > 0.03 {
			t.Errorf("row %d is first in %.3f of the draws, not %g", i, first[i]/draws, w)
		}
	}
}

// TestPolyTensorSketch: many columns approximate a wide Gaussian kernel, errors equal those of the dense matrix, and
// other kernels are refused.
func TestPolyTensorSketch(t *testing.T) {
	x := datasets.Uniform(150, 3, 3)
	for i := range x.Data {
		x.Data[i] = 2*x.Data[i] - 1
	}
	k := kernelgen.RBF(0.3)
	a := lab.Kernel(k, x, x)
	before := math.Inf(1)
	for _, columns := range []int{8, 64, 512} {
		f, err := polyTensorSketch{columns, 1}.of(k, x)
		if err != nil {
			t.Fatal(err)
		}
		spectral, frobenius, err := f.errors(k, x)
		if err != nil {
			t.Fatal(err)
		}
		signed := mat.DenseCopyOf(f.g)
		signed.Apply(func(_, j int, v float64) float64 { return v * f.signs[j] }, signed)
		var rest mat.Dense
		rest.Mul(signed, f.g.T())
		rest.Sub(a, &rest)
		if want := mat.Norm(&rest, 2) / mat.Norm(a, 2); math.Abs(frobenius-want) > 1e-9*want {
			t.Errorf("%d columns: Frobenius error %g, want %g", columns, frobenius, want)
		}
		if want := largest(t, &rest) / largest(t, a); math.Abs(spectral-want) > 1e-2*want {
			t.Errorf("%d columns: spectral error %g, want %g", columns, spectral, want)
		}
		if !(frobenius < before) {
			t.Errorf("%d columns: error %g, and %g of an eighth of them", columns, frobenius, before)
		}
		before = frobenius
	}
	if before > 0.02 {
		t.Errorf("error %g with 512 columns", before)
	}
	far := stream.NewMatrix(x.Rows, x.Cols) // the kernel is the same
	for i, v := range x.Data {
		far.Data[i] = v + 8
	}
	f, err := polyTensorSketch{512, 1}.of(k, far)
	if err != nil {
		t.Fatal(err)
	}
	if _, frobenius, err := f.errors(k, far); err != nil || !(frobenius < 1.01*before) {
		t.Errorf("rows far from the origin: error %g, and %g at it (%v)", frobenius, before, err)
	}
	if _, err := (polyTensorSketch{8, 1}).of(kernelgen.Laplace(1), x); err == nil {
		t.Error("a Laplace kernel is taken")
	}
}

// TestTensorSketch: inner products of tensor sketches are powers of inner products on average.
func TestTensorSketch(t *testing.T) {
	u := mat.NewDense(2, 3, []float64{1, 0.5, -0.7, 0.3, 0.8, 0.6})
	const seeds = 4000
	var sums [4]float64
	for seed := range uint64(seeds) {
		for l, s := range (polyTensorSketch{8, seed}).sketches(u)[:4] {
			sums[l] += mat.Dot(s.RowView(0), s.RowView(1)) / seeds
		}
	}
	for l, got := range sums {
		if want := math.Pow(0.3+0.4-0.42, float64(l)); math.Abs(got-want) > 0.06 {
			t.Errorf("degree %d: %g on average, want %g", l, got, want)
		}
	}
}
