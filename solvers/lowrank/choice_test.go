package lowrank

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// TestDeterminantalLaw: the first k rows are a sample of the determinantal point
// process of the k leading eigenvectors, in which row i is with probability
// ‖v(x_i)‖² and rows i and j together with the determinant between them.
func TestDeterminantalLaw(t *testing.T) {
	inTheLarge(t)
	t.Parallel()
	const n, k = 24, 3
	const seeds = 1000
	x := clusters(n, 2, 4)
	kernel := kernelgen.RBF(4)
	eig, err := newEigen("a", kernelMatrix(kernel, x, x))
	if err != nil {
		t.Fatal(err)
	}
	v := dense.Columns(eig.Vectors, 0, k)
	p := dense.Mul(blas.NoTrans, v, blas.Trans, v)
	single, pairs := make([]float64, n), make([]float64, n*n)
	for seed := range uint64(seeds) {
		tl := newTiles(kernel)
		rows := tl.pack(x, stream.Numbers(n), nil)
		got, err := chooser{rows: n, columns: k, landmarks: 4 * k, seed: seed}.determinantal(context.Background(), tl, stream.Engine{Threads: 1}, rows, k)
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

// TestChoiceFindsClusters: a tenth of the rows is in ten clusters of equal rows, which
// are the leading directions; all others are far from everything. Of 40 uniform
// landmarks 4 are in clusters.
func TestChoiceFindsClusters(t *testing.T) {
	t.Parallel()
	const n, seeds = 3000, 4
	x := filled(n, 2, func(i, j int) float64 {
		if i%10 == 0 {
			return float64(100 * (1 + (i/10)%10))
		}
		return 1e6 + 10*float64(i) + float64(j) // far from all
	})
	finds := func(choice Rule) (clusters int) {
		for seed := range uint64(seeds) {
			f, err := Landmark{Rank: 10, Rule: choice, Seed: seed}.Fit(context.Background(), stream.Engine{}, model.Sources{Left: stream.FromMatrix("x", x)}, kernelgen.RBF(1))
			if err != nil {
				t.Fatal(err)
			}
			found := map[int64]bool{}
			for _, r := range f.Left.Rows {
				if r%10 == 0 {
					found[r/10%10] = true
				}
			}
			clusters += len(found)
		}
		return clusters
	}
	if dpp, uniform := finds(RuleDeterminantal), finds(RuleUniform); dpp < 9*seeds || uniform > 6*seeds {
		t.Errorf("%d clusters found in %d runs, by uniform landmarks %d", dpp, seeds, uniform)
	}
}

// TestAutoAffords: what RuleAuto takes is within its part of the fit, for all sizes, and
// more rows never make it do with less. Of few rows all are candidates, for pivots if need be.
func TestAutoAffords(t *testing.T) {
	t.Parallel()
	better := []Rule{RuleUniform, RulePivoted, RuleDeterminantal}
	for _, rank := range []int{1, 10, 50, 200, 500, 1000, 5000} {
		for _, perColumn := range []int{1, 4, 9} {
			for _, definite := range []bool{true, false} {
				last := chooser{rule: RuleUniform}
				for n := int64(1); n < 1e9; n *= 10 {
					l := min(n, int64(rank*perColumn))
					c := chooser{rows: n, rule: RuleAuto, columns: rank, landmarks: int(l), core: min(n, 11*l), definite: definite}.decided()
					what := fmt.Sprintf("%d rows, rank %d, %d landmarks, definite %t: %s from %d", n, rank, l, definite, c.rule, c.reservoir())
					most := affordable
					if c.reservoir() == n {
						most = affordableOfAll
					}
					if c.looks() && c.entries() > most*c.fitEntries() && (c.rule != RulePivoted || c.reservoir() < n) {
						t.Errorf("%s: %g entries of %g", what, c.entries(), c.fitEntries())
					}
					if c.reservoir() > n || c.looks() && c.reservoir() <= l || !definite && c.rule == RulePivoted {
						t.Error(what)
					}
					if few := n > l && n <= max(1024, 5*l); few && definite && c.reservoir() < n {
						t.Error(what)
					}
					if n > 100*l && (slices.Index(better, c.rule) < slices.Index(better, last.rule) || c.rule == last.rule && c.reservoir() < last.reservoir()) {
						t.Errorf("%s after %s from %d", what, last.rule, last.reservoir())
					}
					last = c
				}
			}
		}
	}
}

// TestDefaultChoice: the zero value is what the command has by default.
func TestDefaultChoice(t *testing.T) {
	t.Parallel()
	data, e := model.Sources{Left: stream.FromMatrix("x", clusters(1000, 3, 2))}, stream.Engine{}
	for _, pair := range [][2]Method{
		{Landmark{Rank: 20, Seed: 1}, Landmark{Rank: 20, Rule: RuleAuto, Seed: 1}},
		{Nystrom{Rank: 20, Seed: 1}, Nystrom{Rank: 20, Rule: RuleUniform, Seed: 1}},
		{Adaptive{Tolerance: 0.1, Seed: 1}, Adaptive{Tolerance: 0.1, Rule: RuleAuto, Seed: 1}},
	} {
		var models [2]string
		for i, m := range pair {
			f, err := m.Fit(context.Background(), e, data, kernelgen.RBF(1))
			if err != nil {
				t.Fatal(err)
			}
			models[i] = saved(f.Model)
		}
		if models[0] != models[1] {
			t.Errorf("%+v is not %+v", pair[0], pair[1])
		}
	}
}

// TestChoiceNasty: every choice copes with what there is.
func TestChoiceNasty(t *testing.T) {
	t.Parallel()
	same := filled(50, 3, func(int, int) float64 { return 2 })
	five := filled(200, 3, func(i, j int) float64 { return float64((i % 5) * (j + 1)) })
	for choice := RuleDefault; choice <= RuleAuto; choice++ {
		for name, c := range map[string]struct {
			rows int
			k    kernelgen.Kernel
		}{
			"equal rows":       {50, kernelgen.RBF(1)},
			"five rows":        {200, kernelgen.RBF(0.1)},
			"one row":          {1, kernelgen.RBF(1)},
			"two rows":         {2, kernelgen.Linear()},
			"rank one":         {50, kernelgen.Linear()},
			"tiny":             {200, kernelgen.Scale(1e-290, kernelgen.RBF(0.1))},
			"huge":             {200, kernelgen.Scale(1e290, kernelgen.RBF(0.1))},
			"indefinite":       {200, kernelgen.Sigmoid(0.1, -1)},
			"fewer than asked": {30, kernelgen.RBF(1)},
		} {
			x := five
			if c.rows <= 50 {
				x = same
			}
			f, err := Landmark{Rank: 10, Rule: choice, Seed: 1}.Fit(context.Background(), stream.Engine{}, model.Sources{Left: stream.FromMatrix("x", stream.RowSlice(x, 0, c.rows))}, c.k)
			if err != nil {
				t.Errorf("%s, %s: %v", choice, name, err)
				continue
			}
			if slices.ContainsFunc(f.Values, func(v float64) bool { return v-v != 0 }) {
				t.Errorf("%s, %s: values %v", choice, name, f.Values)
			}
		}
		bad := clusters(60, 3, 1)
		bad.Data[5*3] = 1e200
		_, err := Landmark{Rank: 5, Rule: choice, Seed: 1}.Fit(context.Background(), stream.Engine{}, model.Sources{Left: stream.FromMatrix("source", bad)}, kernelgen.Linear())
		if err == nil || !strings.Contains(err.Error(), "scale the columns") {
			t.Errorf("%s, overflow: error %v", choice, err)
		}
	}
}
