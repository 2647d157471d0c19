package ksvd

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/krylov"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

var background = context.Background()

// gaussian returns a matrix of normal numbers with standard deviation scale.
func gaussian(rows, cols int, scale float64, seed uint64) blas64.General {
	m := matrix.New(rows, cols)
	random := sketch.NewRandom(seed, "test")
	for i := range rows {
		draws := random.At(uint64(i))
		for j := range matrix.Row(m, i) {
			matrix.Row(m, i)[j] = scale * draws.Normal()
		}
	}
	return m
}

// positive returns a matrix of numbers between 0.1 and 1.1.
func positive(rows, cols int, seed uint64) blas64.General {
	m := matrix.New(rows, cols)
	draws := sketch.NewRandom(seed, "test positive").At(0)
	for i := range m.Data {
		m.Data[i] = 0.1 + draws.Float64()
	}
	return m
}

// parse parses a kernel.
func parse(t testing.TB, text string) kernelgen.Kernel {
	t.Helper()
	k, err := kernelgen.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// between returns the data of the rows of x and z.
func between(t testing.TB, x, z blas64.General) *Data {
	t.Helper()
	d, err := Between(stream.FromMatrix("x", x), stream.FromMatrix("z", z))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// formula is κ(x, z) as a Go function; divided means that the kernel is divided by its row sums.
type formula struct {
	text    string
	value   func(x, z []float64) float64
	divided bool
}

// squared returns ‖x−z‖².
func squared(x, z []float64) (s float64) {
	for l := range x {
		s += (x[l] - z[l]) * (x[l] - z[l])
	}
	return s
}

// divergence returns KL(x‖z).
func divergence(x, z []float64) (s float64) {
	var p, q float64
	for l := range x {
		p += x[l]
		q += z[l]
	}
	for l := range x {
		s += x[l] / p * math.Log(x[l]/p/(z[l]/q))
	}
	return s
}

var formulas = []formula{
	{"rbf(sigma=3)", func(x, z []float64) float64 { return math.Exp(-squared(x, z) / 9) }, false},
	{"linear()", dense.Dot, false},
	{"poly(degree=2, gamma=0.5, coef0=1)", func(x, z []float64) float64 { return math.Pow(dense.Dot(x, z)/2+1, 2) }, false},
	{"cosine()", func(x, z []float64) float64 {
		if dense.Dot(x, x) == 0 || dense.Dot(z, z) == 0 {
			return 0
		}
		return dense.Dot(x, z) / math.Sqrt(dense.Dot(x, x)*dense.Dot(z, z))
	}, false},
	{"sne(gamma=2)", func(x, z []float64) float64 { return math.Exp(-squared(x, z) / 4) }, true},
	{"3*sne(gamma=2)", func(x, z []float64) float64 { return math.Exp(-squared(x, z) / 4) }, true},
	{"t()", func(x, z []float64) float64 { return 1 / (1 + squared(x, z)) }, true},
	{"softmax(scale=0.5)", func(x, z []float64) float64 { return math.Exp(dense.Dot(x, z) / 2) }, true},
	{"kl(a=2)", func(x, z []float64) float64 { return math.Exp(-2 * divergence(x, z)) }, false},
}

// denseG returns G from the formula, centred or not.
func denseG(f formula, k kernelgen.Kernel, x, z blas64.General, centre bool) blas64.General {
	g := matrix.New(x.Rows, z.Rows)
	for i := range g.Rows {
		sum := 0.0
		for j := range g.Cols {
			matrix.Row(g, i)[j] = f.value(matrix.Row(x, i), matrix.Row(z, j))
			sum += matrix.Row(g, i)[j]
		}
		for j := range g.Cols {
			if f.divided {
				matrix.Row(g, i)[j] *= k.Weight() / sum
			}
		}
	}
	if centre {
		dense.CenterColumns(g)
		t := matrix.Transpose(g)
		dense.CenterColumns(t)
		g = matrix.Transpose(t)
	}
	return g
}

// checkDecomposition compares values and subspaces with the dense SVD of g.
func checkDecomposition(t *testing.T, what string, g blas64.General, values []float64, u, v blas64.General, tol, angle float64) {
	t.Helper()
	d, err := newSVD("G", g)
	if err != nil {
		t.Fatal(err)
	}
	for s, w := range values {
		if math.Abs(w-d.S[s]) > tol*d.S[0] {
			t.Errorf("%s: value %d is %v, want %v", what, s, w, d.S[s])
		}
	}
	a, err := eta(d.U, d.V, d.S[:len(values)], u, v)
	if err != nil {
		t.Fatal(err)
	}
	// 1 − cos of an angle is half its square.
	if !(a <= angle*angle+1e-14) {
		t.Errorf("%s: angles of about %.2g", what, math.Sqrt(a))
	}
	checkOrthonormal(t, what+", U", u, 1e-7)
	checkOrthonormal(t, what+", V", v, 1e-7)
}

// checkOrthonormal fails the test unless max|UᵀU−I| ≤ tol.
func checkOrthonormal(t *testing.T, what string, u blas64.General, tol float64) {
	t.Helper()
	gram := dense.Mul(blas.Trans, u, blas.NoTrans, u)
	for i := range gram.Rows {
		for j, w := range matrix.Row(gram, i) {
			if i == j {
				w--
			}
			if !(math.Abs(w) <= tol) {
				t.Fatalf("%s: columns %d and %d: the Gram matrix is off by %.2g", what, i, j, w)
			}
		}
	}
}

// checkClose compares two matrices.
func checkClose(t *testing.T, what string, got, want blas64.General, tol float64) {
	t.Helper()
	if got.Rows != want.Rows || got.Cols != want.Cols {
		t.Fatalf("%s: %d×%d, want %d×%d", what, got.Rows, got.Cols, want.Rows, want.Cols)
	}
	for i := range got.Rows {
		for j, w := range matrix.Row(want, i) {
			if v := matrix.Row(got, i)[j]; !(math.Abs(v-w) <= tol) {
				t.Fatalf("%s: entry (%d, %d) is %v, want %v", what, i, j, v, w)
			}
		}
	}
}

// TestExactAgainstDense compares the exact method with a dense SVD for all kernels, centred and not, with G in memory
// and not.
func TestExactAgainstDense(t *testing.T) {
	x, z := positive(300, 4, 1), positive(270, 4, 2)
	for i := range x.Data {
		x.Data[i] *= 3
	}
	for _, f := range formulas {
		for _, centre := range []bool{false, true} {
			if testing.Short() && !centre {
				continue
			}
			what := fmt.Sprintf("%s centred %v", f.text, centre)
			k := parse(t, f.text)
			m := Exact{Rank: 4, Center: centre, Seed: 3}
			fit, err := m.Fit(background, stream.Engine{Threads: 2}, between(t, x, z), k)
			if err != nil {
				t.Fatal(what, err)
			}
			if len(fit.Notes) > 0 && f.text != "linear()" {
				t.Errorf("%s: %v", what, fit.Notes)
			}
			checkDecomposition(t, what, denseG(f, k, x, z, centre), fit.Values, fit.U, fit.V, 1e-10, 1e-6)
		}
	}
}

// TestExactTiles makes passes over tiles, as for matrices too large for memory, and restarts.
func TestExactTiles(t *testing.T) {
	x, z := gaussian(300, 6, 1, 1), gaussian(530, 6, 1, 2)
	d := between(t, x, z)
	some := []formula{formulas[4], formulas[0]}
	if testing.Short() {
		some = some[:1]
	}
	for _, f := range some {
		k := parse(t, f.text)
		e, err := tiles.New(k, false)
		if err != nil {
			t.Fatal(err)
		}
		g := loadedGrid(t, stream.Engine{Threads: 2}, d, e)
		s, err := g.Sums(background, false)
		if err != nil {
			t.Fatal(err)
		}
		op := &tiles.Operator{Grid: g, Sums: s, Centered: true}
		r, err := tiles.SVD{Rank: 10, Tolerance: 1e-10, Passes: 100, Centered: true}.Decompose(background, op, 300, 530)
		if err != nil {
			t.Fatal(err)
		}
		if r.Passes <= tiles.MaxBlocks {
			t.Errorf("%s: %d passes: the test is of restarts", f.text, r.Passes)
		}
		checkDecomposition(t, f.text, denseG(f, k, x, z, true), r.Values, r.U, r.V, 1e-10, 1e-6)
	}
}

// TestLinearRecoversSVD: with the pseudo-inverse as C and the linear kernel, KSVD is the SVD of the matrix, for any
// shape (paper, Remark 3.1).
func TestLinearRecoversSVD(t *testing.T) {
	for _, shape := range [][2]int{{40, 25}, {25, 40}, {30, 30}} {
		a := gaussian(shape[0], shape[1], 1, 5)
		d, err := RowsAndColumns(background, stream.FromMatrix("a", a), CompatPseudoInverse, 1)
		if err != nil {
			t.Fatal(err)
		}
		fit, err := Exact{Rank: 6, Seed: 1}.Fit(background, stream.Engine{}, d, kernelgen.Linear())
		if err != nil {
			t.Fatal(err)
		}
		checkDecomposition(t, fmt.Sprint(shape), a, fit.Values, fit.U, fit.V, 1e-9, 1e-6)
	}
}

// TestCompatibility checks the definitions of the three matrices C.
func TestCompatibility(t *testing.T) {
	for _, shape := range [][2]int{{40, 9}, {9, 40}} {
		a := gaussian(shape[0], shape[1], 1, 7)
		long := a
		if shape[0] > shape[1] {
			long = matrix.Transpose(a)
		}
		for _, kind := range []Compatibility{CompatPseudoInverse, CompatPCA, CompatRandom} {
			d, err := RowsAndColumns(background, stream.FromMatrix("a", a), kind, 1)
			if err != nil {
				t.Fatal(err)
			}
			c, moved := d.maps[0], d.left
			if shape[0] > shape[1] {
				c, moved = d.maps[1], d.right
			}
			if c.Rows != 40 || c.Cols != 9 {
				t.Fatalf("%v: C is %d×%d", kind, c.Rows, c.Cols)
			}
			product := dense.Mul(blas.NoTrans, long, blas.NoTrans, c)
			checkClose(t, kind.String(), moved.Source.(matrixSource).matrix, product, 1e-12)
			switch kind {
			case CompatPseudoInverse: // X·C = I, as X has full rank
				identity := matrix.New(9, 9)
				for i := range 9 {
					matrix.Row(identity, i)[i] = 1
				}
				checkClose(t, "pinv", product, identity, 1e-10)
			case CompatPCA: // X·C·Cᵀ = X, and C orthonormal
				checkOrthonormal(t, "pca", c, 1e-12)
				checkClose(t, "pca", dense.Mul(blas.NoTrans, product, blas.Trans, c), long, 1e-11)
			}
		}
	}
	if _, err := RowsAndColumns(background, stream.FromMatrix("a", gaussian(3, 4, 1, 1)), CompatIdentity, 1); err == nil {
		t.Error("a 3×4 matrix has rows and columns of one length")
	}
}

// TestAllSamples: if all rows and columns are landmarks, the Nyström method equals the SVD.
func TestAllSamples(t *testing.T) {
	x, z := gaussian(150, 3, 1, 1), gaussian(110, 3, 1, 2)
	for _, f := range []formula{formulas[0], formulas[4], formulas[6]} {
		for _, scaling := range []Scaling{ScaleDerived, ScaleUnit, ScaleOrthonormal} {
			for _, sums := range []Sums{SumsExact, SumsSampled} {
				k := parse(t, f.text)
				fit, err := Nystrom{Rank: 5, Rows: 150, Cols: 110, Center: true, Sums: sums, Scaling: scaling}.Fit(background, stream.Engine{}, between(t, x, z), k)
				if err != nil {
					t.Fatal(err)
				}
				u, v, err := factors(fit, stream.Engine{})
				if err != nil {
					t.Fatal(err)
				}
				checkDecomposition(t, fmt.Sprint(f.text, scaling, sums), denseG(f, k, x, z, true), fit.Values, u, v, 1e-9, 1e-5)
			}
		}
	}
}

// factors returns the singular vectors of all fitted rows.
func factors(f *Fit, e stream.Engine) (u, v blas64.General, err error) {
	of := func(side model.Side) (blas64.General, error) {
		worker, rows, err := f.Fitted(side)
		if err != nil {
			return blas64.General{}, err
		}
		return stream.MapRows(background, e, "transform", rows, f.Rank(), worker)
	}
	if u, err = of(model.Left); err == nil {
		v, err = of(model.Right)
	}
	return u, v, err
}

// TestFittedBoth: for one source, both sides are U and V side by side; for two sources this is an error.
func TestFittedBoth(t *testing.T) {
	x := stream.FromMatrix("x", gaussian(60, 3, 1, 1))
	one, err := Between(x, nil)
	if err != nil {
		t.Fatal(err)
	}
	two, err := Between(x, x)
	if err != nil {
		t.Fatal(err)
	}
	m, k := Nystrom{Rank: 3, Rows: 20, Cols: 25}, kernelgen.SNE(1)
	fit, err := m.Fit(background, stream.Engine{}, one, k)
	if err != nil {
		t.Fatal(err)
	}
	u, v, err := factors(fit, stream.Engine{})
	if err != nil {
		t.Fatal(err)
	}
	worker, rows, err := fit.Fitted(model.Both)
	if err != nil {
		t.Fatal(err)
	}
	both, err := stream.MapRows(background, stream.Engine{}, "both", rows, 6, worker)
	if err != nil {
		t.Fatal(err)
	}
	for i := range both.Rows {
		if want := slices.Concat(matrix.Row(u, i), matrix.Row(v, i)); !slices.Equal(matrix.Row(both, i), want) {
			t.Fatalf("row %d is %v, expected %v", i, matrix.Row(both, i), want)
		}
	}
	if fit, err = m.Fit(background, stream.Engine{}, two, k); err != nil {
		t.Fatal(err)
	}
	if _, _, err := fit.Fitted(model.Both); err == nil {
		t.Error("two sources: no error")
	}
}

// eta returns η of the paper, with weights that sum to 1.
func eta(trueU, trueV blas64.General, values []float64, u, v blas64.General) (float64, error) {
	r := len(values)
	left, err := weightedAngles(matrix.Columns(trueU, 0, r), matrix.Columns(u, 0, r), values)
	if err != nil {
		return 0, err
	}
	right, err := weightedAngles(matrix.Columns(trueV, 0, r), matrix.Columns(v, 0, r), values)
	return left + right, err
}

// weightedAngles returns Σ w_i·(1 − cos) with w_i = λ_i/Σλ, for the angles between the columns u_i and the span of w.
func weightedAngles(u, w blas64.General, values []float64) (float64, error) {
	sum := dense.Sum(values)
	if u.Cols == 0 || sum == 0 {
		return 0, nil
	}
	scaled := matrix.Clone(w)
	dense.ScaleColumns(scaled, dense.Reciprocals(norms(w)))
	b := krylov.NewBasis(w.Rows, 0, w.Cols)
	if _, err := b.Add(scaled, w.Cols, rankTolerance); err != nil {
		return 0, err
	}
	part := make([]float64, u.Cols)
	if b.Cols() > 0 {
		part = dense.ColumnNorms(dense.Mul(blas.Trans, b.Vectors(), blas.NoTrans, u))
	}
	angle := 0.0
	for i, length := range norms(u) {
		angle += values[i] / sum * (1 - min(1, part[i]/length))
	}
	return angle, nil
}
