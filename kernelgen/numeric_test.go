package kernelgen

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

// nasty returns finite rows at the ends of the range of float64.
func nasty() blas64.General {
	tiny, huge := math.SmallestNonzeroFloat64, math.MaxFloat64
	return matrix.Of([]float64{
		0, 0, 0,
		1, 2, 3,
		1, 2, 3,
		1e150, -1e150, 1,
		1e-150, 1e150, 0,
		1e200, 1e200, 0,
		1e200, -1e200, 0,
		1e308, 1e308, 1e308,
		-1e308, 1e308, -1e308,
		huge, -huge, huge,
		tiny, -tiny, 0,
		1e-310, 0, 1e-308,
		1e9, 1e9 + 1, 1e9,
		1e77, 0, 0,
	}, 14, 3)
}

// extremes are parameters at the ends of their range.
var extremes = []string{"5e-324", "1e-310", "1e-200", "1e-160", "1", "1e160", "1e200", "1.7e308"}

func TestFiniteRowsGiveNoNaN(t *testing.T) {
	x := nasty()
	texts := []string{"rbf(gamma=1)*multiquadric(length=1)", "rbf(gamma=1)*linear()", "csrbf(sigma2=1, v=3)*poly(degree=2)*expdot()"}
	for _, ref := range references {
		texts = append(texts, ref.text)
	}
	for _, e := range extremes {
		for _, s := range builtins {
			for _, p := range s.params {
				if p.domain.name == positive.name {
					texts = append(texts, s.name+"("+p.name+"="+e+")")
				}
			}
		}
		texts = append(texts, "csrbf(sigma2="+e+", theta="+e+", v="+e+")", "rq(alpha="+e+", length="+e+")")
	}
	sample := matrix.Of([]float64{0, 0, 0, 1, 1, 1}, 2, 3)
	for _, text := range texts {
		k, err := Parse(text)
		if err != nil {
			continue // csrbf without its sigma2
		}
		if !k.Symmetric() {
			continue // sne, t and softmax have no tiles; kl takes probabilities
		}
		k, err = k.Resolve(sample)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		a := tile(k, x, x)
		for i := range x.Rows {
			for j, v := range row(a, i) {
				// Sums of kernels that overflow in opposite directions are undefined.
				if math.IsNaN(v) && len(k.terms) == 1 {
					t.Errorf("%s: rows %v and %v give NaN", text, row(x, i), row(x, j))
				}
				if w := row(a, j)[i]; !same(v, w) && !math.IsNaN(v) {
					t.Errorf("%s: [%d,%d] = %v but [%d,%d] = %v", text, i, j, v, j, i, w)
				}
			}
		}
	}
}

func TestNaNStaysNaN(t *testing.T) {
	x := matrix.Of([]float64{math.NaN(), 1}, 1, 2)
	y := matrix.Of([]float64{1, 1}, 1, 2)
	for _, ref := range references {
		k := mustParse(t, ref.text)
		diag := make([]float64, 1)
		k.Diag(diag, x)
		for _, v := range []float64{tile(k, x, y).Data[0], tile(k, y, x).Data[0], diag[0]} {
			if !math.IsNaN(v) {
				t.Errorf("%s: a row with NaN gives %v", ref.text, v)
			}
		}
	}
}

func TestBandwidthLimits(t *testing.T) {
	x := normal(rand.New(rand.NewPCG(4, 1)), 20, 3, 0)
	decaying := []string{"rbf(sigma=%)", "rbf(sigma2=%)", "matern12(length=%)", "matern32(length=%)", "matern52(length=%)",
		"rq(alpha=2, length=%)", "cauchy(length=%)", "imq(length=%)", "csrbf(sigma2=%, v=2)"}
	for _, text := range decaying {
		for value, off := range map[string]float64{"1e-300": 0, "1e-170": 0, "1e170": 1, "1e300": 1} {
			k, err := mustParse(t, replace(text, value)).Resolve(x)
			if err != nil {
				t.Fatal(err)
			}
			a := tile(k, x, x)
			for i := range 20 {
				for j, v := range row(a, i) {
					want := off
					if i == j {
						want = 1
					}
					if math.Abs(v-want) > 1e-12 {
						t.Fatalf("%v: [%d,%d] = %v, want %v", k, i, j, v, want)
					}
				}
			}
		}
	}
}

// replace returns the text of a kernel with its parameters replaced.
func replace(text, value string) string {
	for i := range text {
		if text[i] == '%' {
			return text[:i] + value + text[i+1:]
		}
	}
	return text
}

func TestFarFromTheOrigin(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	x := normal(rng, 10, 4, 0)
	for i := range x.Data {
		x.Data[i] = math.Round(x.Data[i]*1024) / 1024 // exact after the shift
	}
	shifted := matrix.Of(make([]float64, len(x.Data)), 10, 4)
	for i, v := range x.Data {
		shifted.Data[i] = v + 1e9
	}
	a, b := tile(RBF(1), x, x), tile(RBF(1), shifted, shifted)
	for i, v := range a.Data {
		if v != b.Data[i] {
			t.Fatalf("entry %d is %v, with the rows shifted by 1e9 %v", i, v, b.Data[i])
		}
	}
}

func TestKnownLimits(t *testing.T) {
	far := matrix.Of([]float64{1e200, 0, -1e200, 0}, 2, 2)
	tests := []struct {
		k    Kernel
		want float64
	}{
		{RBF(1e-300), 0},
		{Laplace(1), 0},
		{Matern32(1), 0},
		{Matern52(1e-200), 0},
		{RationalQuadratic(0.5, 1), 0},
		{Cauchy(1), 0},
		{InverseMultiquadric(1), 0},
		{Multiquadric(1), math.Inf(1)},
		{CompactRBF(1, 1, 2), 0},
		{CompactRBF(1e300, 1e300, 1e300), 0},
		{Linear(), math.Inf(-1)},
		{Poly(2, 1, 1), math.Inf(1)},
		{Poly(3, 1, 1), math.Inf(-1)},
		{Sigmoid(1, 0), -1},
		{ExpDot(1), 0},
		{ReLU(), 0},
		{Cosine(), -1},
	}
	for _, test := range tests {
		a := tile(test.k, matrix.Rows(far, 0, 1), matrix.Rows(far, 1, 1))
		if a.Data[0] != test.want {
			t.Errorf("%v of rows far apart is %v, want %v", test.k, a.Data[0], test.want)
		}
	}
}

// An even exponent must not turn the negative bracket positive.
func TestCompactSupportIsClampedBeforeThePower(t *testing.T) {
	x := matrix.Of([]float64{0, 2.9, 3, 3.1, 100}, 5, 1)
	for _, v := range []float64{1, 2, 2.5, 4, 600, 601.5} {
		a := tile(CompactRBF(1e9, 3, v), matrix.Rows(x, 0, 1), x)
		if a.Data[0] != 1 || a.Data[2] != 0 || a.Data[3] != 0 || a.Data[4] != 0 {
			t.Errorf("v=%v: row is %v, want 1 … 0 0 0", v, a.Data)
		}
		if want := math.Pow(1-2.9/3, v) * math.Exp(-2.9*2.9/1e9); math.Abs(a.Data[1]-want) > 1e-11*want {
			t.Errorf("v=%v inside the support: %v, want %v", v, a.Data[1], want)
		}
	}
}

func TestCosinesStayWithinOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	x := normal(rng, 300, 3, 0)
	y := matrix.Of(make([]float64, len(x.Data)), 300, 3)
	for i, v := range x.Data {
		y.Data[i] = -3 * v
	}
	diag := make([]float64, 300)
	Cosine().Diag(diag, x)
	a := tile(Cosine(), x, y)
	for i, v := range diag {
		if v > 1 || v < 1-1e-15 {
			t.Errorf("cosine of row %d with itself is 1%+g", i, v-1)
		}
		if c := row(a, i)[i]; c < -1 || c > -1+1e-15 {
			t.Errorf("cosine of row %d with its opposite is -1%+g", i, c+1)
		}
	}
}
