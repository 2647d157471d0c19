package kernelgen

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

// dividedReferences are normalised kernels: weights, and formulas before normalisation.
var dividedReferences = []struct {
	text, unnormalised string
	weight             float64
	value              func(x, z []float64) float64
}{
	{"sne(gamma=2)", "rbf(sigma=2)", 1, func(x, z []float64) float64 { return math.Exp(-l2(x, z) * l2(x, z) / 4) }},
	{"0.5*sne(gamma=0.7)", "rbf(sigma=0.7)", 0.5, func(x, z []float64) float64 { return math.Exp(-l2(x, z) * l2(x, z) / 0.49) }},
	{"t()", "cauchy(length=1)", 1, func(x, z []float64) float64 { return 1 / (1 + l2(x, z)*l2(x, z)) }},
	{"softmax(scale=0.25)", "expdot(scale=0.25)", 1, func(x, z []float64) float64 { return math.Exp(inner(x, z) / 4) }},
	{"3*softmax(scale=1/sqrt(d))", "expdot(scale=1/sqrt(d))", 3, func(x, z []float64) float64 {
		return math.Exp(inner(x, z) / math.Sqrt(float64(len(x))))
	}},
}

// TestNormaliser: the unnormalised kernel divided by its row sums equals the definition.
func TestNormaliser(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	for _, ref := range dividedReferences {
		k := mustParse(t, ref.text)
		if k.String() != ref.text || k.Weight() != ref.weight {
			t.Errorf("%s: %v, weight %v", ref.text, k, k.Weight())
		}
		for _, d := range []int{1, 4, 7} {
			x, z := normal(rng, 6, d, 1), normal(rng, 50, d, 0)
			r, err := k.Resolve(z)
			if err != nil {
				t.Fatal(err)
			}
			u, normalised := r.Normaliser()
			if !normalised || !u.Resolved() {
				t.Fatalf("%v: %v, %v", r, u, normalised)
			}
			a := tile(u, x, z)
			for i := range x.Rows {
				sum, want := 0.0, 0.0
				for j := range z.Rows {
					sum += row(a, i)[j]
					want += ref.value(row(x, i), row(z, j))
				}
				for j := range z.Rows {
					got, want := r.Weight()*row(a, i)[j]/sum, ref.weight*ref.value(row(x, i), row(z, j))/want
					if math.Abs(got-want) > 1e-13*want {
						t.Errorf("%s, d=%d: entry [%d,%d] = %v, want %v", ref.text, d, i, j, got, want)
					}
				}
			}
		}
	}
}

// TestNormaliserOfText: words resolve as for the kernel itself; a plain kernel is its own normaliser.
func TestNormaliserOfText(t *testing.T) {
	for text, want := range map[string]string{
		"sne(gamma=median)":              "rbf(sigma=median)",
		"softmax":                        "expdot(scale=1/sqrt(d))",
		"softmax( scale = 1/sqrt(d) )*2": "expdot(scale=1/sqrt(d))",
		"(2*t)":                          "cauchy(length=1)",
	} {
		if u, ok := mustParse(t, text).Normaliser(); !ok || u.String() != want || mustParse(t, want).String() != want {
			t.Errorf("%s: %v, %v, want %s", text, u, ok, want)
		}
	}
	for _, ref := range dividedReferences {
		if u, _ := mustParse(t, ref.text).Normaliser(); u.String() != ref.unnormalised {
			t.Errorf("%s: %v, want %s", ref.text, u, ref.unnormalised)
		}
	}
	for _, ref := range references {
		if u, ok := mustParse(t, ref.text).Normaliser(); ok || u.String() != ref.text {
			t.Errorf("%s: %v, %v", ref.text, u, ok)
		}
	}
}

func TestResolveNormalised(t *testing.T) {
	x := normal(rand.New(rand.NewPCG(12, 1)), 30, 16, 0)
	if got := resolvedValue(t, "softmax()", x); got != 0.25 {
		t.Errorf("1/√16 is %v", got)
	}
	if got := resolvedValue(t, "expdot(scale=1/sqrt(d))", x); got != 0.25 {
		t.Errorf("1/√16 is %v", got)
	}
	if got, want := resolvedValue(t, "sne(gamma=median)", x), resolvedValue(t, "rbf(sigma=median)", x); got != want {
		t.Errorf("gamma=median is %v, want %v", got, want)
	}
	if k, err := mustParse(t, "softmax()").Resolve(matrix.Of(nil, 3, 0)); err == nil || !strings.Contains(err.Error(), "no columns") {
		t.Errorf("%v, %v", k, err)
	}
}

func TestSymmetric(t *testing.T) {
	for text, want := range map[string]bool{
		"sne(gamma=1)": false, "t": false, "softmax": false, "2*t": false, "kl": false, "linear + 2*rbf(gamma=1)*kl(a=3)": false,
		"linear*(relu + kl)": false, "rbf": true, "linear*(relu + cosine)": true,
	} {
		k := mustParse(t, text)
		if k.Symmetric() != want {
			t.Errorf("%s: symmetric %v", text, !want)
		}
		if !want && k.PositiveSemiDefinite() {
			t.Errorf("%s claims to be psd", text)
		}
	}
	for _, ref := range references {
		if !mustParse(t, ref.text).Symmetric() {
			t.Errorf("%s is symmetric", ref.text)
		}
	}
	custom := New(Profile{Name: "mine", Base: KLDivergence, F: math.Sqrt})
	if custom.Symmetric() || !New(Profile{Name: "mine", Base: L1Distance, F: math.Sqrt}).Symmetric() {
		t.Error("symmetry of a user's profile is that of its base")
	}
}

func TestCheckPlain(t *testing.T) {
	want := "kernel sne(gamma=2) is normalised by its row sums, which this method does not know: use fit landmark, ssrsvd or ksvd"
	if err := SNE(2).CheckPlain(); err == nil || err.Error() != want {
		t.Errorf("error %v, want %q", err, want)
	}
	if err := mustParse(t, "2*softmax").CheckPlain(); err == nil {
		t.Error("no error for a softmax with a weight")
	}
	for _, text := range []string{"rbf", "kl", "linear + kl"} {
		if err := mustParse(t, text).CheckPlain(); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestNormalisedKernelsHaveNoTiles: computing entries of a normalised kernel panics; queries of its properties do not.
func TestNormalisedKernelsHaveNoTiles(t *testing.T) {
	x := normal(rand.New(rand.NewPCG(13, 1)), 2, 3, 0)
	dst := matrix.Of(make([]float64, 4), 2, 2)
	for _, k := range []Kernel{SNE(1), StudentT(), Scale(2, Softmax(1))} {
		for name, call := range map[string]func(){
			"Fill":    func() { k.Fill(dst, x, RBF(1).Pack(x), nil) },
			"FillLog": func() { k.FillLog(dst, x, RBF(1).Pack(x), nil) },
			"Pack":    func() { k.Pack(x) },
			"Diag":    func() { k.Diag(make([]float64, 2), x) },
			"Sum":     func() { Sum(k, Linear()) },
			"Product": func() { Product(Linear(), k) },
		} {
			func() {
				defer func() {
					if text, ok := recover().(string); !ok || !strings.HasPrefix(text, "kernelgen: ") {
						t.Errorf("%s of %v: panic %q", name, k, text)
					}
				}()
				call()
			}()
		}
		if _, err := k.SpectralMeasure(); err == nil {
			t.Errorf("%v has a spectral measure", k)
		}
		if _, ok := k.Polynomial(); ok {
			t.Errorf("%v is a polynomial", k)
		}
		if _, ok := k.ProductExponential(); ok {
			t.Errorf("%v is an exponential of a product", k)
		}
	}
}

// logRowSums returns log Σ_z k(x, z) of each row, folded over panels of z by the maximum and the sum of scaled
// exponentials.
func logRowSums(k Kernel, x, z blas64.General, panel int) []float64 {
	largest, sum := make([]float64, x.Rows), make([]float64, x.Rows)
	for i := range largest {
		largest[i] = math.Inf(-1)
	}
	for j := 0; j < z.Rows; j += panel {
		part := matrix.Rows(z, j, min(j+panel, z.Rows)-j)
		dst := matrix.New(x.Rows, part.Rows)
		k.FillLog(dst, x, k.Pack(part), nil)
		for i := range x.Rows {
			for _, v := range row(dst, i) {
				m := max(largest[i], v)
				sum[i] = sum[i]*math.Exp(largest[i]-m) + math.Exp(v-m)
				largest[i] = m
			}
		}
	}
	for i, s := range sum {
		largest[i] += math.Log(s)
	}
	return largest
}

// TestSoftmaxOfLargeProducts: products of 1e6 overflow the exponential, and distances of 1e6 make it underflow;
// normalised entries are accurate.
func TestSoftmaxOfLargeProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 1))
	x := changed(normal(rng, 5, 3, 0), func(v float64) float64 { return 1000 * v })
	z := changed(normal(rng, 40, 3, 0), func(v float64) float64 { return 1000 * v })
	for _, c := range []struct {
		k   Kernel
		log func(x, z []float64) float64
	}{
		{Softmax(1), inner},
		{SNE(0.5), func(x, z []float64) float64 { return -4 * l2(x, z) * l2(x, z) }},
	} {
		u, _ := c.k.Normaliser()
		logs := matrix.New(x.Rows, z.Rows)
		u.FillLog(logs, x, u.Pack(z), nil)
		sums := logRowSums(u, x, z, 7)
		for i := range x.Rows {
			for j := range z.Rows {
				inverse := 0.0
				for l := range z.Rows {
					inverse += math.Exp(c.log(row(x, i), row(z, l)) - c.log(row(x, i), row(z, j)))
				}
				if got, want := math.Exp(row(logs, i)[j]-sums[i]), 1/inverse; math.Abs(got-want) > 1e-8*want+1e-300 {
					t.Errorf("%v: entry [%d,%d] = %v, want %v", c.k, i, j, got, want)
				}
			}
		}
	}
}
