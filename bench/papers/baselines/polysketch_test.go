package baselines

import (
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/bench/papers/lab"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// products returns weight·Φ·Φᵀ of rows.
func products(f *tensorMap, weight float64, x blas64.General) *mat.Dense {
	z, a := stream.NewMatrix(x.Rows, f.Columns()), new(mat.Dense)
	f.Applier()(z, x)
	a.Mul(lab.Dense(z), lab.Dense(z).T())
	a.Scale(weight, a)
	return a
}

// TestPolySketchUnbiased: with the weights of the Taylor series the mean of Â over seeds
// is A, entry by entry, within four and a half standard errors and what the degrees left
// out hold.
func TestPolySketchUnbiased(t *testing.T) {
	const n, seeds = 12, 200
	x, k := clusters(n, 4, 3), kernelgen.Scale(3, kernelgen.RBF(1))
	sum, squares := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for seed := range uint64(seeds) {
		f, weight := PolySketch{Rank: 24, Seed: seed}.series(k, x)
		if f.Columns() != 24 {
			t.Fatalf("%d columns", f.Columns())
		}
		a := products(f, weight, x)
		sum.Add(sum, a)
		a.MulElem(a, a)
		squares.Add(squares, a)
	}
	a := lab.Kernel(k, x, x)
	for i := range n {
		for j := range n {
			mean := sum.At(i, j) / seeds
			deviation := math.Sqrt(max(0, squares.At(i, j)/seeds-mean*mean) / seeds)
			if e := math.Abs(mean - a.At(i, j)); !(e <= 4.5*deviation+0.06) {
				t.Errorf("entry %d, %d has the mean %g and is %g: %.1f standard errors", i, j, mean, a.At(i, j), e/deviation)
			}
		}
	}
}

// TestPolySketchWeights: fitted weights err less than those of the Taylor series, and no
// weight that is scaled alone errs less.
func TestPolySketchWeights(t *testing.T) {
	x, k := clusters(60, 4, 3), kernelgen.RBF(1)
	a := lab.Kernel(k, x, x)
	f, weight := PolySketch{Rank: 24, Seed: 1}.series(k, x)
	before := relative(a, products(f, weight, x))
	f.fitWeights(weight, k, x, 60)
	fitted := relative(a, products(f, weight, x))
	if !(fitted < before) {
		t.Errorf("error %g, with the Taylor series %g", fitted, before)
	}
	for j := range f.degrees {
		for _, scale := range []float64{0.99, 1.01} {
			f.degrees[j].weight *= scale
			if e := relative(a, products(f, weight, x)); e < fitted*(1-1e-9) {
				t.Errorf("degree %d times %g: error %g, fitted %g", j, scale, e, fitted)
			}
			f.degrees[j].weight /= scale
		}
	}
}

// TestPolySketchNasty: rows that break naive code give finite values and orthonormal
// factors, or an error that says what to do; other kernels and bad numbers are refused.
func TestPolySketchNasty(t *testing.T) {
	times := func(scale ...float64) blas64.General {
		x := clusters(120, 3, 5)
		for i := range x.Data {
			x.Data[i] *= scale[i%len(scale)]
		}
		return x
	}
	for name, x := range map[string]blas64.General{
		"one row": clusters(1, 3, 1), "few rows": clusters(20, 3, 1), "zero": times(0), "constant columns": times(1, 0, 1),
		"1e150 and 1e-150": times(1e150, 1, 1e-150), "1e308": times(1e308), "denormals": times(1e-310),
	} {
		f, err := PolySketch{Rank: 10, Seed: 1}.Fit(background, stream.Engine{}, sources(x), kernelgen.RBF(2))
		if err == nil {
			err = f.Refine(background, stream.Engine{}, sources(x))
		}
		if err != nil {
			if !strings.Contains(err.Error(), "scale the") {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if len(f.Values) == 0 { // all rows are damped to nothing
			continue
		}
		u, a := approximation(t, f, x)
		if e := orthogonality(u); !(e <= 1e-10) || math.IsNaN(mat.Norm(a, 2)) {
			t.Errorf("%s: ‖UᵀU−I‖ = %g, values %v", name, e, f.Values)
		}
	}
	x := clusters(3000, 4, 8)
	x.Data[77*4+1] = math.NaN()
	_, err := PolySketch{Rank: 8, Seed: 1}.Fit(background, stream.Engine{}, sources(x), kernelgen.RBF(1))
	var place *stream.BadValueError
	if !errors.As(err, &place) || place.Row != 77 {
		t.Errorf("error %v does not name row 77", err)
	}
	sum := kernelgen.Sum(kernelgen.RBF(1), kernelgen.Linear())
	for _, k := range []kernelgen.Kernel{kernelgen.Laplace(1), kernelgen.ExpDot(1), sum} {
		if _, err := (PolySketch{Rank: 6}).Fit(background, stream.Engine{}, sources(times(1)), k); err == nil {
			t.Errorf("%s is accepted", k)
		}
	}
}
