package rkhs

import (
	"fmt"
	"math"
	"math/cmplx"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// Expansions over all rows, found by products with exact tiles, are what the span of all
// rows gives, where that can be had: values, functions and canonical functions, weighted
// and centred.
func TestWholeAgrees(t *testing.T) {
	if testing.Short() {
		t.Skip("repeats the arithmetic of smaller tests: run without -short")
	}
	const n = 40
	_, _, plain := dependent(t, n, 2, 2)
	w := make([]float64, n)
	for i := range w {
		w[i] = float64(i % 4)
	}
	weighted, err := plain.Weighted(w)
	if err != nil {
		t.Fatal(err)
	}
	rows := normal(9, 2, "new")
	k := kernelgen.Laplace(0.7)
	const ridge = 1e-2
	for _, op := range []Operator{Covariance{}, CrossCovariance{}, MeanEmbedding{ridge}, Koopman{ridge}, PerronFrobenius{Ridge: ridge}, CCA{ridge}} {
		for _, task := range []Task{SVD, Eigen} {
			for i, d := range []*Data{plain, weighted} {
				s := Solver{Operator: op, Task: task, Rank: 4, Engine: EngineExact, Centre: i == 1}
				if task == Eigen && op == (CCA{ridge}) {
					continue // TestErrors
				}
				what := fmt.Sprintf("%s, %s, weighted and centred %v", name(op), task, i == 1)
				s.Landmarks = 2 * n
				want := mustFit(t, s, d, k)
				s.Landmarks = 5
				f := mustFit(t, s, d, k)
				if f.ExactPasses == 0 || !f.Partial {
					t.Fatalf("%s: not by tiles", what)
				}
				for j, v := range f.Eigenvalues() {
					if off := cmplx.Abs(v-want.Eigenvalues()[j]) / math.Abs(want.Values[0]); off > 1e-9 {
						t.Errorf("%s: value %d is %v, not %v", what, j, v, want.Eigenvalues()[j])
					}
				}
				for _, pair := range [][2]*Functions{{f.Left, want.Left}, {f.Right, want.Right}, {f.CanonicalLeft, want.CanonicalLeft}, {f.CanonicalRight, want.CanonicalRight}} {
					if pair[1] == nil {
						continue
					}
					if off := turned(t, pair[0], pair[1], rows); off > 1e-7 {
						t.Errorf("%s: functions differ by %g", what, off)
					}
				}
				if f.Residual() > 1e-10 || len(f.Residuals) != f.Rank() {
					t.Errorf("%s: residuals %v", what, f.Residuals)
				}
				again, err := Load(saved(t, f.Model))
				if err != nil {
					t.Fatal(err)
				}
				if off := turned(t, again.Left, f.Left, rows) + turned(t, again.Right, f.Right, rows); off > 1e-14 {
					t.Errorf("%s: other functions came back, by %g", what, off)
				}
			}
		}
	}
}

// turned returns the largest difference of the values of functions at some rows, whose
// phases may differ.
func turned(t *testing.T, a, b *Functions, rows blas64.General) (worst float64) {
	t.Helper()
	parts := func(f *Functions) complexMatrix {
		re, err := f.Part(Real).At(t.Context(), stream.Engine{}, rows)
		if err != nil {
			t.Fatal(err)
		}
		im, err := f.Part(Imaginary).At(t.Context(), stream.Engine{}, rows)
		if err != nil {
			t.Fatal(err)
		}
		return complexMatrix{re, im}
	}
	x, y := parts(a), parts(b)
	for j := range x.re.Cols {
		p, q := x.column(j), y.column(j)
		over := complex(0, 0)
		for i := range p {
			over += cmplx.Conj(p[i]) * q[i]
		}
		over /= complex(cmplx.Abs(over), 0)
		for i := range p {
			worst = math.Max(worst, cmplx.Abs(p[i]*over-q[i]))
		}
	}
	return worst
}

// TestGramTilesCount counts the entries of an exact pass, whose last tiles are smaller.
func TestGramTilesCount(t *testing.T) {
	var count atomic.Int64
	k := kernelgen.New(kernelgen.Profile{Name: "counting", Base: kernelgen.InnerProduct, F: func(v float64) float64 {
		count.Add(1)
		return v
	}})
	g := &gramTiles{kernel: k, rows: normal(270, 2, "count")}
	if _, err := g.values(t.Context(), stream.NewMatrix(270, 1)); err != nil {
		t.Fatal(err)
	}
	if g.entries != count.Load() {
		t.Errorf("%d entries, counted as %d", count.Load(), g.entries)
	}
}
