package lowrank

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/passcount"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

type fitFunc = func(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel) (*Fit, error)

// featureCase is a method with a suitable kernel.
type featureCase struct {
	name   string
	fit    func(rank int, seed uint64) fitFunc
	kernel string
}

func featureCases() []featureCase {
	rff := func(rank int, seed uint64) fitFunc { return RFF{Rank: rank, Seed: seed}.Fit }
	var cases []featureCase
	for _, kernel := range []string{"rbf(gamma=2)", "3*exponential(gamma=1)", "matern12(length=1)", "matern32(length=0.7)", "matern52(length=0.7)",
		"rq(alpha=0.7, length=0.5)", "cauchy(length=0.8)", "0.5*imq(length=0.6)"} {
		cases = append(cases, featureCase{"rff", rff, kernel})
	}
	return append(cases, featureCase{"rff", rff, "2*laplace(gamma=0.5)"})
}

func (c featureCase) String() string { return c.name + " " + c.kernel }

func (c featureCase) model(t *testing.T, x blas64.General, rank int, seed uint64) *Fit {
	t.Helper()
	f, err := c.fit(rank, seed)(context.Background(), stream.Engine{}, model.Sources{Left: stream.FromMatrix("x", x)}, parseKernel(t, c.kernel))
	if err != nil {
		t.Fatalf("%v: %v", c, err)
	}
	return f
}

// TestFeaturesUnbiased: the mean of Â over seeds is A. The test follows the central limit theorem over all entries, and
// allows 4.5 standard errors for each.
func TestFeaturesUnbiased(t *testing.T) {
	inTheLarge(t)
	t.Parallel()
	const n = 12
	const seeds = 100
	x := clusters(n, 4, 3)
	for _, c := range featureCases() {
		a := kernelMatrix(parseKernel(t, c.kernel), x, x)
		sum, squares := matrix.New(n, n), matrix.New(n, n)
		for seed := range uint64(seeds) {
			f := c.model(t, x, 24, seed)
			u := factors(t, f.Model, f.Left, x)
			for i, v := range approximation(f.Model, u, u).Data {
				sum.Data[i] += v
				squares.Data[i] += v * v
			}
		}
		for i, want := range a.Data {
			mean := sum.Data[i] / float64(seeds)
			deviation := math.Sqrt(max(0, squares.Data[i]/float64(seeds)-mean*mean) / float64(seeds))
			if e := math.Abs(mean - want); !(e <= 4.5*deviation+1e-9*a.Data[0]) {
				t.Errorf("%v: entry %d has the mean %g and is %g: %.1f standard errors", c, i, mean, want, e/deviation)
			}
		}
	}
}

// meanError returns the mean of ‖A−Â‖_F²/‖A‖_F² over seeds.
func (c featureCase) meanError(t *testing.T, x blas64.General, rank, seeds int) float64 {
	t.Helper()
	a := kernelMatrix(parseKernel(t, c.kernel), x, x)
	norm, sum := dense.Frobenius(a), 0.0
	for seed := range uint64(seeds) {
		f := c.model(t, x, rank, seed)
		u := factors(t, f.Model, f.Left, x)
		e := dense.Frobenius(difference(a, approximation(f.Model, u, u))) / norm
		sum += e * e
	}
	return sum / float64(seeds)
}

// TestFeatureRate: four times the features halve the error, on average over seeds.
func TestFeatureRate(t *testing.T) {
	inTheLarge(t)
	t.Parallel()
	x := clusters(40, 4, 3)
	for _, c := range featureCases() {
		small, large := c.meanError(t, x, 16, 15), c.meanError(t, x, 64, 15)
		ratio := math.Sqrt(small / large)
		t.Logf("%v: error %.3g with 16, %.3g with 64 features", c, math.Sqrt(small), math.Sqrt(large))
		if ratio < 1.5 || ratio > 2.7 {
			t.Errorf("%v: the error falls by %g, want about 2", c, ratio)
		}
	}
}

// TestOrthogonalFrequencies: frequencies within a block of d are orthogonal, and their lengths have the distribution of
// d normals times the scale.
func TestOrthogonalFrequencies(t *testing.T) {
	t.Parallel()
	const d, m = 7, 18
	measure, err := kernelgen.RBF(0.5).SpectralMeasure() // scale 1
	if err != nil {
		t.Fatal(err)
	}
	lengths, count := 0.0, 0
	for seed := range uint64(100) {
		omega := RFF{Rank: 2 * m, Seed: seed}.frequencies(measure, d)
		for i := range m {
			for j := range i {
				cosine := dense.Dot(matrix.Row(omega, i), matrix.Row(omega, j)) / dense.Norm(matrix.Row(omega, i)) / dense.Norm(matrix.Row(omega, j))
				if i/d == j/d && math.Abs(cosine) > 1e-14 {
					t.Fatalf("frequencies %d and %d have the cosine %g", i, j, cosine)
				}
			}
			lengths += dense.Dot(matrix.Row(omega, i), matrix.Row(omega, i))
			count++
		}
	}
	// χ² with d degrees of freedom has mean d and variance 2d.
	if mean := lengths / float64(count); math.Abs(mean-d) > 4*math.Sqrt(2*d/float64(count)) {
		t.Errorf("the mean square length is %g, want %d", mean, d)
	}
}

// TestFeatureModels: Â is w·Z·Zᵀ. Refine makes its factors orthonormal and changes nothing else. Verify agrees with the
// dense matrix, and the estimate is close.
func TestFeatureModels(t *testing.T) {
	inTheLarge(t)
	t.Parallel()
	x := clusters(300, 5, 3)
	src := stream.FromMatrix("x", x)
	ctx, e := context.Background(), stream.Engine{}
	for _, c := range featureCases() {
		k := parseKernel(t, c.kernel)
		counted := passcount.New(src)
		f, err := c.fit(40, 5)(ctx, e, model.Sources{Left: counted}, k)
		if err != nil {
			t.Fatal(err)
		}
		if counted.Passes() != 1 {
			t.Errorf("%v: %d passes", c, counted.Passes())
		}
		a := kernelMatrix(k, x, x)
		z := matrix.New(x.Rows, f.Left.features.columns())
		f.Left.features.applier()(z, x)
		zz := dense.Mul(blas.NoTrans, z, blas.Trans, z)
		for i := range zz.Data {
			zz.Data[i] *= a.Data[0] // k(x, x)
		}
		u := factors(t, f.Model, f.Left, x)
		if d := dense.Frobenius(difference(zz, approximation(f.Model, u, u))) / dense.Frobenius(zz); d > 1e-10 {
			t.Errorf("%v: Â differs from w·Z·Zᵀ by %g", c, d)
		}
		if err := f.Refine(ctx, e, model.Sources{Left: src}); err != nil {
			t.Fatal(err)
		}
		u = factors(t, f.Model, f.Left, x)
		if d := orthogonalityError(u); d > 1e-12 {
			t.Errorf("%v: max|UᵀU−I| = %g", c, d)
		}
		diff := dense.Frobenius(difference(a, approximation(f.Model, u, u))) / dense.Frobenius(a)
		v, err := f.Verify(ctx, e, model.Sources{Left: src}, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%v: rank %d, error %.3g, estimate %.3g, spectral %.3g, condition %.2g %v", c, len(f.Values), diff, f.EstimateIn(NormFrobenius), v.SpectralError, f.Condition, f.Notes)
		if math.Abs(v.FrobeniusError-diff) > 1e-6*diff+1e-12 {
			t.Errorf("%v: Verify says %g, dense computation %g", c, v.FrobeniusError, diff)
		}
		if diff > 1e-10 && (f.EstimateIn(NormFrobenius) < 0.8*diff || f.EstimateIn(NormFrobenius) > 1.25*diff) {
			t.Errorf("%v: estimate %g, measured %g", c, f.EstimateIn(NormFrobenius), diff)
		}
	}
}

// TestFeatureSaveLoad: a loaded model has the same bits, and Load refuses a damaged header. New rows have the embedding
// of equal fitted rows.
func TestFeatureSaveLoad(t *testing.T) {
	t.Parallel()
	x := clusters(300, 4, 3)
	for _, c := range featureCases() {
		f := c.model(t, x, 12, 2)
		if err := f.Refine(context.Background(), stream.Engine{}, model.Sources{Left: stream.FromMatrix("x", x)}); err != nil {
			t.Fatal(err)
		}
		m, file := reload(t, f.Model)
		if saved(m) != saved(f.Model) {
			t.Errorf("%v: the model changed on its way", c)
		}
		u := factors(t, f.Model, f.Left, x)
		tail := factors(t, m, m.Left, matrix.Rows(x, 250, 50))
		if diff := cmp.Diff(matrix.Rows(u, 250, 50).Data, tail.Data); diff != "" {
			t.Errorf("%v: rows on their own have another embedding", c)
		}
		var h header
		file.Read(&h)
		for name, damage := range map[string]func(f *featureHeader){
			"kind":             func(f *featureHeader) { f.Kind = "wavelet" },
			"more columns":     func(f *featureHeader) { f.Columns += 2 },
			"no columns":       func(f *featureHeader) { f.Columns = 0 },
			"negative columns": func(f *featureHeader) { f.Columns = -2 },
			"dimension":        func(f *featureHeader) { f.Dimension++ },
			"huge dimension":   func(f *featureHeader) { f.Dimension = 1 << 62 },
			"huge columns":     func(f *featureHeader) { f.Columns = 1 << 62 },
		} {
			bad := *h.Left.Features
			damage(&bad)
			side := *h.Left
			side.Features = &bad
			header := h
			header.Left = &side
			if _, err := Load(withHeader(t, file, header)); err == nil {
				t.Errorf("%v: a model with another %s was loaded", c, name)
			}
		}
	}
}

// TestFeaturesRefuse: kernels without features and invalid settings are refused with a remedy.
func TestFeaturesRefuse(t *testing.T) {
	t.Parallel()
	src := stream.FromMatrix("x", clusters(50, 3, 3))
	for _, c := range []struct {
		fit          fitFunc
		kernel, says string
	}{
		{RFF{Rank: 6}.Fit, "linear()", "rbf, gaussian, laplace, exponential"},
		{RFF{Rank: 6}.Fit, "rbf(gamma=1) + laplace(gamma=1)", "not for sums"},
		{RFF{Rank: 1}.Fit, "rbf(gamma=1)", "at least 2"},
	} {
		_, err := c.fit(context.Background(), stream.Engine{}, model.Sources{Left: src}, parseKernel(t, c.kernel))
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one with %q", c.kernel, err, c.says)
		}
	}
	f, err := RFF{Rank: 7}.Fit(context.Background(), stream.Engine{}, model.Sources{Left: src}, kernelgen.RBF(1))
	if err != nil || len(f.Values) != 6 || !strings.Contains(fmt.Sprint(f.Notes), "in pairs") {
		t.Errorf("7 features: %v, %v", f, err)
	}
}

// TestNastyFeatures: degenerate and extreme rows give finite values and orthonormal factors, or an error with a remedy.
func TestNastyFeatures(t *testing.T) {
	t.Parallel()
	for _, c := range nastyCases() {
		if c.k.String() == "linear()" {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			nastyOr(t, c.x, c.k, func(src stream.Source, k kernelgen.Kernel) (*Fit, error) {
				return RFF{Rank: 10, Seed: 1}.Fit(context.Background(), stream.Engine{}, model.Sources{Left: src}, k)
			}, c.refuse, "scale the columns", "scale the data down")
		})
	}
}
