package baselines

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/solvers/nyblas"
	"github.com/nystream/nystream/stream"
)

// Products of matrices are those of the command: gonum's take most of the time of
// the tests.
func init() { blas64.Use(nyblas.Implementation{}) }

var (
	_ lowrank.Method = PolySketch{}

	background = context.Background()
)

// clusters returns n rows in d dimensions around a few centres.
func clusters(n, d int, seed uint64) blas64.General {
	m := stream.NewMatrix(n, d)
	centre, noise := sketch.NewRandom(seed, "test centres"), sketch.NewRandom(seed, "test noise")
	for i := range n {
		c, e := centre.At(uint64(i%7)), noise.At(uint64(i))
		for j := range d {
			m.Data[i*d+j] = c.Float64() + 0.15*e.Normal()
		}
	}
	return m
}

func sources(x blas64.General) model.Sources {
	return model.Sources{Left: stream.FromMatrix("x", x)}
}

func parse(t *testing.T, text string) kernelgen.Kernel {
	t.Helper()
	k, err := kernelgen.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// approximation returns U·diag(values)·Uᵀ of the rows x.
func approximation(t *testing.T, f *lowrank.Fit, x blas64.General) (u, a blas64.General) {
	t.Helper()
	u = stream.NewMatrix(x.Rows, len(f.Values))
	err := f.Transform(background, stream.Engine{}, model.Left, sources(x).Left, false, func(b *stream.Block, out blas64.General) error {
		for i := range out.Rows {
			copy(dense.Row(u, int(b.Start)+i), dense.Row(out, i))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	scaled := dense.Clone(u)
	dense.ScaleColumns(scaled, f.Values)
	return u, dense.Mul(blas.NoTrans, scaled, blas.Trans, u)
}

func kernelMatrix(k kernelgen.Kernel, x blas64.General) blas64.General {
	a := stream.NewMatrix(x.Rows, x.Rows)
	k.Fill(a, x, k.Pack(x), nil)
	return a
}

// relative returns ‖A−B‖_F/‖A‖_F.
func relative(a, b blas64.General) float64 {
	d := dense.Clone(a)
	for i, v := range b.Data {
		d.Data[i] -= v
	}
	return dense.Frobenius(d) / dense.Frobenius(a)
}

// polyCase is weights with a kernel, and whether w·Z·Zᵀ is unbiased.
type polyCase struct {
	kernel   string
	weights  WeightRule
	unbiased bool
}

var polyCases = []polyCase{
	{"poly(degree=3, gamma=0.5, coef0=1)", WeightsFitted, true},
	{"2*poly(degree=2, gamma=1, coef0=0)", WeightsFitted, true},
	{"linear()", WeightsFitted, true},
	{"3*expdot(scale=0.7)", WeightsFitted, false},
	{"rbf(gamma=1)", WeightsFitted, false},
	{"3*expdot(scale=0.7)", WeightsTaylor, true},
	{"rbf(gamma=1)", WeightsTaylor, true},
}

func (c polyCase) fit(t *testing.T, x blas64.General, rank int, seed uint64) *lowrank.Fit {
	t.Helper()
	f, err := PolySketch{Rank: rank, Weights: c.weights, Seed: seed}.Fit(background, stream.Engine{}, sources(x), parse(t, c.kernel))
	if err != nil {
		t.Fatalf("%v: %v", c, err)
	}
	return f
}

// TestPolySketchUnbiased: the mean of Â over seeds is A, entry by entry, within four and
// a half standard errors. Degrees that are left out of a Taylor series hold less than the
// tolerance.
func TestPolySketchUnbiased(t *testing.T) {
	t.Parallel()
	const n, seeds = 12, 200
	x := clusters(n, 4, 3)
	for _, c := range polyCases {
		if !c.unbiased {
			continue
		}
		a, bias := kernelMatrix(parse(t, c.kernel), x), 1e-9
		if c.weights == WeightsTaylor {
			bias = 0.02
		}
		sum, squares := make([]float64, n*n), make([]float64, n*n)
		for seed := range uint64(seeds) {
			_, approx := approximation(t, c.fit(t, x, 24, seed), x)
			for i, v := range approx.Data {
				sum[i] += v
				squares[i] += v * v
			}
		}
		for i, want := range a.Data {
			mean := sum[i] / seeds
			deviation := math.Sqrt(max(0, squares[i]/seeds-mean*mean) / seeds)
			if e := math.Abs(mean - want); !(e <= 4.5*deviation+bias*a.Data[0]) {
				t.Errorf("%v: entry %d has the mean %g and is %g: %.1f standard errors", c, i, mean, want, e/deviation)
			}
		}
	}
}

// TestPolySketchRate: four times the features halve the error, on average over seeds;
// with the Taylor series degrees that are exact make it fall faster.
func TestPolySketchRate(t *testing.T) {
	t.Parallel()
	x := clusters(150, 4, 3)
	meanError := func(c polyCase, rank int) float64 {
		a, sum := kernelMatrix(parse(t, c.kernel), x), 0.0
		for seed := range uint64(40) {
			_, approx := approximation(t, c.fit(t, x, rank, seed), x)
			e := relative(a, approx)
			sum += e * e
		}
		return math.Sqrt(sum / 40)
	}
	for _, c := range []polyCase{polyCases[0], polyCases[1], polyCases[6]} {
		small, large := meanError(c, 16), meanError(c, 64)
		t.Logf("%v: error %.3g with 16, %.3g with 64 features", c, small, large)
		if small/large < 1.5 || c.weights == WeightsFitted && small/large > 2.7 {
			t.Errorf("%v: the error falls by %g, want about 2", c, small/large)
		}
	}
}

// TestPolySketchModels: Â is w·Z·Zᵀ, its factors are orthonormal after Refine, which
// changes nothing else, Verify agrees with the dense matrix, and the estimate is near.
func TestPolySketchModels(t *testing.T) {
	t.Parallel()
	x := clusters(700, 5, 3)
	for _, c := range polyCases {
		k := parse(t, c.kernel)
		counted := stream.NewCounted(stream.FromMatrix("x", x))
		d := model.Sources{Left: counted}
		f, err := PolySketch{Rank: 40, Weights: c.weights, Seed: 5}.Fit(background, stream.Engine{}, d, k)
		if err != nil {
			t.Fatal(err)
		}
		if counted.Passes() != 1 {
			t.Errorf("%v: %d passes", c, counted.Passes())
		}
		p, _ := k.Polynomial()
		q, _ := k.ProductExponential()
		z := stream.NewMatrix(x.Rows, f.Left.Features.Columns())
		f.Left.Features.Applier()(z, x)
		zz := dense.Mul(blas.NoTrans, z, blas.Trans, z)
		for i := range zz.Data {
			zz.Data[i] *= p.Weight + q.Weight
		}
		if err := f.Refine(background, stream.Engine{}, d); err != nil {
			t.Fatal(err)
		}
		u, approx := approximation(t, f, x)
		if e := relative(zz, approx); !(e <= 1e-10) {
			t.Errorf("%v: Â differs from w·Z·Zᵀ by %g", c, e)
		}
		if e := orthogonality(u); !(e <= 1e-12) {
			t.Errorf("%v: max|UᵀU−I| = %g", c, e)
		}
		found := relative(kernelMatrix(k, x), approx)
		v, err := f.Verify(background, stream.Engine{}, d, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(v.FrobeniusError-found) > 1e-6*found+1e-12 {
			t.Errorf("%v: Verify says %g, dense computation %g", c, v.FrobeniusError, found)
		}
		if found > 1e-10 && (f.EstimateIn(lowrank.NormFrobenius) < 0.8*found || f.EstimateIn(lowrank.NormFrobenius) > 1.25*found) {
			t.Errorf("%v: estimate %g, measured %g", c, f.EstimateIn(lowrank.NormFrobenius), found)
		}
	}
}

// orthogonality returns max|UᵀU − I|.
func orthogonality(u blas64.General) float64 {
	g, worst := dense.Mul(blas.Trans, u, blas.NoTrans, u), 0.0
	for i := range g.Rows {
		g.Data[i*g.Stride+i]--
		for _, v := range dense.Row(g, i) {
			worst = math.Max(worst, math.Abs(v))
		}
	}
	return worst
}

// TestPolySketchBits: the same model for any number of threads.
func TestPolySketchBits(t *testing.T) {
	t.Parallel()
	x := clusters(3000, 5, 11)
	for _, c := range polyCases {
		run := func(threads int) []float64 {
			e := stream.Engine{Threads: threads, BlockRows: 512}
			f, err := PolySketch{Rank: 12, Weights: c.weights, Seed: 1}.Fit(background, e, sources(x), parse(t, c.kernel))
			if err != nil {
				t.Fatal(err)
			}
			return append(append(f.Left.Projection.Data, f.Values...), f.EstimateIn(lowrank.NormFrobenius))
		}
		want := run(1)
		for _, threads := range []int{2, 8} {
			if !slices.Equal(run(threads), want) {
				t.Errorf("%v: the models differ with %d threads", c, threads)
			}
		}
	}
}

// TestPolySketchRefuses: kernels without features, and numbers that make no sense, with
// what to do.
func TestPolySketchRefuses(t *testing.T) {
	t.Parallel()
	d := sources(clusters(50, 3, 3))
	for _, c := range []struct {
		m            PolySketch
		kernel, says string
	}{
		{PolySketch{Rank: 6}, "laplace(gamma=1)", "poly, linear, expdot and rbf"},
		{PolySketch{Rank: 6}, "rbf(gamma=1) + linear()", "not for sums"},
		{PolySketch{Rank: 6}, "poly(gamma=1, coef0=-1)", "negative coef0"},
		{PolySketch{Rank: 6}, "poly(gamma=1, degree=31)", "above 30"},
		{PolySketch{}, "poly(gamma=1)", "at least 1"},
	} {
		if _, err := c.m.Fit(background, stream.Engine{}, d, parse(t, c.kernel)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one with %q", c.kernel, err, c.says)
		}
		if _, err := c.m.Plan(stream.Engine{}, d.Shape(), parse(t, c.kernel)); err == nil {
			t.Errorf("%s has a plan", c.kernel)
		}
	}
	long, err := PolySketch{Rank: 6}.Fit(background, stream.Engine{}, d, kernelgen.RBF(100))
	if err != nil || !strings.Contains(fmt.Sprint(long.Notes), "of the trace of A") {
		t.Errorf("long rows: %v, %v", long, err)
	}
}

// TestPolySketchNasty: finite values and orthonormal factors, or an error that says what
// to do.
func TestPolySketchNasty(t *testing.T) {
	t.Parallel()
	base := clusters(120, 3, 5)
	times := func(scale ...float64) blas64.General {
		x := dense.Clone(base)
		for i := range x.Data {
			x.Data[i] *= scale[i%len(scale)]
		}
		return x
	}
	outlier := times(1)
	copy(dense.Row(outlier, 17), []float64{1e12, 1e12, 1e12})
	for name, x := range map[string]blas64.General{
		"one row": clusters(1, 3, 1), "two rows": clusters(2, 3, 1), "few rows": clusters(20, 3, 1), "one column": clusters(120, 1, 2),
		"zero": times(0), "constant columns": times(1, 0, 1), "1e150 and 1e-150": times(1e150, 1, 1e-150), "1e308": times(1e308),
		"1e-161": times(1e-161), "denormals": times(1e-310), "an outlier": outlier,
	} {
		for _, text := range []string{"linear()", "poly(degree=2, gamma=1, coef0=1)", "rbf(gamma=2)", "1e150*rbf(gamma=2)", "1e-300*expdot(scale=1)"} {
			for _, weights := range []WeightRule{WeightsFitted, WeightsTaylor} {
				f, err := PolySketch{Rank: 10, Weights: weights, Seed: 1}.Fit(background, stream.Engine{}, sources(x), parse(t, text))
				if err != nil {
					if !strings.Contains(err.Error(), "scale the") {
						t.Errorf("%s, %s: %v", name, text, err)
					}
					continue
				}
				if err := f.Refine(background, stream.Engine{}, sources(x)); err != nil {
					t.Errorf("%s, %s: %v", name, text, err)
					continue
				}
				u, _ := approximation(t, f, x)
				if e := orthogonality(u); !(e <= 1e-10) || slices.ContainsFunc(f.Values, func(v float64) bool { return v-v != 0 }) {
					t.Errorf("%s, %s: max|UᵀU−I| = %g, values %v", name, text, e, f.Values)
				}
			}
		}
	}
}

// TestPolySketchNotFinite: a bad number is an error with its place, also where damping
// would hide it.
func TestPolySketchNotFinite(t *testing.T) {
	t.Parallel()
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		x := clusters(3000, 4, 8)
		x.Data[77*4+1] = bad
		for _, c := range polyCases {
			_, err := PolySketch{Rank: 8, Weights: c.weights, Seed: 1}.Fit(background, stream.Engine{}, sources(x), parse(t, c.kernel))
			var place *stream.BadValueError
			if !errors.As(err, &place) || place.Row != 77 {
				t.Errorf("%v, %v: error %v does not name row 77", c, bad, err)
			}
		}
	}
}

// TestPolySketchPlan: entries are counted.
func TestPolySketchPlan(t *testing.T) {
	t.Parallel()
	d, m := sources(clusters(3000, 5, 3)), PolySketch{Rank: 20}
	plan, err := m.Plan(stream.Engine{}, d.Shape(), kernelgen.RBF(1))
	if err != nil {
		t.Fatal(err)
	}
	f, err := m.Fit(background, stream.Engine{}, d, kernelgen.RBF(1))
	if err != nil {
		t.Fatal(err)
	}
	if r := float64(plan.KernelEntries) / float64(f.KernelEntries); r < 0.9 || r > 1.6 || plan.Passes != 1 {
		t.Errorf("%d entries planned, %d evaluated, %d passes", plan.KernelEntries, f.KernelEntries, plan.Passes)
	}
}

// TestFastSPSD: no shift, positive values, and rows that run out give A itself.
func TestFastSPSD(t *testing.T) {
	t.Parallel()
	k := kernelgen.RBF(2)
	f, err := FastSPSD(16, 5).Fit(background, stream.Engine{}, sources(clusters(500, 4, 3)), k)
	if err != nil || f.Shift != 0 || len(f.Values) != 16 || f.Values[15] < 0 || f.Left.Landmarks.Rows != 16 {
		t.Errorf("%v, %v", f, err)
	}
	x := clusters(12, 3, 4)
	if f, err = FastSPSD(20, 1).Fit(background, stream.Engine{}, sources(x), k); err != nil {
		t.Fatal(err)
	}
	if _, a := approximation(t, f, x); relative(kernelMatrix(k, x), a) > 1e-9 || len(f.Notes) == 0 {
		t.Errorf("error %g, notes %q", relative(kernelMatrix(k, x), a), f.Notes)
	}
}
