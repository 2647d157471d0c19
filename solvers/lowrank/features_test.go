package lowrank

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

type fitFunc = func(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel) (*Fit, error)

// featureCase is a method with a kernel that it is for, and whether w·Z·Zᵀ is
// unbiased.
type featureCase struct {
	name     string
	fit      func(rank int, seed uint64) fitFunc
	kernel   string
	unbiased bool
}

func featureCases() []featureCase {
	rff := func(rank int, seed uint64) fitFunc { return RFF{Rank: rank, Seed: seed}.Fit }
	orthogonal := func(rank int, seed uint64) fitFunc { return RFF{Rank: rank, Seed: seed, Orthogonal: true}.Fit }
	fitted := func(rank int, seed uint64) fitFunc { return PolySketch{Rank: rank, Seed: seed}.Fit }
	taylor := func(rank int, seed uint64) fitFunc {
		return PolySketch{Rank: rank, Seed: seed, Weights: WeightsTaylor}.Fit
	}
	var cases []featureCase
	for _, kernel := range []string{"rbf(gamma=2)", "3*exponential(gamma=1)", "matern12(length=1)", "matern32(length=0.7)", "matern52(length=0.7)",
		"rq(alpha=0.7, length=0.5)", "cauchy(length=0.8)", "0.5*imq(length=0.6)"} {
		cases = append(cases, featureCase{"rff", rff, kernel, true}, featureCase{"orf", orthogonal, kernel, true})
	}
	return append(cases,
		featureCase{"rff", rff, "2*laplace(gamma=0.5)", true},
		featureCase{"polysketch", fitted, "poly(degree=3, gamma=0.5, coef0=1)", true},
		featureCase{"polysketch", fitted, "2*poly(degree=2, gamma=1, coef0=0)", true},
		featureCase{"polysketch", fitted, "linear()", true},
		featureCase{"polysketch", fitted, "3*expdot(scale=0.7)", false},
		featureCase{"polysketch", fitted, "rbf(gamma=1)", false},
		featureCase{"polysketch taylor", taylor, "3*expdot(scale=0.7)", true},
		featureCase{"polysketch taylor", taylor, "rbf(gamma=1)", true},
	)
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

// TestFeaturesUnbiased: the mean of Â over seeds is A, entry by entry, within
// what the central limit theorem allows over all of them, and four and a half
// standard errors for each. Degrees that are left out of a Taylor series hold
// less than the tolerance.
func TestFeaturesUnbiased(t *testing.T) {
	t.Parallel()
	const n = 12
	seeds := 200
	x := clusters(n, 4, 3)
	for _, c := range featureCases() {
		if !c.unbiased {
			continue
		}
		a := kernelMatrix(parseKernel(t, c.kernel), x, x)
		sum, squares := stream.NewMatrix(n, n), stream.NewMatrix(n, n)
		for seed := range uint64(seeds) {
			f := c.model(t, x, 24, seed)
			u := factors(t, f.Model, f.Left, x)
			for i, v := range approximation(f.Model, u, u).Data {
				sum.Data[i] += v
				squares.Data[i] += v * v
			}
		}
		bias := 1e-9
		if strings.Contains(c.name, "taylor") {
			bias = 0.02
		}
		for i, want := range a.Data {
			mean := sum.Data[i] / float64(seeds)
			deviation := math.Sqrt(max(0, squares.Data[i]/float64(seeds)-mean*mean) / float64(seeds))
			if e := math.Abs(mean - want); !(e <= 4.5*deviation+bias*a.Data[0]) {
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

// TestFeatureRate: four times the features halve the error, on average over
// seeds; the errors are heavy-tailed for the higher degrees.
func TestFeatureRate(t *testing.T) {
	t.Parallel()
	x := clusters(150, 4, 3)
	kernels := map[string]int{} // of each method so far
	for _, c := range featureCases() {
		if c.name == "orf" || c.name == "polysketch" && !strings.HasPrefix(c.kernel, "poly") && !strings.HasPrefix(c.kernel, "2*poly") {
			continue
		}
		if kernels[c.name]++; kernels[c.name] > fewer(9, 3) {
			continue
		}
		small, large := c.meanError(t, x, 16, 40), c.meanError(t, x, 64, 40)
		ratio := math.Sqrt(small / large)
		t.Logf("%v: error %.3g with 16, %.3g with 64 features", c, math.Sqrt(small), math.Sqrt(large))
		if strings.Contains(c.name, "taylor") { // degrees that are exact make it fall faster
			if ratio < 1.5 {
				t.Errorf("%v: the error falls by %g only", c, ratio)
			}
			continue
		}
		if ratio < 1.5 || ratio > 2.7 {
			t.Errorf("%v: the error falls by %g, want about 2", c, ratio)
		}
	}
}

// TestOrthogonalFeatures: they have less variance than independent ones.
func TestOrthogonalFeatures(t *testing.T) {
	t.Parallel()
	x := clusters(100, 10, 3)
	cases := featureCases()
	rff, orf := cases[0], cases[1]
	independent, orthogonal := rff.meanError(t, x, 20, 60), orf.meanError(t, x, 20, 60)
	t.Logf("mean square errors %.4g and %.4g", independent, orthogonal)
	if !(orthogonal < 0.9*independent) {
		t.Errorf("mean square error %g with orthogonal features, %g with independent ones", orthogonal, independent)
	}
}

// TestOrthogonalFrequencies: within a block of d they are orthogonal, and their
// lengths are those of d normals times the scale.
func TestOrthogonalFrequencies(t *testing.T) {
	t.Parallel()
	const d, m = 7, 18
	measure, err := kernelgen.RBF(0.5).SpectralMeasure() // scale 1
	if err != nil {
		t.Fatal(err)
	}
	lengths, count := 0.0, 0
	for seed := range uint64(100) {
		omega := RFF{Rank: 2 * m, Seed: seed, Orthogonal: true}.frequencies(measure, d)
		for i := range m {
			for j := range i {
				cosine := dense.Dot(dense.Row(omega, i), dense.Row(omega, j)) / dense.Norm(dense.Row(omega, i)) / dense.Norm(dense.Row(omega, j))
				if i/d == j/d && math.Abs(cosine) > 1e-14 {
					t.Fatalf("frequencies %d and %d have the cosine %g", i, j, cosine)
				}
			}
			lengths += squareOf(dense.Row(omega, i))
			count++
		}
	}
	// χ² with d degrees of freedom has the mean d and the variance 2d.
	if mean := lengths / float64(count); math.Abs(mean-d) > 4*math.Sqrt(2*d/float64(count)) {
		t.Errorf("the mean square length is %g, want %d", mean, d)
	}
}

// TestFeatureModels: Â is w·Z·Zᵀ, its factors are orthonormal after Refine, which
// changes nothing else, Verify agrees with the dense matrix, and the estimate is
// near.
func TestFeatureModels(t *testing.T) {
	t.Parallel()
	x := clusters(700, 5, 3)
	src := stream.FromMatrix("x", x)
	ctx, e := context.Background(), stream.Engine{}
	for _, c := range featureCases() {
		k := parseKernel(t, c.kernel)
		counted := stream.NewCounted(src)
		f, err := c.fit(40, 5)(ctx, e, model.Sources{Left: counted}, k)
		if err != nil {
			t.Fatal(err)
		}
		if counted.Passes() != 1 {
			t.Errorf("%v: %d passes", c, counted.Passes())
		}
		a := kernelMatrix(k, x, x)
		z := applyFeatures(f.Left.Features, x)
		weight := a.Data[0]
		if _, ok := k.SpectralMeasure(); ok != nil {
			p, _ := k.Polynomial()
			q, _ := k.ProductExponential()
			weight = p.Weight + q.Weight
		} else if strings.Contains(c.name, "polysketch") {
			weight = 1
		}
		zz := dense.Mul(blas.NoTrans, z, blas.Trans, z)
		for i := range zz.Data {
			zz.Data[i] *= weight
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
		t.Logf("%v: rank %d, error %.3g, estimate %.3g, spectral %.3g, condition %.2g %v", c, len(f.Values), diff, f.ErrorEstimate, v.SpectralError, f.Condition, f.Notes)
		if math.Abs(v.FrobeniusError-diff) > 1e-6*diff+1e-12 {
			t.Errorf("%v: Verify says %g, dense computation %g", c, v.FrobeniusError, diff)
		}
		if diff > 1e-10 && (f.ErrorEstimate < 0.8*diff || f.ErrorEstimate > 1.25*diff) {
			t.Errorf("%v: estimate %g, measured %g", c, f.ErrorEstimate, diff)
		}
	}
}

// TestFeatureSaveLoad: a model comes back bit by bit; without an array, or with a
// damaged header, it does not. New rows have the embedding that they had as
// fitted ones.
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
		tail := factors(t, m, m.Left, stream.RowSlice(x, 250, 50))
		if diff := cmp.Diff(stream.RowSlice(u, 250, 50).Data, tail.Data); diff != "" {
			t.Errorf("%v: rows on their own have another embedding", c)
		}
		checkDamagedArrays(t, fmt.Sprint(c), file)
		var h Header
		file.ReadHeader(&h)
		for name, damage := range map[string]func(f *FeatureHeader){
			"kind":             func(f *FeatureHeader) { f.Kind = "wavelet" },
			"more columns":     func(f *FeatureHeader) { f.Columns += 2 },
			"no columns":       func(f *FeatureHeader) { f.Columns = 0 },
			"negative columns": func(f *FeatureHeader) { f.Columns = -2 },
			"dimension":        func(f *FeatureHeader) { f.Dimension++ },
			"huge dimension":   func(f *FeatureHeader) { f.Dimension = 1 << 62 },
			"huge columns":     func(f *FeatureHeader) { f.Columns = 1 << 62 },
		} {
			bad := *h.Left.Features
			damage(&bad)
			side := *h.Left
			side.Features = &bad
			header := h
			header.Left = &side
			if name == "dimension" && c.kernel == "linear()" {
				continue // the row itself, whatever its length
			}
			if _, err := Load(withHeader(t, file, header)); err == nil {
				t.Errorf("%v: a model with another %s was loaded", c, name)
			}
		}
	}
}

// TestDamagedFeatures: numbers and degrees of a saved model that make no sense
// are refused.
func TestDamagedFeatures(t *testing.T) {
	t.Parallel()
	x := clusters(300, 4, 3)
	ctx, e, src := context.Background(), stream.Engine{}, stream.FromMatrix("x", x)
	f, err := PolySketch{Rank: 20, Seed: 1}.Fit(ctx, e, model.Sources{Left: src}, kernelgen.RBF(1))
	if err != nil {
		t.Fatal(err)
	}
	for name, damage := range map[string]func(f *FeatureHeader){
		"seed":            func(f *FeatureHeader) { f.Seed++ },
		"negative scale":  func(f *FeatureHeader) { f.Scale = -1 },
		"constant":        func(f *FeatureHeader) { f.Constant = -1 },
		"one degree less": func(f *FeatureHeader) { f.Degrees = f.Degrees[1:] },
		"high degree":     func(f *FeatureHeader) { f.Degrees[len(f.Degrees)-1].Degree = 1 << 60 },
		"negative degree": func(f *FeatureHeader) { f.Degrees[0].Degree = -1 },
		"degree 0":        func(f *FeatureHeader) { f.Degrees[0].Exact = false },
		"columns":         func(f *FeatureHeader) { f.Degrees[1].Columns++ },
		"no columns":      func(f *FeatureHeader) { f.Degrees[1].Columns = 0 },
		"weight":          func(f *FeatureHeader) { f.Degrees[1].Weight = -1 },
		"exact":           func(f *FeatureHeader) { f.Degrees[len(f.Degrees)-1].Exact = true },
	} {
		_, file := reload(t, f.Model)
		var h Header
		file.ReadHeader(&h)
		damage(h.Left.Features)
		if _, err := Load(withHeader(t, file, h)); err == nil {
			t.Errorf("a model with damaged %s was loaded", name)
		}
	}
}

// TestFeatureBits: the same model for any number of threads and any read size.
func TestFeatureBits(t *testing.T) {
	t.Parallel()
	x := clusters(3000, 5, 11)
	run := func(c featureCase, threads int, sizes []int) string {
		ctx, e := context.Background(), stream.Engine{Threads: threads, BlockRows: 512}
		src := stream.Source(choppy{stream.FromMatrix("x", x), sizes})
		f, err := c.fit(12, 1)(ctx, e, model.Sources{Left: src}, parseKernel(t, c.kernel))
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Refine(ctx, e, model.Sources{Left: src}); err != nil {
			t.Fatal(err)
		}
		return saved(f.Model) + fmt.Sprint(f.ErrorEstimate)
	}
	for _, c := range featureCases() {
		want := run(c, 1, []int{1 << 20})
		for _, threads := range []int{2, 8} {
			if run(c, threads, []int{1, 7, 300, 513}) != want {
				t.Errorf("%v: the models differ with %d threads", c, threads)
			}
		}
	}
}

// TestFeaturesRefuse: kernels without features, and numbers that make no sense,
// with what to do.
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
		{RFF{Rank: 6, Orthogonal: true}.Fit, "laplace(gamma=1)", "`features gaussian`"},
		{PolySketch{Rank: 6}.Fit, "laplace(gamma=1)", "poly, linear, expdot and rbf"},
		{PolySketch{Rank: 6}.Fit, "poly(gamma=1, coef0=-1)", "negative coef0"},
		{PolySketch{Rank: 6}.Fit, "poly(gamma=1, degree=31)", "above 30"},
		{PolySketch{}.Fit, "poly(gamma=1)", "at least 1"},
	} {
		_, err := c.fit(context.Background(), stream.Engine{}, model.Sources{Left: src}, parseKernel(t, c.kernel))
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one with %q", c.kernel, err, c.says)
		}
	}
	long, err := PolySketch{Rank: 6}.Fit(context.Background(), stream.Engine{}, model.Sources{Left: src}, kernelgen.RBF(100))
	if err != nil || !strings.Contains(fmt.Sprint(long.Notes), "of the trace of A") {
		t.Errorf("long rows: %v, %v", long, err)
	}
	f, err := RFF{Rank: 7}.Fit(context.Background(), stream.Engine{}, model.Sources{Left: src}, kernelgen.RBF(1))
	if err != nil || len(f.Values) != 6 || !strings.Contains(fmt.Sprint(f.Notes), "in pairs") {
		t.Errorf("7 features: %v, %v", f, err)
	}
}

// TestNastyFeatures: on nasty inputs finite values and orthonormal factors, or
// an error that says what to do.
func TestNastyFeatures(t *testing.T) {
	t.Parallel()
	for _, c := range nastyCases() {
		fits := map[string]fitFunc{"polysketch": PolySketch{Rank: 10, Seed: 1}.Fit, "polysketch taylor": PolySketch{Rank: 10, Seed: 1, Weights: WeightsTaylor}.Fit}
		if _, err := c.k.SpectralMeasure(); err == nil {
			fits["rff"] = RFF{Rank: 10, Seed: 1}.Fit
			fits["orf"] = RFF{Rank: 10, Seed: 1, Orthogonal: true}.Fit
		}
		if c.k.String() == "linear()" {
			fits["polysketch of squares"] = func(ctx context.Context, e stream.Engine, d model.Sources, _ kernelgen.Kernel) (*Fit, error) {
				return PolySketch{Rank: 10, Seed: 1}.Fit(ctx, e, d, kernelgen.Poly(2, 1, 1))
			}
		}
		for name, fit := range fits {
			t.Run(c.name+"/"+name, func(t *testing.T) {
				nasty(t, c.x, c.k, c.refuse, func(src stream.Source, k kernelgen.Kernel) (*Fit, error) {
					f, err := fit(context.Background(), stream.Engine{}, model.Sources{Left: src}, k)
					if err != nil && (strings.Contains(err.Error(), "scale the columns") || strings.Contains(err.Error(), "scale the data down")) {
						t.Skipf("refused, which is right; kernels or data of less scale run: %v", err)
					}
					return f, err
				})
			})
		}
	}
}

// TestFeaturesNotFinite: a bad number handed in directly is an error with its
// place, also where damping would hide it.
func TestFeaturesNotFinite(t *testing.T) {
	t.Parallel()
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		x := clusters(3000, 4, 8)
		x.Data[77*4+1] = bad
		for _, c := range featureCases() {
			_, err := c.fit(8, 1)(context.Background(), stream.Engine{}, model.Sources{Left: stream.FromMatrix("x", x)}, parseKernel(t, c.kernel))
			var place *stream.BadValueError
			if !errors.As(err, &place) || place.Row != 77 {
				t.Errorf("%v, %v: error %v does not name row 77", c, bad, err)
			}
		}
	}
}

// TestFeaturePlan: entries are counted, and what the map holds grows with it.
func TestFeaturePlan(t *testing.T) {
	t.Parallel()
	e, src := stream.Engine{}, stream.FromMatrix("x", clusters(3000, 5, 3))
	for name, m := range map[string]Method{"rff": RFF{Rank: 20}, "orf": RFF{Rank: 20, Orthogonal: true}, "polysketch": PolySketch{Rank: 20}} {
		plan, err := m.Plan(e, model.Shape{Rows: 3000, Columns: 5}, kernelgen.RBF(1))
		if err != nil {
			t.Fatal(err)
		}
		f, err := m.Fit(context.Background(), e, model.Sources{Left: src}, kernelgen.RBF(1))
		if err != nil {
			t.Fatal(err)
		}
		if r := float64(plan.KernelEntries) / float64(f.KernelEntries); r < 0.9 || r > 1.6 || plan.Passes != 1 {
			t.Errorf("%s: %d entries planned, %d evaluated, %d passes", name, plan.KernelEntries, f.KernelEntries, plan.Passes)
		}
	}
}
