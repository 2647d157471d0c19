package basis

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/symeig"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/stream"
)

// filled returns an n×d matrix with the entries f(i, j).
func filled(n, d int, f func(i, j int) float64) blas64.General {
	m := matrix.New(n, d)
	for i := range n {
		for j := range d {
			matrix.Row(m, i)[j] = f(i, j)
		}
	}
	return m
}

// clusters returns rows in seven clusters.
func clusters(n, d int, seed uint64) blas64.General {
	centre, noise := sketch.NewRandom(seed, "test centres"), sketch.NewRandom(seed, "test noise")
	m := matrix.New(n, d)
	for i := range n {
		c, e := centre.At(uint64(i%7)), noise.At(uint64(i))
		for j := range d {
			matrix.Row(m, i)[j] = c.Float64() + 0.15*e.Normal()
		}
	}
	return m
}

// kernelMatrix evaluates the kernel entry by entry.
func kernelMatrix(k kernelgen.Kernel, x, y blas64.General) blas64.General {
	a := matrix.New(x.Rows, y.Rows)
	k.Fill(a, x, k.Pack(y), nil)
	return a
}

// parseKernel parses a kernel.
func parseKernel(t *testing.T, text string) kernelgen.Kernel {
	t.Helper()
	k, err := kernelgen.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// inTheLarge skips large repetitions with -short.
func inTheLarge(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("repeats the arithmetic of smaller tests: run without -short")
	}
}

// wholeOf returns the complete factorisation of the kernel matrix of x, with the given number of proposals at a time; 0
// for the default.
func wholeOf(t *testing.T, x blas64.General, k kernelgen.Kernel, c, proposals int, seed uint64) *Cholesky {
	t.Helper()
	ctx := context.Background()
	f, err := NewCholesky(ctx, stream.Engine{Threads: 1}, tiles.Plain(k), x, "x", c, sketch.NewRandom(seed, "proposals"))
	if err != nil {
		t.Fatal(err)
	}
	if proposals > 0 {
		f.block = proposals
	}
	if err := f.Run(ctx); err != nil {
		t.Fatal(err)
	}
	return f
}

// pivotLaw returns the probability of each sequence of c pivots: each pivot is drawn in proportion to the diagonal of
// the Schur complement of the earlier ones.
func pivotLaw(t *testing.T, a blas64.General, c int) map[string]float64 {
	t.Helper()
	law := map[string]float64{}
	var follow func(pivots []int, p float64)
	follow = func(pivots []int, p float64) {
		if len(pivots) == c {
			law[fmt.Sprint(pivots)] = p
			return
		}
		left := make([]float64, a.Rows)
		for i := range left {
			left[i] = schurDiagonal(t, a, pivots, i)
		}
		for i, v := range left {
			if v > 0 {
				follow(append(slices.Clone(pivots), i), p*v/dense.Sum(left))
			}
		}
	}
	follow(nil, 1)
	return law
}

// likelihood returns the p-value of counts under a law, by Pearson's chi-square test. Sequences with small expected
// counts are pooled.
func likelihood(law map[string]float64, counts map[string]int, n int) float64 {
	square, cells, rareSeen, rareExpected := 0.0, -1, n, float64(n)
	for sequence, p := range law {
		if expected := p * float64(n); expected >= 5 {
			seen := counts[sequence]
			square += (float64(seen) - expected) * (float64(seen) - expected) / expected
			cells++
			rareSeen, rareExpected = rareSeen-seen, rareExpected-expected
		}
	}
	if rareExpected >= 1 {
		square += (float64(rareSeen) - rareExpected) * (float64(rareSeen) - rareExpected) / rareExpected
		cells++
	}
	return distuv.ChiSquared{K: float64(cells)}.Survival(square)
}

// schurDiagonal returns a_ii − a_iS·a_SS⁻¹·a_Si.
func schurDiagonal(t *testing.T, a blas64.General, s []int, i int) float64 {
	t.Helper()
	if slices.Contains(s, i) {
		return 0
	}
	if len(s) == 0 {
		return a.Data[i*a.Stride+i]
	}
	w, b := mat.NewDense(len(s), len(s), nil), mat.NewVecDense(len(s), nil)
	for p, row := range s {
		b.SetVec(p, a.Data[i*a.Stride+row])
		for q, col := range s {
			w.Set(p, q, a.Data[row*a.Stride+col])
		}
	}
	var solved mat.VecDense
	if err := solved.SolveVec(w, b); err != nil {
		t.Fatal(err)
	}
	return math.Max(0, a.Data[i*a.Stride+i]-mat.Dot(b, &solved))
}

// denseNystrom returns K(x, L)·K(L, L)⁻¹·K(L, x).
func denseNystrom(t *testing.T, k kernelgen.Kernel, x, landmarks blas64.General) blas64.General {
	t.Helper()
	c, w := kernelMatrix(k, x, landmarks), kernelMatrix(k, landmarks, landmarks)
	var solved mat.Dense
	if err := solved.Solve(mat.NewDense(w.Rows, w.Cols, w.Data), mat.NewDense(c.Rows, c.Cols, c.Data).T()); err != nil {
		t.Fatal(err)
	}
	return dense.Mul(blas.NoTrans, c, blas.NoTrans, solved.RawMatrix())
}

// distance returns ‖a − b‖_F.
func distance(a, b blas64.General) float64 {
	d := matrix.Clone(a)
	dense.Add(-1, b, d)
	return dense.Frobenius(d)
}

// TestRPCholeskyLaw: pivots drawn in blocks follow the law of the sequential algorithm, including their order. The test
// rejects another law.
func TestRPCholeskyLaw(t *testing.T) {
	inTheLarge(t)
	t.Parallel()
	const c = 3
	const seeds = 1200
	x := filled(6, 2, func(i, j int) float64 { return []float64{0, 0, 0.2, 0.1, 1, 0, 1.2, 0.1, 0, 1.5, 2, 2}[2*i+j] })
	k := parseKernel(t, "rbf(gamma=1) + 0.2*linear()")
	a := kernelMatrix(k, x, x)
	law := pivotLaw(t, a, c)
	total := 0.0
	for _, p := range law {
		total += p
	}
	if math.Abs(total-1) > 1e-12 {
		t.Fatalf("the law sums to %g", total)
	}
	for _, proposals := range []int{1, 3, 6} {
		counts := map[string]int{}
		for seed := range uint64(seeds) {
			counts[fmt.Sprint(wholeOf(t, x, k, c, proposals, seed).Pivots)]++
		}
		p := likelihood(law, counts, seeds)
		t.Logf("%d proposals: likelihood %.3f", proposals, p)
		if p < 1e-3 {
			t.Errorf("%d proposals at a time: sequences of pivots have likelihood %g", proposals, p)
		}
		// Another law: in proportion to the diagonal of A, without repetition.
		wrong := pivotLaw(t, filled(6, 6, func(i, j int) float64 {
			if i != j {
				return 0
			}
			return a.Data[7*i]
		}), c)
		if p := likelihood(wrong, counts, seeds); p > 1e-9 {
			t.Errorf("%d proposals at a time: sequences of pivots fit a wrong law too, with likelihood %g", proposals, p)
		}
	}
}

// TestRPCholeskyFactor: F·Fᵀ is the dense Nyström formula on the pivots, the residual diagonal belongs to it, and F is
// lower triangular in the pivots up to rounding.
func TestRPCholeskyFactor(t *testing.T) {
	t.Parallel()
	x := clusters(1300, 4, 3) // two blocks of the grid
	for _, text := range []string{"rbf(gamma=2)", "laplace(gamma=1)", "linear() + 0.1*rbf(gamma=5)"} {
		k := parseKernel(t, text)
		a := kernelMatrix(k, x, x)
		f := wholeOf(t, x, k, 60, 0, 7)
		if len(f.Pivots) != 60 || len(slices.Compact(slices.Sorted(slices.Values(f.Pivots)))) != 60 {
			t.Fatalf("%s: pivots %v", text, f.Pivots)
		}
		got := dense.Mul(blas.NoTrans, f.Factor(), blas.Trans, f.Factor())
		want := denseNystrom(t, k, x, dense.PickRows(x, f.Pivots))
		if e := distance(got, want) / dense.Frobenius(a); !(e <= 1e-10) {
			t.Errorf("%s: F·Fᵀ is %g away from the dense formula", text, e)
		}
		left := 0.0
		for i, v := range f.residual.Left {
			left += v
			if d := a.Data[i*a.Stride+i] - got.Data[i*got.Stride+i]; v < 0 || math.Abs(v-d) > 1e-11*a.Data[i*a.Stride+i] {
				t.Fatalf("%s: residual %d is %g, dense %g", text, i, v, d)
			}
		}
		if math.Abs(left-f.Left) > 1e-12*f.Trace || math.Abs(f.Trace-dense.Trace(a)) > 1e-12*f.Trace {
			t.Errorf("%s: residual trace %g, its parts sum to %g; trace %g, dense %g", text, f.Left, left, f.Trace, dense.Trace(a))
		}
		for p, s := range f.Pivots {
			row := matrix.Row(f.Factor(), s)
			if right := math.Sqrt(dense.Dot(row[p+1:], row[p+1:])); f.residual.Left[s] != 0 || !(row[p] > 0) || right > 1e-12 {
				t.Errorf("%s: pivot %d has residual %g, %g on the diagonal of F and %g right of it", text, p, f.residual.Left[s], row[p], right)
			}
		}
	}
}

// TestRPCholeskyWork: the factorisation evaluates n kernel entries per pivot, besides the squares of the blocks of
// proposals, and accepts many proposals.
func TestRPCholeskyWork(t *testing.T) {
	t.Parallel()
	x := clusters(6000, 4, 3)
	f := wholeOf(t, x, kernelgen.RBF(20), 100, 0, 1)
	most := int64(f.proposals) * int64(f.block)
	if extra := f.tiles.Entries.Load() - 6000*100; extra <= 0 || extra > most {
		t.Errorf("%d entries besides those of the factor, for %d proposals", extra, f.proposals)
	}
	if f.proposals > 400 {
		t.Errorf("%d proposals for 100 pivots", f.proposals)
	}
}

// TestPivotsStop: duplicate rows are never pivots together. A kernel matrix of rank 3 has 3 pivots, and a zero matrix
// still has a row.
func TestPivotsStop(t *testing.T) {
	t.Parallel()
	base := clusters(200, 3, 5)
	five := filled(200, 3, func(i, j int) float64 { return base.Data[(i%5)*3+j] })
	for _, c := range []struct {
		name string
		x    blas64.General
		k    kernelgen.Kernel
		want int
	}{
		{"five different rows", five, kernelgen.RBF(2), 5},
		{"rank 3", base, kernelgen.Linear(), 3},
		{"rank 3, tiny", filled(200, 3, func(i, j int) float64 { return 1e-140 * base.Data[i*3+j] }), kernelgen.Linear(), 3},
		{"all rows zero", matrix.New(200, 3), kernelgen.Linear(), 1},
		{"one row", filled(1, 3, func(int, int) float64 { return 2 }), kernelgen.RBF(1), 1},
		{"no positive diagonal", base, kernelgen.Sigmoid(1e-9, -1), 1},
	} {
		got, err := pivots(context.Background(), stream.Engine{}, tiles.Plain(c.k), panelOf(c.x), min(30, c.x.Rows), "x", sketch.NewRandom(1, "pivots"))
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != c.want {
			t.Errorf("%s: %d pivots, expected %d", c.name, len(got), c.want)
		}
	}
}

// TestPivotsNotFinite: the error names the row by its number in the source.
func TestPivotsNotFinite(t *testing.T) {
	t.Parallel()
	x := clusters(50, 3, 5)
	x.Data[11*3] = 1e200
	_, err := pivots(context.Background(), stream.Engine{}, tiles.Plain(kernelgen.Linear()), panelOf(x), 5, "source", sketch.NewRandom(1, "pivots"))
	if want := "source: row 80"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v does not begin with %q", err, want)
	}
}

// panelOf returns all rows of x, numbered 3, 10, 17, … as in a larger source.
func panelOf(x blas64.General) *Panel {
	numbers := make([]int64, x.Rows)
	for i := range numbers {
		numbers[i] = int64(7*i + 3)
	}
	return NewPanel(x, numbers, nil)
}

// TestDrawInProportion draws at the ends of the range, and with zero weights.
func TestDrawInProportion(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		weights []float64
		u       float64
		want    int
	}{
		{nil, 0.5, -1},
		{[]float64{0, 0}, 0.5, -1},
		{[]float64{math.NaN(), 1}, 0.5, -1},
		{[]float64{0, 1, 0}, 0, 1},
		{[]float64{0, 1, 0}, 1 - 0x1p-53, 1},
		{[]float64{1, 2, 1}, 0.2499, 0},
		{[]float64{1, 2, 1}, 0.25, 1},
		{[]float64{1, 2, 1}, 0.75, 2},
		{[]float64{1, 1e-30, 0}, 1 - 0x1p-53, 0},
	} {
		if got := drawInProportion(c.weights, c.u); got != c.want {
			t.Errorf("%v at %v: %d, expected %d", c.weights, c.u, got, c.want)
		}
	}
}

// TestDeterminantalLaw: the first k rows are a sample of the determinantal point process of the k leading eigenvectors.
// It includes row i with probability ‖v(x_i)‖², and rows i and j together with the determinant between them.
func TestDeterminantalLaw(t *testing.T) {
	inTheLarge(t)
	t.Parallel()
	const n, k = 24, 3
	const seeds = 1000
	x := clusters(n, 2, 4)
	kernel := kernelgen.RBF(4)
	_, vectors, err := symeig.Decompose(kernelMatrix(kernel, x, x))
	if err != nil {
		t.Fatal(err)
	}
	v := matrix.Columns(vectors, 0, k)
	p := dense.Mul(blas.NoTrans, v, blas.Trans, v)
	single, pairs := make([]float64, n), make([]float64, n*n)
	for seed := range uint64(seeds) {
		l := Landmarks{Rows: n, Features: k, Count: 4 * k, Seed: seed}
		got, err := l.determinantal(context.Background(), stream.Engine{Threads: 1}, tiles.Plain(kernel), NewPanel(x, matrix.Numbers(n), nil))
		got = got[:min(k, len(got))] // the first round
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != k {
			t.Fatalf("%d rows, expected %d", len(got), k)
		}
		for _, i := range got {
			single[i] += 1 / float64(seeds)
			for _, j := range got {
				pairs[i*n+j] += 1 / float64(seeds)
			}
		}
	}
	for i := range n {
		want := p.Data[i*p.Stride+i]
		if d := math.Abs(single[i] - want); d > 5*math.Sqrt(want*(1-want)/float64(seeds))+1e-3 {
			t.Errorf("row %d in %.4f of the samples, expected %.4f", i, single[i], want)
		}
		for j := range i {
			want := p.Data[i*p.Stride+i]*p.Data[j*p.Stride+j] - p.Data[i*p.Stride+j]*p.Data[i*p.Stride+j]
			if d := math.Abs(pairs[i*n+j] - want); d > 5*math.Sqrt(want*(1-want)/float64(seeds))+1e-3 {
				t.Errorf("rows %d and %d in %.4f of the samples, expected %.4f", i, j, pairs[i*n+j], want)
			}
		}
	}
}

// TestAutoAffords: RuleAuto stays within its share of the entries of the fit, for all sizes. More rows never reduce its
// choice. If there are few rows, all are candidates, for pivots if necessary.
func TestAutoAffords(t *testing.T) {
	t.Parallel()
	better := []Rule{RuleUniform, RulePivoted, RuleDeterminantal}
	for _, rank := range []int{1, 10, 50, 200, 500, 1000, 5000} {
		for _, perColumn := range []int{1, 4, 9} {
			for _, definite := range []bool{true, false} {
				last := Landmarks{Rule: RuleUniform}
				for n := int64(1); n < 1e9; n *= 10 {
					l := min(n, int64(rank*perColumn))
					c := Landmarks{Rows: n, Rule: RuleAuto, Features: rank, Count: int(l), Core: min(n, 11*l), Definite: definite}.Resolve()
					fit := float64(n)*float64(l) + float64(c.Core)*float64(c.Core)/2
					what := fmt.Sprintf("%d rows, rank %d, %d landmarks, definite %t: %s from %d", n, rank, l, definite, c.Rule, c.Reservoir())
					most := affordable
					if c.Reservoir() == n {
						most = affordableOfAll
					}
					if c.NeedsKernel() && c.entries() > most*fit && (c.Rule != RulePivoted || c.Reservoir() < n) {
						t.Errorf("%s: %g entries of %g", what, c.entries(), fit)
					}
					if c.Reservoir() > n || c.NeedsKernel() && c.Reservoir() <= l || !definite && c.Rule == RulePivoted {
						t.Error(what)
					}
					if few := n > l && n <= max(1024, 5*l); few && definite && c.Reservoir() < n {
						t.Error(what)
					}
					if n > 100*l && (slices.Index(better, c.Rule) < slices.Index(better, last.Rule) || c.Rule == last.Rule && c.Reservoir() < last.Reservoir()) {
						t.Errorf("%s after %s from %d", what, last.Rule, last.Reservoir())
					}
					last = c
				}
			}
		}
	}
}
