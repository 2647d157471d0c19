package ism

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
)

// combinations returns all kernels, and two sums.
func combinations() [][]plainKernel {
	var all [][]plainKernel
	for _, k := range plainKernels {
		all = append(all, []plainKernel{k})
	}
	weigh := func(k plainKernel, w float64) plainKernel {
		k.text, k.weight = fmt.Sprintf("%v*%s", w, k.text), w
		return k
	}
	return append(all, []plainKernel{plainKernels[4], weigh(plainKernels[1], 0.01)},
		[]plainKernel{weigh(plainKernels[0], 2), weigh(plainKernels[5], 0.5), plainKernels[6]})
}

// textOf returns the kernels as the text of a sum.
func textOf(kernels []plainKernel) string {
	text := ""
	for i, k := range kernels {
		if i > 0 {
			text += " + "
		}
		text += k.text
	}
	return text
}

// TestExactEqualsReference: Φ and J of the exact engine equal those of the double loop to 1e-10, for every kernel and
// the Γ of every paradigm.
func TestExactEqualsReference(t *testing.T) {
	const d, q = 5, 2
	w := orthonormal(d, q, 2)
	for _, name := range []string{"classes", "multi-label", "unsupervised", "semisupervised", "alternative"} {
		n := 50
		if name == "semisupervised" && !testing.Short() { // Γ has both kinds of parts
			n = 260 // more than one tile
		}
		x := normals(n, d, 1)
		g := testGammas(t, n)[name]
		for _, kernels := range combinations() {
			text := textOf(kernels)
			v, err := exactly(t, text, x).evaluate(ctx, g.gamma, w)
			if err != nil {
				t.Fatal(err)
			}
			phi, objective := naive(kernels, g.dense, x, w)
			if off := relative(v.phi, phi); !(off <= 1e-10) {
				t.Errorf("%s, %s: Φ is off by %.1e", name, text, off)
			}
			if off := math.Abs(v.objective-objective) / math.Max(math.Abs(objective), 1e-3*dense.MaxAbs(phi)); !(off <= 1e-10) {
				t.Errorf("%s, %s: J is %v, want %v", name, text, v.objective, objective)
			}
		}
	}
}

// TestLinearEqualsReference: if the sample and the landmarks are all rows, the features give the kernel exactly. Φ and
// J then equal the reference up to the tolerances of landmarks.
func TestLinearEqualsReference(t *testing.T) {
	const n, d, q = 60, 5, 2
	x := normals(n, d, 1)
	w := orthonormal(d, q, 2)
	all := &rowSample{x: x}
	for i := range n {
		all.rows = append(all.rows, int64(i))
	}
	for name, g := range testGammas(t, n) {
		for _, kernels := range combinations() {
			text := textOf(kernels)
			e := &linear{data: memory(x), terms: mustTerms(t, text), sample: all, maxLandmarks: n,
				tolerance: targetTolerance}
			if _, found := firstWithout(e.terms, func(t term) bool { return t.featured(g.gamma.centred()) }); found {
				continue
			}
			for pass := range 2 {
				v, err := e.evaluate(ctx, g.gamma, w)
				if err != nil {
					t.Fatal(err)
				}
				phi, objective := naive(kernels, g.dense, x, w)
				if off := relative(v.phi, phi); !(off <= 3e-6) {
					t.Errorf("%s, %s, pass %d: Φ is off by %.1e", name, text, pass, off)
				}
				if off := math.Abs(v.objective-objective) / math.Max(math.Abs(objective), 1e-3*dense.MaxAbs(phi)); !(off <= 3e-6) {
					t.Errorf("%s, %s, pass %d: J is %v, want %v", name, text, pass, v.objective, objective)
				}
			}
		}
	}
}

// TestSmallSample: degrees are sums over all rows, even if landmarks come from a small sample.
func TestSmallSample(t *testing.T) {
	const n, d = 3000, 6
	x := normals(n, d, 3)
	labels := make([]int, n)
	for i := range labels {
		if x.Data[i*d]+0.5*x.Data[i*d+1]*x.Data[i*d+1] > 0.4 {
			labels[i] = 1
		}
	}
	known, err := Classes(labels, 2)
	if err != nil {
		t.Fatal(err)
	}
	g := &gamma{n: n, parts: []*part{known.centred(1)}}
	terms := mustTerms(t, "gaussian(sigma=2)")
	data := memory(x)
	held, err := data.sample(ctx, 200, 1, "test")
	if err != nil {
		t.Fatal(err)
	}
	ex := &exact{data: data, x: x, terms: terms}
	l := &linear{data: data, terms: terms, sample: held, maxLandmarks: 150, tolerance: targetTolerance}
	w := orthonormal(d, 2, 2)
	want, err := ex.evaluate(ctx, g, w)
	if err != nil {
		t.Fatal(err)
	}
	v, err := l.evaluate(ctx, g, w)
	if err != nil {
		t.Fatal(err)
	}
	if phi, j := relative(v.phi, want.phi), math.Abs(v.objective/want.objective-1); phi > 1e-5 || j > 1e-5 {
		t.Errorf("Φ is off by %.1e, and J by %.1e", phi, j)
	}
}

// TestGradient: 2ΦW equals the gradient of J by finite differences.
func TestGradient(t *testing.T) {
	const n, d, q = 60, 5, 2
	x := normals(n, d, 1)
	g := testGammas(t, n)["semisupervised"]
	for _, kernels := range combinations() {
		text := textOf(kernels)
		e := exactly(t, text, x)
		objective := func(w blas64.General) float64 {
			v, err := e.evaluate(ctx, g.gamma, w)
			if err != nil {
				t.Fatal(err)
			}
			return v.objective
		}
		w := orthonormal(d, q, 2)
		v, err := e.evaluate(ctx, g.gamma, w)
		if err != nil {
			t.Fatal(err)
		}
		gradient := dense.Mul(noTrans, v.phi, noTrans, w)
		for i := range w.Data {
			const h = 1e-5
			high, low := matrix.Clone(w), matrix.Clone(w)
			high.Data[i] += h
			low.Data[i] -= h
			got := (objective(high) - objective(low)) / (2 * h)
			if want := 2 * gradient.Data[i]; math.Abs(got-want) > 1e-6*math.Max(dense.MaxAbs(gradient), math.Abs(v.objective)) {
				t.Errorf("%s: ∂J/∂W_%d is %v by differences, 2ΦW %v", text, i, got, want)
			}
		}
	}
}

// TestStart: Φ₀ of both engines is that of Table 1, with the factors of the kernels and without local scales.
func TestStart(t *testing.T) {
	const n, d = 50, 4
	x := normals(n, d, 1)
	for name, g := range testGammas(t, n) {
		for _, kernels := range combinations() {
			text := textOf(kernels)
			flattened := make([]plainKernel, len(kernels))
			for i, k := range kernels {
				slope := k.df
				flattened[i] = k
				flattened[i].df = func(_, _ float64) float64 {
					if v := slope(0, 1); v != 0 {
						return v
					}
					return slope(1, 1)
				}
			}
			e := &linear{data: memory(x), terms: mustTerms(t, text)}
			phi, err := e.start(ctx, g.gamma)
			if err != nil {
				t.Fatal(err)
			}
			want, _ := naive(flattened, g.dense, x, orthonormal(d, 1, 1))
			if off := relative(phi, want); !(off <= 1e-10) {
				t.Errorf("%s, %s: Φ₀ is off by %.1e", name, text, off)
			}
		}
	}
}
