package ism

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// corners are the corners of a tetrahedron.
var corners = [][]float64{{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}}

// informative returns n rows of d columns in k classes. The classes depend on three directions, turned by a random
// rotation, which it returns too.
func informative(n, d, k int, seed uint64) (x blas64.General, labels []int, truth blas64.General) {
	x = normals(n, d, seed)
	truth = orthonormal(d, 3, seed+1)
	z := dense.Mul(noTrans, x, noTrans, truth)
	noise := sketch.NewRandom(seed, "label noise")
	for i := range n {
		draws := noise.At(uint64(i))
		p := matrix.Row(z, i)
		best, label := math.Inf(-1), 0
		for c, v := range corners[:k] {
			if score := dense.Dot(v, p) + 0.2*draws.Normal(); score > best {
				best, label = score, c
			}
		}
		labels = append(labels, label)
	}
	return x, labels, truth
}

// mustClasses returns a response of class labels.
func mustClasses(t testing.TB, labels []int, k int) *Response {
	t.Helper()
	r, err := Classes(labels, k)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// mustFit makes a fit and fails the test on an error.
func mustFit(t testing.TB, m Solver, e stream.Engine, d *Data, k kernelgen.Kernel) *Fit {
	t.Helper()
	f, err := m.Fit(ctx, e, d, k)
	if err != nil {
		t.Fatal(err)
	}
	checkFit(t, m, f)
	return f
}

// checkFit checks that W is orthonormal, and that J of accepted steps does not decrease for one Γ.
func checkFit(t testing.TB, m Solver, f *Fit) {
	t.Helper()
	if off := orthonormality(f.W); !(off < 1e-10) {
		t.Errorf("W is off orthonormal by %.1e", off)
	}
	last := math.Inf(-1)
	for i, j := range f.History {
		if f.Rounds == 1 && i > 0 && j < last-2e-12*math.Max(math.Abs(j), math.Abs(last)) {
			t.Errorf("J fell from %v to %v", last, j)
		}
		last = j
	}
	if last != f.Objective {
		t.Errorf("J of the last accepted step is %v and of the fit %v", last, f.Objective)
	}
	for j := 1; j < f.Dim(); j++ {
		if f.Values[j] > f.Values[j-1] {
			t.Errorf("values %v do not descend", f.Values)
		}
	}
}

// angleTo returns the largest principal angle between the spans of w and truth, in radians.
func angleTo(t testing.TB, w, truth blas64.General) float64 {
	t.Helper()
	a, err := largestAngle(truth, w)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestFindsSubspace: both engines find the three directions that determine the classes, with kernels sensitive to them.
func TestFindsSubspace(t *testing.T) {
	const n, d = 600, 8
	x, labels, truth := informative(n, d, 4, 7)
	known := mustClasses(t, labels, 4)
	for i, text := range []string{"gaussian(sigma=1.5)", "polynomial(degree=3, c=1)", "multiquadratic()", "gaussian() + 0.001*polynomial()", "relative(neighbour=20)", "inverse()", "linear()", "squared()", "matern32(length=2)", "rq(alpha=2, length=2)"} {
		if testing.Short() && i%3 > 0 {
			continue
		}
		var found [2]*Fit
		for i, engine := range []Algorithm{AlgorithmExact, AlgorithmLinear} {
			m := Solver{Dim: 3, Algorithm: engine, ChangeTol: 1e-3, Seed: 1}
			if engine == AlgorithmLinear && text == "relative(neighbour=20)" {
				continue
			}
			f := mustFit(t, m, stream.Engine{}, &Data{source(x), known}, mustParse(t, text))
			found[i] = f
			a := angleTo(t, f.W, truth)
			t.Logf("%s, %v: angle %.3f, %d iterations, %d damped, J %.6g, residual %.1e, landmarks %d, settled %v", text, engine, a, f.Iterations, f.Damped, f.Objective, f.Residual(), f.Landmarks, !f.NotConverged)
			if a > 0.5 {
				t.Errorf("%s, %v: %v from the truth", text, engine, a)
			}
		}
		if found[1] == nil {
			continue
		}
		if a := angleTo(t, found[1].W, found[0].W); a > 0.05 {
			t.Errorf("%s: the engines are %v apart", text, a)
		}
	}
}
