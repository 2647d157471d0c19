package kernelgen

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/nystream/nystream/internal/matrix"

	"gonum.org/v1/gonum/blas/blas64"
)

// The bases by definition: inner products, L1 and squared L2 distances.
func inner(x, y []float64) (s float64) {
	for k := range x {
		s += x[k] * y[k]
	}
	return s
}

func l1(x, y []float64) (s float64) {
	for k := range x {
		s += math.Abs(x[k] - y[k])
	}
	return s
}

func l2(x, y []float64) (s float64) {
	for k := range x {
		s = math.Hypot(s, x[k]-y[k])
	}
	return s
}

type reference struct {
	text  string
	value func(x, y []float64) float64
	psd   bool // for rows of up to five columns
}

// references are kernels with independent formulas.
var references = []reference{
	{"linear()", inner, true},
	{"poly(degree=3, gamma=0.5, coef0=1)", func(x, y []float64) float64 { return math.Pow(0.5*inner(x, y)+1, 3) }, true},
	{"poly(degree=4, gamma=2, coef0=-1)", func(x, y []float64) float64 { return math.Pow(2*inner(x, y)-1, 4) }, false},
	{"poly(degree=1, gamma=1, coef0=0)", inner, true},
	{"rbf(gamma=0.7)", func(x, y []float64) float64 { return math.Exp(-0.7 * l2(x, y) * l2(x, y)) }, true},
	{"rbf(sigma2=0.2)", func(x, y []float64) float64 { return math.Exp(-l2(x, y) * l2(x, y) / 0.2) }, true},
	{"rbf(sigma=3)", func(x, y []float64) float64 { return math.Exp(-l2(x, y) * l2(x, y) / 9) }, true},
	{"gaussian(sigma=3)", func(x, y []float64) float64 { return math.Exp(-l2(x, y) * l2(x, y) / 18) }, true},
	{"squared()", func(x, y []float64) float64 { return -l2(x, y) * l2(x, y) }, false},
	{"multiquadratic(c=1.5)", func(x, y []float64) float64 { return -math.Hypot(1.5, l2(x, y)) }, false},
	{"laplace(gamma=0.3)", func(x, y []float64) float64 { return math.Exp(-0.3 * l1(x, y)) }, true},
	{"exponential(gamma=0.3)", func(x, y []float64) float64 { return math.Exp(-0.3 * l2(x, y)) }, true},
	{"matern12(length=2)", func(x, y []float64) float64 { return math.Exp(-l2(x, y) / 2) }, true},
	{"matern32(length=2)", func(x, y []float64) float64 {
		r := l2(x, y) / 2
		return (1 + math.Sqrt(3)*r) * math.Exp(-math.Sqrt(3)*r)
	}, true},
	{"matern52(length=2)", func(x, y []float64) float64 {
		r := l2(x, y) / 2
		return (1 + math.Sqrt(5)*r + 5*r*r/3) * math.Exp(-math.Sqrt(5)*r)
	}, true},
	{"rq(alpha=0.8, length=1.5)", func(x, y []float64) float64 {
		return math.Pow(1+l2(x, y)*l2(x, y)/(2*0.8*1.5*1.5), -0.8)
	}, true},
	{"cauchy(length=1.5)", func(x, y []float64) float64 { return 1 / (1 + l2(x, y)*l2(x, y)/2.25) }, true},
	{"multiquadric(length=1.5)", func(x, y []float64) float64 { return math.Hypot(1, l2(x, y)/1.5) }, false},
	{"imq(length=1.5)", func(x, y []float64) float64 { return 1 / math.Hypot(1, l2(x, y)/1.5) }, true},
	{"csrbf(sigma2=4, theta=3, v=3)", func(x, y []float64) float64 {
		r := l2(x, y)
		if r >= 3 {
			return 0
		}
		return math.Exp(-r*r/4) * math.Pow(1-r/3, 3)
	}, true},
	{"csrbf(sigma2=40, theta=1.5, v=3.5)", func(x, y []float64) float64 {
		r := l2(x, y)
		if r >= 1.5 {
			return 0
		}
		return math.Exp(-r*r/40) * math.Pow(1-r/1.5, 3.5)
	}, true},
	{"csrbf(sigma2=4, theta=1.5, v=2)", func(x, y []float64) float64 { // not enough for five columns
		r := l2(x, y)
		if r >= 1.5 {
			return 0
		}
		return math.Exp(-r*r/4) * math.Pow(1-r/1.5, 2)
	}, false},
	{"sigmoid(gamma=0.4, coef0=-0.5)", func(x, y []float64) float64 { return math.Tanh(0.4*inner(x, y) - 0.5) }, false},
	{"cosine()", func(x, y []float64) float64 {
		if inner(x, x) == 0 || inner(y, y) == 0 {
			return 0
		}
		return inner(x, y) / math.Sqrt(inner(x, x)*inner(y, y))
	}, true},
	{"expdot(scale=0.4)", func(x, y []float64) float64 { return math.Exp(0.4 * inner(x, y)) }, true},
	{"relu()", func(x, y []float64) float64 { return math.Max(0, inner(x, y)) }, false},
	{"0.5*rbf(gamma=1) + 2*linear()", func(x, y []float64) float64 {
		return 0.5*math.Exp(-l2(x, y)*l2(x, y)) + 2*inner(x, y)
	}, true},
	{"rbf(gamma=0.1)*poly(degree=2, gamma=1, coef0=1)*cosine()", func(x, y []float64) float64 {
		return math.Exp(-0.1*l2(x, y)*l2(x, y)) * math.Pow(inner(x, y)+1, 2) *
			inner(x, y) / math.Max(1e-300, math.Sqrt(inner(x, x)*inner(y, y)))
	}, true},
	{"3*(linear() + 0.5*laplace(gamma=1))*(rbf(gamma=1) + multiquadric(length=1)) + cauchy(length=1)", func(x, y []float64) float64 {
		r2 := l2(x, y) * l2(x, y)
		return 3*(inner(x, y)+0.5*math.Exp(-l1(x, y)))*(math.Exp(-r2)+math.Sqrt(1+r2)) + 1/(1+r2)
	}, false},
}

// mustParse parses a kernel.
func mustParse(t testing.TB, text string) Kernel {
	t.Helper()
	k, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// normal returns normal entries, with pad unused values after each row.
func normal(rng *rand.Rand, rows, cols, pad int) blas64.General {
	m := blas64.General{Rows: rows, Cols: cols, Stride: cols + pad, Data: make([]float64, rows*(cols+pad))}
	for i := range m.Data {
		m.Data[i] = rng.NormFloat64()
	}
	return m
}

// tile returns the kernel between all rows of x and y.
func tile(k Kernel, x, y blas64.General) blas64.General {
	dst := matrix.New(x.Rows, y.Rows)
	k.Fill(dst, x, k.Pack(y), nil)
	return dst
}

// row returns row i.
func row(m blas64.General, i int) []float64 { return matrix.Row(m, i) }

// same reports whether two numbers have the same bits.
func same(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }
