package lowrank

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// TestChoiceFindsClusters: a tenth of the rows forms ten clusters of equal rows, the leading directions; all others are
// far from every row. Of 40 uniform landmarks about 4 are in clusters.
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

// TestDefaultChoice: the zero value is the default of the command.
func TestDefaultChoice(t *testing.T) {
	t.Parallel()
	data, e := model.Sources{Left: stream.FromMatrix("x", clusters(1000, 3, 2))}, stream.Engine{}
	for _, pair := range [][2]Method{
		{Landmark{Rank: 20, Seed: 1}, Landmark{Rank: 20, Rule: RuleAuto, Seed: 1}},
		{Nystrom{Rank: 20, Seed: 1}, Nystrom{Rank: 20, Rule: RuleUniform, Seed: 1}},
		{Adaptive{ErrorTol: 0.1, Seed: 1}, Adaptive{ErrorTol: 0.1, Rule: RuleAuto, Seed: 1}},
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

// TestChoiceNasty: every rule copes with degenerate rows.
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
			f, err := Landmark{Rank: 10, Rule: choice, Seed: 1}.Fit(context.Background(), stream.Engine{}, model.Sources{Left: stream.FromMatrix("x", matrix.Rows(x, 0, c.rows))}, c.k)
			if err != nil {
				t.Errorf("%s, %s: %v", choice, name, err)
				continue
			}
			if slices.ContainsFunc(f.Values, func(v float64) bool { return !matrix.IsFinite(v) }) {
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

// TestPivotsStop: duplicate rows are never pivots together.
func TestPivotsStop(t *testing.T) {
	t.Parallel()
	base := clusters(200, 3, 5)
	five := filled(200, 3, func(i, j int) float64 { return base.Data[(i%5)*3+j] })
	f, err := Nystrom{Rank: 30, Rule: RulePivoted, Seed: 1}.Fit(context.Background(), stream.Engine{}, model.Sources{Left: stream.FromMatrix("x", five)}, kernelgen.RBF(2))
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Values) != 5 || len(f.Notes) != 1 {
		t.Errorf("five different rows: %d values, notes %q", len(f.Values), f.Notes)
	}
}
