package ksvd

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// symmetricNystrom returns equation (15) by definition: eigenvalues N/n·λ and vectors √(n/N)/λ·K_{N,n}·u of the sampled
// rows.
func symmetricNystrom(t *testing.T, k blas64.General, number []int64, r int) (values []float64, u blas64.General) {
	t.Helper()
	n, size := len(number), k.Rows
	small := mat.NewSymDense(n, nil)
	wide := matrix.New(size, n)
	for i, a := range number {
		for j, b := range number {
			small.SetSym(i, j, matrix.Row(k, int(a))[b])
		}
		for l := range size {
			matrix.Row(wide, l)[i] = matrix.Row(k, l)[a]
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(small, true) {
		t.Fatal("no eigenvalues")
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	v := matrix.New(n, r)
	for s := range r {
		lambda := eigen.Values(nil)[n-1-s]
		values = append(values, lambda*float64(size)/float64(n))
		for i := range n {
			matrix.Row(v, i)[s] = vectors.At(i, n-1-s) * math.Sqrt(float64(n)/float64(size)) / lambda
		}
	}
	return values, dense.Mul(blas.NoTrans, wide, blas.NoTrans, v)
}

// paired returns the fit with the same sample on both sides.
func paired(t *testing.T, m Nystrom, d *Data, k kernelgen.Kernel) *Fit {
	t.Helper()
	f := &nystrom{Nystrom: m, data: d, tiles: tiles.Plain(k)}
	rows := uniformSample(d.Size().Rows, m.Rows, m.Seed, "ksvd rows")
	found, err := f.sampled(background, rows, rows)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestSymmetricReduction: for a symmetric kernel matrix and equal samples, both sides are those of the symmetric
// Nyström method.
func TestSymmetricReduction(t *testing.T) {
	x := gaussian(240, 3, 1, 1)
	d := between(t, x, x)
	f := formulas[0]
	k := parse(t, f.text)
	for _, n := range []int{60, 150} { // the full and the truncated SVD of the block
		fit := paired(t, Nystrom{Rank: 5, Rows: n, Cols: n, Seed: 4}, d, k)
		u, v, err := factors(fit, stream.Engine{})
		if err != nil {
			t.Fatal(err)
		}
		values, want := symmetricNystrom(t, denseG(f, k, x, x, false), fit.Left.Rows, 5)
		for s := range values {
			if math.Abs(values[s]-fit.Values[s]) > 1e-11*values[0] {
				t.Errorf("n = %d: value %d is %v, want %v", n, s, fit.Values[s], values[s])
			}
			// Align the signs.
			if dense.Dot(column(want, s), column(u, s)) < 0 {
				for i := range want.Rows {
					matrix.Row(want, i)[s] *= -1
				}
			}
		}
		tol := 1e-10
		if n > denseSVD {
			tol = 1e-6 // from blockTolerance and a gap
		}
		checkClose(t, "u", u, want, tol)
		checkClose(t, "v", v, want, tol)
	}
}

// column returns column j.
func column(m blas64.General, j int) []float64 {
	c := make([]float64, m.Rows)
	for i := range c {
		c[i] = matrix.Row(m, i)[j]
	}
	return c
}

// TestOrthonormalIsNystrom: with all directions kept, orthonormal scaling gives the eigenvalues of the Nyström
// approximation of package lowrank on the same rows.
func TestOrthonormalIsNystrom(t *testing.T) {
	x := gaussian(200, 2, 1, 1)
	k := kernelgen.RBF(0.5)
	fit := paired(t, Nystrom{Rank: 12, Rows: 12, Cols: 12, Scaling: ScaleOrthonormal, Seed: 1}, between(t, x, x), k)
	u, v, err := factors(fit, stream.Engine{})
	if err != nil {
		t.Fatal(err)
	}
	checkOrthonormal(t, "U", u, 1e-8)
	checkOrthonormal(t, "V", v, 1e-8)
	// Â = C·W⁺·Cᵀ by definition.
	g := denseG(formula{value: func(x, z []float64) float64 { return math.Exp(-squared(x, z) / 2) }}, k, x, x, false)
	c, w := matrix.New(200, 12), matrix.New(12, 12)
	for j, b := range fit.Left.Rows {
		for i := range 200 {
			matrix.Row(c, i)[j] = matrix.Row(g, i)[b]
		}
		for i, a := range fit.Left.Rows {
			matrix.Row(w, i)[j] = matrix.Row(g, int(a))[b]
		}
	}
	d, err := newSVD("W", w)
	if err != nil {
		t.Fatal(err)
	}
	left := dense.Mul(blas.NoTrans, c, blas.NoTrans, d.V)
	dense.ScaleColumns(left, dense.Reciprocals(d.S))
	want := dense.Mul(blas.NoTrans, left, blas.NoTrans, dense.Mul(blas.Trans, d.U, blas.Trans, c))
	dense.ScaleColumns(u, fit.Values)
	checkClose(t, "Â", dense.Mul(blas.NoTrans, u, blas.Trans, v), want, 1e-6)
}

// TestScalings: the norms of the vectors are those of each scaling.
func TestScalings(t *testing.T) {
	x, z := gaussian(900, 3, 1, 1), gaussian(500, 3, 1, 2)
	k := parse(t, "sne(gamma=2)")
	d := between(t, x, z)
	var subspace blas64.General
	for _, scaling := range []Scaling{ScaleDerived, ScaleUnit, ScaleOrthonormal} {
		fit, err := Nystrom{Rank: 4, Rows: 300, Cols: 60, Scaling: scaling, Sums: SumsSampled, Seed: 2}.Fit(background, stream.Engine{}, d, k)
		if err != nil {
			t.Fatal(err)
		}
		u, v, err := factors(fit, stream.Engine{})
		if err != nil {
			t.Fatal(err)
		}
		lu, lv := dense.ColumnNorms(u), dense.ColumnNorms(v)
		switch scaling {
		case ScaleDerived: // (11): |u| ≈ c·√(N/n), |v| ≈ c·√(M/m) with c⁴ = nm/(NM)
			c := math.Pow(300.*60/(900*500), 0.25)
			for s := range lu {
				if r := lu[s] / (c * math.Sqrt(900./300)); r < 0.8 || r > 1.25 {
					t.Errorf("u %d has length %v, expected about %v", s, lu[s], c*math.Sqrt(900./300))
				}
				if r := lv[s] / (c * math.Sqrt(500./60)); r < 0.8 || r > 1.25 {
					t.Errorf("v %d has length %v, expected about %v", s, lv[s], c*math.Sqrt(500./60))
				}
			}
			subspace = u
		case ScaleUnit:
			for s := range lu {
				if math.Abs(lu[s]-1)+math.Abs(lv[s]-1) > 1e-12 {
					t.Errorf("vectors %d have lengths %v and %v", s, lu[s], lv[s])
				}
			}
			for s, length := range dense.ColumnNorms(subspace) {
				if c := dense.Dot(column(u, s), column(subspace, s)) / length; c < 1-1e-12 {
					t.Errorf("unit scaling turned vector %d: %v", s, c)
				}
			}
		case ScaleOrthonormal:
			checkOrthonormal(t, "U", u, 1e-10)
			checkOrthonormal(t, "V", v, 1e-10)
		}
	}
}

// TestNystromConverges: more samples come closer to the singular vectors, for every choice of samples and sums.
// Orthonormal vectors are the closest.
func TestNystromConverges(t *testing.T) {
	if testing.Short() {
		t.Skip("repeats the arithmetic of smaller tests: run without -short")
	}
	x, z := gaussian(1500, 3, 1, 1), gaussian(1200, 3, 1, 2)
	f := formulas[4]
	k := parse(t, f.text)
	d := between(t, x, z)
	truth, err := Exact{Rank: 4, Center: true}.Fit(background, stream.Engine{}, d, k)
	if err != nil {
		t.Fatal(err)
	}
	etaOf := func(m Nystrom) float64 {
		m.Rank, m.Center, m.Seed = 4, true, 5
		fit, err := m.Fit(background, stream.Engine{}, d, k)
		if err != nil {
			t.Fatal(err)
		}
		u, v, err := factors(fit, stream.Engine{})
		if err != nil {
			t.Fatal(err)
		}
		a, err := eta(truth.U, truth.V, truth.Values, u, v)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	for _, sums := range []Sums{SumsExact, SumsSampled} {
		few := etaOf(Nystrom{Rows: 60, Sums: sums})
		many := etaOf(Nystrom{Rows: 600, Sums: sums})
		best := etaOf(Nystrom{Rows: 600, Sums: sums, Scaling: ScaleOrthonormal})
		if !(many < few/2 && many < 0.05) {
			t.Errorf("%v sums: η %.3g with 60 samples, %.3g with 600", sums, few, many)
		}
		if best > many+1e-3 {
			t.Errorf("%v sums: η %.3g, and %.3g of orthonormal vectors", sums, many, best)
		}
	}
}

// TestSSRSVD compares both sides with those of package lowrank.
func TestSSRSVD(t *testing.T) {
	x, z := gaussian(400, 3, 1, 1), gaussian(300, 3, 1, 2)
	d := between(t, x, z)
	for _, text := range []string{"rbf(gamma=0.2)", "sne(gamma=4)", "3*t()"} {
		compareSSRSVD(t, d, x, z, parse(t, text))
	}
	if _, err := (SSRSVD{Rank: 2}).Fit(background, stream.Engine{}, d, parse(t, "kl()")); err == nil || !strings.Contains(err.Error(), "probabilities") {
		t.Errorf("rows with negative numbers: %v", err)
	}
	if _, err := (SSRSVD{Rank: 2}).Plan(stream.Engine{}, model.Size{Rows: 1e5, Cols: 1e5, Columns: 3}, parse(t, "t()")); err == nil || !strings.Contains(err.Error(), "use nystrom") {
		t.Errorf("row sums over 1e10 entries: %v", err)
	}
}

// compareSSRSVD compares a fit with that of package lowrank.
func compareSSRSVD(t *testing.T, d *Data, x, z blas64.General, k kernelgen.Kernel) {
	t.Helper()
	fit, err := SSRSVD{Rank: 10, Seed: 2}.Fit(background, stream.Engine{}, d, k)
	if err != nil {
		t.Fatal(err)
	}
	u, v, err := factors(fit, stream.Engine{})
	if err != nil {
		t.Fatal(err)
	}
	checkOrthonormal(t, "U", u, 1e-9)
	checkOrthonormal(t, "V", v, 1e-9)
	low, err := lowrank.SSRSVD{Rank: 10, Seed: 2}.Fit(background, stream.Engine{}, model.Sources{Left: stream.FromMatrix("x", x), Right: stream.FromMatrix("z", z)}, k)
	if err != nil {
		t.Fatal(err)
	}
	for side, rows := range map[model.Side]blas64.General{model.Left: x, model.Right: z} {
		got := map[model.Side]blas64.General{model.Left: u, model.Right: v}[side]
		err = low.Transform(background, stream.Engine{}, stream.FromMatrix("rows", rows), model.Request{Side: side}, func(b *stream.Block, want blas64.General) error {
			checkClose(t, k.String(), matrix.Rows(got, int(b.Start), want.Rows), want, 1e-9)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestWords: Parse functions are the inverse of String.
func TestWords(t *testing.T) {
	for _, s := range []Sums{SumsAuto, SumsExact, SumsSampled} {
		if got, err := ParseSums(s.String()); err != nil || got != s {
			t.Error(s, got, err)
		}
	}
	for _, bad := range []error{second(ParseSums("x")), second(ParseCompatibility("x"))} {
		if bad == nil {
			t.Error("no error for a word that is none")
		}
	}
	if fmt.Sprint(Scaling(9), Sums(9), Compatibility(9)) == "" {
		t.Error("no text")
	}
}

// second returns the error of two results.
func second[T any](_ T, err error) error { return err }
