package kernelgen

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/simd"
)

// TestFillLog: the exponential of the logarithm has the bits of the kernel, and memory around the tile is unchanged.
func TestFillLog(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 1))
	for _, text := range []string{"rbf(gamma=0.3)", "rbf(sigma=2)", "rbf(sigma2=0.1)", "laplace(gamma=0.4)", "expdot(scale=0.5)", "kl(a=2)"} {
		k := mustParse(t, text)
		for _, shape := range [][3]int{{0, 3, 2}, {3, 0, 2}, {1, 1, 1}, {35, 133, 5}, {70, 9, 20}} {
			x, z := probabilities(rng, shape[0], shape[2]), probabilities(rng, shape[1], shape[2])
			want := tile(k, x, z)
			all := make([]float64, (x.Rows+2)*(z.Rows+3))
			for i := range all {
				all[i] = guard
			}
			dst := blas64.General{Rows: x.Rows, Cols: z.Rows, Stride: z.Rows + 3, Data: all[2:]}
			if !k.FillLog(dst, x, k.Pack(z), nil) || !k.HasLog() {
				t.Fatalf("%v is an exponential", k)
			}
			for i := range x.Rows {
				r := row(dst, i)
				simd.ScaledExp.Apply(r, r, 1)
				for j, v := range r {
					if w := row(want, i)[j]; !same(v, w) {
						t.Fatalf("%v: exponential of the logarithm [%d,%d] = %v, want %v", k, i, j, v, w)
					}
					r[j] = guard
				}
			}
			for i, v := range all {
				if v != guard {
					t.Fatalf("%v: word %d outside the tile was overwritten", k, i)
				}
			}
		}
	}
}

func TestFillLogWithAWeight(t *testing.T) {
	x := normal(rand.New(rand.NewPCG(16, 1)), 9, 3, 0)
	k := Scale(1e200, RBF(0.7))
	dst := matrix.Of(make([]float64, 81), 9, 9)
	k.FillLog(dst, x, k.Pack(x), nil)
	for i := range 9 {
		for j := range 9 {
			r := l2(row(x, i), row(x, j))
			if want := 200*math.Ln10 - 0.7*r*r; math.Abs(row(dst, i)[j]-want) > 1e-12*math.Abs(want) {
				t.Errorf("[%d,%d] = %v, want %v", i, j, row(dst, i)[j], want)
			}
		}
	}
}

// TestNoLog: HasLog is false for other kernels, and FillLog leaves the tile unchanged.
func TestNoLog(t *testing.T) {
	x := normal(rand.New(rand.NewPCG(17, 1)), 3, 3, 0)
	for _, text := range []string{"linear", "cauchy", "exponential(gamma=1)", "matern12", "csrbf(sigma2=1, theta=1, v=2)",
		"rbf(gamma=1) + rbf(gamma=2)", "rbf(gamma=1)*expdot", "poly(degree=2, gamma=1)", "2*(linear + rbf(gamma=1))"} {
		k := mustParse(t, text)
		dst := matrix.Of([]float64{guard, guard, guard, guard, guard, guard, guard, guard, guard}, 3, 3)
		if k.FillLog(dst, x, k.Pack(x), nil) || k.HasLog() {
			t.Errorf("%v has no logarithm", k)
		}
		for _, v := range dst.Data {
			if v != guard {
				t.Fatalf("%v: the tile was written", k)
			}
		}
	}
}

// TestFillLogOfExtremes: extreme rows give the limits of the formula, never NaN.
func TestFillLogOfExtremes(t *testing.T) {
	x := nasty()
	for _, text := range []string{"rbf(gamma=%)", "laplace(gamma=%)", "expdot(scale=%)", "1e-300*rbf(gamma=%)"} {
		for _, e := range extremes {
			k := mustParse(t, replace(text, e))
			dst := matrix.New(x.Rows, x.Rows)
			k.FillLog(dst, x, k.Pack(x), nil)
			for i, v := range dst.Data {
				if v != v {
					t.Errorf("%v: rows %v and %v give NaN", k, row(x, i/x.Rows), row(x, i%x.Rows))
				}
			}
		}
	}
}

func TestFillLogAllocatesNothingOnceWarm(t *testing.T) {
	x := probabilities(rand.New(rand.NewPCG(1, 2)), 50, 3)
	for _, k := range []Kernel{RBF(1), ExpDot(1), KL(1)} {
		p, dst := k.Pack(x), matrix.Of(make([]float64, 2500), 50, 50)
		var w Workspace
		k.FillLog(dst, x, p, &w)
		if n := testing.AllocsPerRun(5, func() { k.FillLog(dst, x, p, &w) }); n > 0 {
			t.Errorf("%v: %v allocations a tile", k, n)
		}
	}
}
