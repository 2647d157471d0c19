package kernelgen

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/stat"

	"github.com/nystream/nystream/internal/matrix"
)

// resolvedValue returns the first argument of the kernel after Resolve.
func resolvedValue(t *testing.T, text string, sample blas64.General) float64 {
	t.Helper()
	k, err := mustParse(t, text).Resolve(sample)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if !k.Resolved() {
		t.Fatalf("%s: %v is not resolved", text, k)
	}
	for a := range eachAtom(k.terms) {
		for _, arg := range a.args {
			if arg.name != "degree" {
				return arg.value
			}
		}
	}
	t.Fatalf("%v has no arguments", k)
	return 0
}

func TestWordsAgainstTheirDefinition(t *testing.T) {
	for _, n := range []int{2, 3, 20, 101} {
		x := normal(rand.New(rand.NewPCG(uint64(n), 1)), n, 3, 2)
		var entries, squared, euclid, manhattan []float64
		for i := range n {
			entries = append(entries, row(x, i)...)
			for j := range i {
				r := l2(row(x, i), row(x, j))
				squared, euclid = append(squared, r*r), append(euclid, r)
				manhattan = append(manhattan, l1(row(x, i), row(x, j)))
			}
		}
		median := func(v []float64) float64 {
			slices.Sort(v)
			return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
		}
		tests := map[string]float64{
			"rbf(gamma=auto)":           1. / 3,
			"poly(degree=2)":            1. / 3,
			"rbf(gamma=scale)":          1 / (3 * stat.PopVariance(entries, nil)),
			"sigmoid(gamma=scale)":      1 / (3 * stat.PopVariance(entries, nil)),
			"rbf(gamma=median)":         1 / median(squared),
			"rbf(gamma=0.25*median)":    0.25 / median(squared),
			"rbf(sigma2=median)":        median(squared),
			"rbf(sigma=median)":         median(euclid),
			"csrbf(sigma2=median)":      median(squared),
			"exponential(gamma=median)": 1 / median(euclid),
			"matern52(length=median)":   median(euclid),
			"laplace(gamma=median)":     1 / median(manhattan),
			"2*(linear + laplace(gamma=median))*rbf(gamma=median)": 1 / median(manhattan),
		}
		for text, want := range tests {
			if got := resolvedValue(t, text, x); math.Abs(got-want) > 1e-13*want {
				t.Errorf("n=%d: %s resolves to %v, want %v", n, text, got, want)
			}
		}
	}
}

func TestCompactSupportDefaults(t *testing.T) {
	for d, v := range map[int]string{1: "1", 2: "2", 3: "2", 4: "3", 20: "11", 784: "393"} {
		k, err := mustParse(t, "csrbf(sigma2=4)").Resolve(blas64.General{Cols: d, Stride: d})
		if err != nil {
			t.Fatal(err)
		}
		if want := "csrbf(sigma2=4, theta=6, v=" + v + ")"; k.String() != want {
			t.Errorf("d=%d: %v, want %v", d, k, want)
		}
		if !k.PositiveSemiDefinite() {
			t.Errorf("d=%d: %v is psd", d, k)
		}
	}
}

func TestResolveKeepsWhatIsResolved(t *testing.T) {
	x := normal(rand.New(rand.NewPCG(1, 1)), 5, 3, 0)
	for _, ref := range references {
		k, err := mustParse(t, ref.text).Resolve(x)
		if err != nil || k.String() != ref.text {
			t.Errorf("%s resolves to %v, %v", ref.text, k, err)
		}
	}
	k := mustParse(t, "rbf(gamma=median) + poly")
	if k.Resolved() {
		t.Errorf("%v is not resolved", k)
	}
	if _, err := k.Resolve(x); err != nil || k.Resolved() {
		t.Errorf("Resolve changed its receiver: %v, %v", k, err)
	}
}

func TestResolveErrors(t *testing.T) {
	tests := []struct {
		text   string
		sample blas64.General
		says   string
	}{
		{"linear + matern12(length=median)", matrix.Of(nil, 0, 2), "matern12: length=median: the sample has no rows, which gives no scale; or give length as a number"},
		{"rbf(gamma=scale)", matrix.Of([]float64{1, 2, 3, math.NaN()}, 2, 2), "row 1, column 1 of the sample is NaN"},
		{"rbf(gamma=scale)", matrix.Of([]float64{1e200, -1e200}, 2, 1), "variance of the sample is +Inf"},
		{"rbf(gamma=scale)", matrix.Of([]float64{1e-200, -1e-200}, 2, 1), "variance of the sample is 0"},
		{"rbf(gamma=median)", matrix.Of([]float64{1e200, -1e200}, 2, 1), "outside the range of float64: scale the data"},
		{"rbf(gamma=auto)", matrix.Of(nil, 3, 0), "no columns"},
	}
	for _, test := range tests {
		k, err := mustParse(t, test.text).Resolve(test.sample)
		if err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v, error %v, want %q", test.text, k, err, test.says)
		}
	}
}

// TestRowsWithoutAScale: words never fail for equal rows. A median of 0 is replaced by the mean of the positive
// distances, and the scale of equal rows is 1.
func TestRowsWithoutAScale(t *testing.T) {
	words := []string{"rbf(gamma=%smedian)", "rbf(gamma=%sscale)", "rbf(sigma2=%smedian)", "rbf(sigma=%smedian)",
		"gaussian(sigma=%smedian)", "laplace(gamma=%smedian)", "exponential(gamma=%smedian)", "matern12(length=%smedian)",
		"matern32(length=%smedian)", "matern52(length=%smedian)", "cauchy(length=%smedian)",
		"imq(length=%smedian)", "multiquadric(length=%smedian)", "csrbf(sigma2=%smedian)", "sne(gamma=%smedian)",
		"poly(gamma=%smedian)", "sigmoid(gamma=%sscale)"}
	third := .1 + .2 // and .3 are equal but for rounding
	if third == .3 {
		third = math.Nextafter(.3, 1)
	}
	for name, equal := range map[string]blas64.General{
		"one row": matrix.Of([]float64{1, 2}, 1, 2), "equal rows": matrix.Of([]float64{1, 2, 1, 2, 1, 2}, 3, 2),
		"zeros": matrix.Of(make([]float64, 8), 4, 2), "rounding": matrix.Of([]float64{third, 1e300, .3, 1e300}, 2, 2),
	} {
		before := slices.Clone(equal.Data)
		for _, word := range words {
			for factor, want := range map[string]float64{"": 1, "0.5*": .5} {
				text := strings.Replace(word, "%s", factor, 1)
				if got := resolvedValue(t, text, equal); got != want {
					t.Errorf("%s: %s resolves to %v, want %v", name, text, got, want)
				}
				_, notes, _ := mustParse(t, text).ResolveNoting(equal)
				if len(notes) != 1 || !strings.Contains(notes[0], "all rows of the sample are equal") {
					t.Errorf("%s: %s has the notes %q", name, text, notes)
				}
			}
		}
		if !slices.Equal(equal.Data, before) {
			t.Errorf("%s: the rows were changed", name)
		}
	}
	x := matrix.Of([]float64{1, 1, 1, 1, 1, 1, 1, 1, 3, 6}, 10, 1) // distances: eight of 2, eight of 5 and one of 3
	for text, want := range map[string]float64{
		"rbf(sigma2=median)": (8*4. + 8*25 + 9) / 17, "rbf(gamma=2*median)": 2 * 17 / (8*4. + 8*25 + 9),
		"rbf(sigma=median)": (8*2. + 8*5 + 3) / 17, "laplace(gamma=median)": 17 / (8*2. + 8*5 + 3),
		"gaussian(sigma=median)": 3, // the median over distinct pairs
	} {
		if got := resolvedValue(t, text, x); math.Abs(got-want) > 1e-15*want {
			t.Errorf("%s resolves to %v, want %v", text, got, want)
		}
		_, notes, _ := mustParse(t, text+" + "+text).ResolveNoting(x)
		if gaussian := strings.HasPrefix(text, "gaussian"); len(notes) != 1 && !gaussian || len(notes) > 0 && gaussian {
			t.Errorf("%s has the notes %q", text, notes)
		}
	}
}

func TestResolveOnEqualRowsWithoutWordsOfTheSample(t *testing.T) {
	equal := matrix.Of([]float64{1, 2, 1, 2}, 2, 2)
	if got := resolvedValue(t, "rbf()", equal); got != 0.5 {
		t.Errorf("gamma=auto is %v, want 0.5", got)
	}
}

func TestMedianOfALargeSampleIsClose(t *testing.T) {
	x := normal(rand.New(rand.NewPCG(9, 1)), 3500, 2, 0)
	got := resolvedValue(t, "rbf(sigma2=median)", x)
	if want := 4 * math.Ln2; math.Abs(got-want) > 0.15 { // ‖x−y‖²/2 is χ² with 2 degrees
		t.Errorf("median squared distance %v, want about %v", got, want)
	}
}

func TestVarianceFarFromTheOrigin(t *testing.T) {
	x := matrix.Of([]float64{1e9 - 1, 1e9 + 1, 1e9 + 1, 1e9 - 1}, 2, 2)
	if got := resolvedValue(t, "rbf(gamma=scale)", x); got != 0.5 {
		t.Errorf("gamma=scale is %v, want 0.5", got)
	}
}
