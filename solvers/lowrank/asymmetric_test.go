package lowrank

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// asymmetric holds asymmetric kernels as functions of the squared distance and the inner product, or of the rows for
// kl. divided means that row sums divide them.
var asymmetric = map[string]struct {
	of      func(x, z []float64) float64
	divided bool
}{
	"softmax(scale=0.7)": {func(x, z []float64) float64 { return math.Exp(0.7 * dense.Dot(x, z)) }, true},
	"sne(gamma=1.5)":     {func(x, z []float64) float64 { return math.Exp(-squaredDistance(x, z) / 2.25) }, true},
	"2*t()":              {func(x, z []float64) float64 { return 1 / (1 + squaredDistance(x, z)) }, true},
	"kl(a=2)":            {func(x, z []float64) float64 { return math.Exp(-2 * divergence(x, z)) }, false},
}

// squaredDistance returns ‖x−z‖².
func squaredDistance(x, z []float64) (s float64) {
	for i, v := range x {
		s += (v - z[i]) * (v - z[i])
	}
	return s
}

// divergence returns KL(x‖z) of the normalised rows.
func divergence(x, z []float64) (s float64) {
	p, q := dense.Sum(x), dense.Sum(z)
	for i, v := range x {
		s += v / p * math.Log(v/p/(z[i]/q))
	}
	return s
}

// asymmetricMatrix returns A by its definition.
func asymmetricMatrix(name string, x, z blas64.General) blas64.General {
	f := asymmetric[name]
	a := filled(x.Rows, z.Rows, func(i, j int) float64 { return f.of(matrix.Row(x, i), matrix.Row(z, j)) })
	for i := range a.Rows {
		if f.divided {
			dense.Scale(1/dense.Sum(matrix.Row(a, i)), matrix.Rows(a, i, 1))
		}
	}
	if name == "2*t()" {
		dense.Scale(2, a)
	}
	return a
}

// positiveRows returns clustered rows on which every kernel is defined.
func positiveRows(n int, seed uint64) blas64.General {
	x := clusters(n, 3, seed)
	for i, v := range x.Data {
		x.Data[i] = 0.2 + math.Abs(v)
	}
	return x
}

// TestAsymmetric compares asymmetric kernels of one and of two sources with dense computations of A and of Algorithm 4
// with the same sketches. Estimates, and the errors of Verify, are within a factor of two of the truth.
func TestAsymmetric(t *testing.T) {
	const m, n, c, z = 520, 480, 16, 4
	x, y := positiveRows(m, 1), positiveRows(n, 2)
	for name := range asymmetric {
		k := parseKernel(t, name)
		for _, two := range []bool{true, false} {
			d, right := model.Sources{Left: stream.FromMatrix("x", x)}, x
			if two {
				d.Right, right = stream.FromMatrix("y", y), y
			}
			a := asymmetricMatrix(name, x, right)
			published := algorithm4(t, a, c, 5*c, z)
			for label, method := range map[string]Method{"ssrsvd": SSRSVD{Rank: c, NNZ: z, Seed: 1}, "landmark": Landmark{Rank: c, Seed: 1}} {
				f, err := method.Fit(t.Context(), stream.Engine{}, d, k)
				if err != nil {
					t.Fatalf("%s of %s: %v", label, name, err)
				}
				rest := difference(a, approximation(f.Model, factors(t, f.Model, f.Left, x), factors(t, f.Model, f.right(), right)))
				spectral, frobenius := quickNorm(t, rest)/quickNorm(t, a), dense.Frobenius(rest)/dense.Frobenius(a)
				v, err := f.Verify(t.Context(), stream.Engine{}, d, 0, 1)
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%s of %s, two sources %v: error %.3g and %.3g, Algorithm 4 %.3g", label, name, two, spectral, frobenius, published/quickNorm(t, a))
				if !(spectral*quickNorm(t, a) <= 1.2*published) {
					t.Errorf("%s of %s, two sources %v: error %g, and Algorithm 4 has %g", label, name, two, spectral, published/quickNorm(t, a))
				}
				if !within(2, f.EstimateIn(NormSpectral), spectral) || !within(2, f.EstimateIn(NormFrobenius), frobenius) {
					t.Errorf("%s of %s, two sources %v: estimates %v, errors %g and %g", label, name, two, f.Estimates, spectral, frobenius)
				}
				if !within(1.001, v.SpectralError, spectral) || !within(1.001, v.FrobeniusError, frobenius) {
					t.Errorf("%s of %s, two sources %v: verify gives %g and %g, not %g and %g", label, name, two, v.SpectralError, v.FrobeniusError, spectral, frobenius)
				}
			}
		}
	}
}

// algorithm4 returns the error of Algorithm 4 for A with the sketches of seed 1.
func algorithm4(t *testing.T, a blas64.General, c, s, z int) float64 {
	_, ofC := denseSign(t, int64(a.Cols), c, z, 1, "C")
	_, ofS := denseSign(t, int64(a.Cols), s, z, 1, "S")
	_, ofH := denseSign(t, int64(a.Rows), c, z, 1, "H")
	_, ofO := denseSign(t, int64(a.Rows), s, z, 1, "O")
	q := orthonormal(t, dense.Mul(blas.NoTrans, a, blas.NoTrans, ofC))
	p := orthonormal(t, dense.Mul(blas.Trans, a, blas.NoTrans, ofH))
	oq, sp := dense.Mul(blas.Trans, ofO, blas.NoTrans, q), dense.Mul(blas.Trans, ofS, blas.NoTrans, p)
	core := dense.Mul(blas.Trans, ofO, blas.NoTrans, dense.Mul(blas.NoTrans, a, blas.NoTrans, ofS))
	w := dense.Mul(blas.NoTrans, pseudoInverse(t, oq), blas.NoTrans, dense.Mul(blas.NoTrans, core, blas.Trans, pseudoInverse(t, sp)))
	return quickNorm(t, difference(a, dense.Mul(blas.NoTrans, q, blas.NoTrans, dense.Mul(blas.NoTrans, w, blas.Trans, p))))
}

// within reports whether two numbers differ by at most a factor.
func within(factor, a, b float64) bool { return a <= factor*b && b <= factor*a }

// TestSampledSums: with sampled row sums the estimate includes their error. Verify measures A with sums over all right
// rows.
func TestSampledSums(t *testing.T) {
	const m, n = 250, 3600
	x, y := positiveRows(m, 1), positiveRows(n, 2)
	d := model.Sources{Left: stream.FromMatrix("x", x), Right: stream.FromMatrix("y", y)}
	for name, f := range asymmetric {
		if !f.divided {
			continue
		}
		a := asymmetricMatrix(name, x, y)
		for label, method := range map[string]Method{"ssrsvd": SSRSVD{Rank: 20, Seed: 1, Sums: SumsSampled}, "landmark": Landmark{Rank: 20, Seed: 2, Sums: SumsSampled}} {
			f, err := method.Fit(t.Context(), stream.Engine{}, d, parseKernel(t, name))
			if err != nil {
				t.Fatal(err)
			}
			if f.Sums.Exact() || f.Sums.Rows.Rows != sampledSums {
				t.Errorf("%s of %s: sums over %d rows", label, name, f.Sums.Rows.Rows)
			}
			rest := difference(a, approximation(f.Model, factors(t, f.Model, f.Left, x), factors(t, f.Model, f.Right, y)))
			spectral, frobenius := quickNorm(t, rest)/quickNorm(t, a), dense.Frobenius(rest)/dense.Frobenius(a)
			v, err := f.Verify(t.Context(), stream.Engine{}, d, 0, 1)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s of %s: errors %.3g and %.3g, estimates %v, verified %.3g and %.3g", label, name, spectral, frobenius, f.Estimates, v.SpectralError, v.FrobeniusError)
			if spectral > 0.02 || !within(2, f.EstimateIn(NormSpectral), spectral) || !within(2, f.EstimateIn(NormFrobenius), frobenius) {
				t.Errorf("%s of %s: estimates %v, errors %g and %g", label, name, f.Estimates, spectral, frobenius)
			}
			if !within(1.001, v.SpectralError, spectral) || !within(1.001, v.FrobeniusError, frobenius) {
				t.Errorf("%s of %s: verify gives %g and %g, not %g and %g", label, name, v.SpectralError, v.FrobeniusError, spectral, frobenius)
			}
		}
	}
}

// TestLoadAsymmetric: Load refuses models whose sides or row sums do not suit the kernel.
func TestLoadAsymmetric(t *testing.T) {
	d := model.Sources{Left: stream.FromMatrix("x", positiveRows(300, 1))}
	for says, change := range map[string]func(m *Model){
		"sides that are transposed":            func(m *Model) { m.Right.Transposed = false },
		"transposed: left true":                func(m *Model) { m.Left.Transposed = true },
		"and row sums false":                   func(m *Model) { m.Sums = nil },
		"row sums over 300 of 299 rows":        func(m *Model) { m.Sums.TotalRows = 299 },
		"row sums over 300 of 300 rows with 2": func(m *Model) { m.Sums.Rows = matrix.Clone(matrix.Columns(m.Sums.Rows, 0, 2)) },
	} {
		f, err := SSRSVD{Rank: 4, Seed: 1}.Fit(t.Context(), stream.Engine{}, d, parseKernel(t, "softmax(scale=1)"))
		if err != nil {
			t.Fatal(err)
		}
		change(f.Model)
		a, err := f.Save()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Load(a); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q is not in %v", says, err)
		}
	}
}
