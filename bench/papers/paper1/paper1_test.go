package paper1

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/papers/lab"
	"github.com/nystream/nystream/solvers/nyblas"
)

// Products of matrices are those of the command: gonum's take most of the time of
// the tests.
func init() { blas64.Use(nyblas.Implementation{}) }

func someResults() *matrix {
	m := &matrix{problem: problem{data: "abalone", word: "csrbf"}, text: "csrbf(sigma2=10, theta=9.5, v=5)",
		rows: 4177, columns: 8, floors: map[int]float64{25: 0.03}}
	for seed := 1; seed <= 2; seed++ {
		for i, name := range []string{ssrSVD, paperShift, "landmark auto"} {
			m.results = append(m.results, result{Method: name, C: 25, Seed: seed,
				Spectral: lab.Figure(seed+i) / 10, Frobenius: 0.5, FrobeniusEstimate: lab.Figure(0.25 * float64(seed)),
				Rank: 25 - seed, EntriesPerRow: 333.5, Shift: 0.5, Seconds: 0.25})
		}
	}
	m.results[2].FrobeniusEstimate = lab.Figure(math.NaN())
	return m
}

// TestTables: means, the worst, ratios, calibration and times of known results.
func TestTables(t *testing.T) {
	m := someResults()
	growing := someResults()
	growing.problem = uniformProblem(4177)
	all := []*matrix{m, growing}
	tables := append(errorTables(all), ratios(all), m.table(),
		calibration(all, "Frobenius", func(r result) float64 { return float64(r.FrobeniusEstimate / r.Frobenius) }))
	var text strings.Builder
	for _, table := range tables {
		text.WriteString(table.Markdown())
	}
	for _, want := range []string{
		"| 25 | floor |  |  |  | 0.03 |",
		"| 25 | ssrSVD | 2 | 23 | 334 | 0.15 | 0.2 | 1 | 0.5 | 0.75 | 0.25 |",
		"| 25 | S3SPSD paper | 2 | 23 | 334 | 0.25 | 0.3 | 1.67 | 0.5 | 0.75 | 0.25 |",
		"| abalone | csrbf | landmark auto | 2.33 |",
		"| uniform, n = 4,177 | rbf | landmark auto | 2.33 |",
		"| data, kernel, c | floor | `ssrsvd` | `s3spsd --shift paper` | `landmark` | seeds |",
		"| abalone csrbf, 25 | .03 | .15 (.2) / .5 | .25 (.3) / .5 | .35 (.4) / .5 | 2 |",
		"| 4,177 | shift .5: .15 (.2) / .5 | shift .5: .25 (.3) / .5 | shift .5: .35 (.4) / .5 | 2 |",
		"| landmark auto | 2 | 100.0 % | 1.00 | 1.00 | 1.00 |",
		"| ssrSVD | 4 | 100.0 % | 0.50 | 1.00 | 1.00 |",
		"## abalone, `csrbf(sigma2=10, theta=9.5, v=5)`, 4,177 × 8",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no line %s in:\n%s", want, text.String())
		}
	}
}

// TestGroup: groups stay within memory and the most models, and take at least one.
func TestGroup(t *testing.T) {
	jobs := make([]*job, 200)
	for i := range jobs {
		jobs[i] = &job{c: 10}
	}
	for rows, want := range map[int]int{1000: mostModels, groupBytes / (16 * 10 * 3): 3, groupBytes: 1} {
		m := &measurement{x: blas64.General{Rows: rows}}
		if got := m.group(jobs); got != want {
			t.Errorf("%d rows: %d models, want %d", rows, got, want)
		}
	}
}

// TestOptions: numbers and kernels that make no sense are refused.
func TestOptions(t *testing.T) {
	for _, args := range []string{"-seeds 0", "-kernels linear", "-only bread", "-c 0", "-growth 5,1.5", "-growth x"} {
		if _, err := parseOptions(strings.Fields(args)); err == nil {
			t.Errorf("%s is accepted", args)
		}
	}
	if o, err := parseOptions([]string{"-c", "3,100"}); err != nil || !slices.Equal(o.ranks, []int{3, 100}) {
		t.Errorf("%+v, %v", o, err)
	}
}

// TestMeasure measures made rows, again from the cache, and with more seeds: the first
// results stay. Without a shift exact passes reach the floor.
func TestMeasure(t *testing.T) {
	load := func(context.Context) (blas64.General, error) { return datasets.Uniform(400, 3, 1), nil }
	p := problem{data: "made", word: "rbf", kernel: "rbf(gamma=median)", load: load}
	o := &options{out: t.TempDir(), methods: []string{"ssrSVD", "S3SPSD paper", "landmark auto", "subspace"},
		ranks: []int{5, 10, 500}, seeds: 1}
	measure := func(p problem) *matrix {
		t.Helper()
		cache, err := lab.OpenCache(o.out)
		if err != nil {
			t.Fatal(err)
		}
		defer cache.Close()
		m, err := p.measure(t.Context(), o, cache)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	first := measure(p)
	if len(first.results) != 2*6 {
		t.Errorf("%d results of 6 methods and 2 ranks", len(first.results))
	}
	o.seeds = 2
	more := measure(p)
	if len(more.results) != 2*len(first.results) {
		t.Errorf("%d results after %d", len(more.results), len(first.results))
	}
	for _, r := range first.results {
		again := more.of(r.C, r.Method)[0]
		if r.Spectral != again.Spectral || r.Seconds != again.Seconds {
			t.Errorf("measured anew: %+v and %+v", r, again)
		}
	}
	for _, m := range []*matrix{more, measure(uniformProblem(300))} {
		for _, r := range m.results {
			if !(r.Spectral > 0 && (r.Spectral < 1 || r.Method == paperShift) && r.Frobenius > 0 && r.EntriesPerRow > 0) {
				t.Errorf("%+v", r)
			}
			floor := m.floors[r.C]
			if off := float64(r.Spectral) / floor; r.Method == "subspace no shift" && m == more && !(off > 0.999 && off < 1.1) {
				t.Errorf("c = %d: error %g without a shift, the floor is %g", r.C, r.Spectral, floor)
			}
		}
	}
	if err := write(o.out, []*matrix{more}); err != nil {
		t.Error(err)
	}
	if ranks := more.ranks(); !slices.Equal(ranks, []int{5, 10}) {
		t.Errorf("ranks %v", ranks)
	}
}
