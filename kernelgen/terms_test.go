package kernelgen

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// smoothKernels are all built-in kernels with a derivative, for several parameters.
var smoothKernels = []string{"linear()", "poly(degree=1, gamma=0.3, coef0=2)", "poly(degree=4, gamma=0.3, coef0=0.5)", "rbf(gamma=0.3)", "rbf(sigma2=2)",
	"gaussian(sigma=1.5)", "matern32(length=2)", "matern52(length=2)", "rq(alpha=0.7, length=1.5)", "rq(alpha=1, length=1.5)", "cauchy(length=1.5)",
	"multiquadric(length=1.5)", "imq(length=1.5)", "squared()", "multiquadratic(c=1.5)", "relative(neighbour=3)", "expdot(scale=0.4)"}

// TestTermsOfTheTable: slopes are derivatives of the values, values are those of the kernel, and the claims of terms
// hold. Every built-in kernel with a derivative is covered.
func TestTermsOfTheTable(t *testing.T) {
	tested := map[string]bool{}
	for _, text := range smoothKernels {
		terms, err := mustParse(t, text).Terms()
		if err != nil || len(terms) != 1 {
			t.Fatalf("%s: %d terms, %v", text, len(terms), err)
		}
		f := terms[0]
		tested[f.Kernel.terms[0].factors[0].atom.spec.name] = true
		for _, beta := range []float64{0.02, 0.3, 1, 7.5} {
			const h = 1e-6
			value, slope := f.Value.At(beta), f.Slope.At(beta)
			if got := (f.Value.At(beta+h) - f.Value.At(beta-h)) / (2 * h); math.Abs(got-slope) > 1e-6*(1+math.Abs(slope)) {
				t.Errorf("%s at %v: the slope is %v, differences are %v", text, beta, slope, got)
			}
			if f.Ratio != 0 && (math.Abs(f.Ratio*value-slope) > 1e-14 || f.Value.WithoutFactor().At(beta) != f.Slope.WithoutFactor().At(beta)) {
				t.Errorf("%s: f'/f is not %v", text, f.Ratio)
			}
			if f.Power != 0 && math.Abs((beta+f.Offset)*slope/f.Power-value) > 1e-12*math.Abs(value) {
				t.Errorf("%s: f is not (β+%v)·f'/%v", text, f.Offset, f.Power)
			}
			if f.Neighbour > 0 {
				continue
			}
			direct := []float64{beta}
			f.Kernel.FromBase(direct, nil)
			if direct[0] != value {
				t.Errorf("%s at %v: the value is %v, that of the kernel %v", text, beta, value, direct[0])
			}
		}
	}
	for _, s := range builtins {
		if s.smooth != nil && !tested[s.name] {
			t.Errorf("%s has a derivative that no test looks at", s.name)
		}
	}
}

// TestTermsMatrices: the definiteness of curves is as claimed.
func TestTermsMatrices(t *testing.T) {
	for _, text := range smoothKernels {
		terms, err := mustParse(t, text).Terms()
		if err != nil {
			t.Fatal(err)
		}
		f := terms[0]
		for seed := range uint64(5) {
			x := normal(rand.New(rand.NewPCG(seed, 2)), 25, 3, 0)
			at := func(c Curve) Kernel {
				return New(Profile{Name: "curve", Base: f.Base, F: c.WithoutFactor().At})
			}
			for what, c := range map[string]Curve{"value": f.Value, "slope": f.Slope} {
				if least := relativeSmallest(t, at(c), x); c.PositiveSemiDefinite() && least < -1e-12 {
					t.Errorf("%s: the %s has the relative eigenvalue %v", text, what, least)
				}
			}
			if !f.Conditional {
				continue
			}
			k := tile(at(f.Value), x, x)
			v := row(normal(rand.New(rand.NewPCG(seed, 3)), 1, 25, 0), 0)
			mean, form := 0.0, 0.0
			for _, e := range v {
				mean += e / 25
			}
			for i := range 25 {
				for j := range 25 {
					form += (v[i] - mean) * (v[j] - mean) * row(k, i)[j]
				}
			}
			if form > 0 {
				t.Errorf("%s: minus the curve is not conditionally positive definite: %v", text, -form)
			}
		}
	}
}

func TestTermsOfSums(t *testing.T) {
	wave := Profile{Name: "wave", Base: SquaredDistance, F: math.Cos, Derivative: func(b float64) float64 { return -math.Sin(b) }}
	k, err := Parse("2*(rbf(gamma=median) + 0.5*wave()) + linear()", wave)
	if err != nil {
		t.Fatal(err)
	}
	terms, err := k.Terms()
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	var weights []float64
	for _, f := range terms {
		texts, weights = append(texts, f.Kernel.String()), append(weights, f.Weight)
	}
	if !slices.Equal(texts, []string{"rbf(gamma=median)", "wave()", "linear()"}) || !slices.Equal(weights, []float64{2, 1, 1}) {
		t.Errorf("terms %v with weights %v", texts, weights)
	}
	if f := terms[1]; !f.Custom || f.Slope.At(0.5) != -math.Sin(0.5) || terms[0].Custom || terms[0].Ratio != -1 {
		t.Errorf("wave is %+v, rbf %+v", f, terms[0])
	}
	for text, part := range map[string]string{
		"rbf()*linear()":           "product",
		"laplace()":                "laplace is a function of the L1 distance",
		"cosine()":                 "cosine similarity",
		"sne(gamma=1)":             "row sums",
		"linear() + exponential()": "exponential has no derivative",
	} {
		if _, err := mustParse(t, text).Terms(); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: %v, want %q", text, err, part)
		}
	}
	if _, err := New(Profile{Name: "f", Base: InnerProduct, F: math.Sin}).Terms(); err == nil || !strings.Contains(err.Error(), "f has no derivative") {
		t.Errorf("a profile without derivative: %v", err)
	}
}

// TestOtherNames: Parse accepts the names of other programs for poly.
func TestOtherNames(t *testing.T) {
	for text, want := range map[string]string{
		"polynomial":                "poly(degree=3, gamma=1, coef0=1)",
		"2*polynomial(c=0.5)":       "2*poly(degree=3, gamma=1, coef0=0.5)",
		"polynomial(degree=2, c=0)": "poly(degree=2, gamma=1, coef0=0)",
		"gaussian":                  "gaussian(sigma=median)",
		"squared + multiquadratic":  "squared() + multiquadratic(c=1)",
	} {
		if got := mustParse(t, text).String(); got != want {
			t.Errorf("%s is read as %s, want %s", text, got, want)
		}
	}
}

// TestRelativeHasNoTiles: a scale per row cannot be computed from two rows.
func TestRelativeHasNoTiles(t *testing.T) {
	k := mustParse(t, "linear() + 0.5*relative(neighbour=3)")
	if err := k.CheckPlain(); err == nil || !strings.Contains(err.Error(), "neighbour") {
		t.Errorf("CheckPlain: %v", err)
	}
	defer func() {
		if r, ok := recover().(string); !ok || !strings.Contains(r, "neighbours of its rows") {
			t.Errorf("panic with %v", r)
		}
	}()
	k.Pack(normal(rand.New(rand.NewPCG(1, 1)), 3, 2, 0))
}

// TestGaussianMedian: the median ignores pairs of equal rows.
func TestGaussianMedian(t *testing.T) {
	x := normal(rand.New(rand.NewPCG(4, 1)), 6, 2, 0)
	copy(row(x, 1), row(x, 0))
	copy(row(x, 2), row(x, 0))
	var all []float64
	for i := range 6 {
		for j := range i {
			if d := l2(row(x, i), row(x, j)); d > 0 {
				all = append(all, d)
			}
		}
	}
	slices.Sort(all)
	k, err := mustParse(t, "gaussian()").Resolve(x)
	if err != nil {
		t.Fatal(err)
	}
	want := (all[5] + all[6]) / 2
	if got := k.terms[0].factors[0].atom.args[0].value; len(all) != 12 || math.Abs(got-want) > 1e-14 {
		t.Errorf("sigma is %v, want %v of %d", got, want, len(all))
	}
}
