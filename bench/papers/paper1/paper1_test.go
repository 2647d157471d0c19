package paper1

import (
	"context"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/solvers/nyblas"
)

// Products of matrices use our BLAS, as in the command: with gonum's they would take most of the time.
func init() { blas64.Use(nyblas.Implementation{}) }

// someResults returns a matrix with results of two methods.
func someResults() *matrix {
	m := &matrix{problem: problem{data: "abalone", word: "csrbf"}, rows: 4177, floors: map[int]float64{25: 0.03}}
	for seed := range 2 {
		for i, name := range []string{"ssrSVD", "S3SPSD paper", "landmark auto"} {
			r := result{method: name, c: 25, spectral: float64(1+seed+i) / 10, frobenius: 0.5, shift: 0.5}
			m.results = append(m.results, r)
		}
	}
	return m
}

// TestTables compares means and worst cases of known results.
func TestTables(t *testing.T) {
	m := someResults()
	growing := someResults()
	growing.problem = uniformProblem(4177)
	var text strings.Builder
	for _, table := range errorTables([]*matrix{m, growing}) {
		text.WriteString(table.Markdown())
	}
	for _, want := range []string{
		"| data, kernel, c | floor | `ssrsvd` | `s3spsd --leverage-rows 0 --shift paper` | `landmark` | seeds |",
		"| abalone csrbf, 25 | .03 | .15 (.2) / .5 | .25 (.3) / .5 | .35 (.4) / .5 | 2 |",
		"| 4,177 | shift .5: .15 (.2) / .5 | shift .5: .25 (.3) / .5 | shift .5: .35 (.4) / .5 | 2 |",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no line %s in:\n%s", want, text.String())
		}
	}
}

// TestOptions: invalid numbers and kernels are refused.
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

// TestMeasure measures synthetic rows: exact passes come close to half the floor, which a shift can reach, and no error
// of a method is far above 1.
func TestMeasure(t *testing.T) {
	load := func(context.Context) (blas64.General, error) { return datasets.Uniform(400, 3, 1), nil }
	p := problem{data: "made", word: "rbf", kernel: "rbf(gamma=median)", load: load}
	o := &options{methods: []string{"ssrSVD", "S3SPSD paper", "landmark auto", "subspace"},
		ranks: []int{5, 10, 500}, seeds: 2}
	made, err := p.measure(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(made.results) != 2*2*6 {
		t.Errorf("%d results of 6 methods, 2 ranks and 2 seeds", len(made.results))
	}
	grown, err := uniformProblem(300).measure(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []*matrix{made, grown} {
		for _, r := range m.results {
			if !(r.spectral > 0 && (r.spectral < 1 || r.method == "S3SPSD paper") && r.frobenius > 0) {
				t.Errorf("%+v", r)
			}
			off := r.spectral / m.floors[r.c]
			if r.method == "subspace" && m == made && !(off > 0.45 && off < 1.1) {
				t.Errorf("c = %d: error %g, the floor is %g", r.c, r.spectral, m.floors[r.c])
			}
		}
	}
	if ranks := made.ranks(); !slices.Equal(ranks, []int{5, 10}) {
		t.Errorf("ranks %v", ranks)
	}
}
