package ridge

import (
	"strings"
	"testing"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// TestScoreRows: the scoring sample has the requested size, for targets and classes, and the model is close to that
// with all rows.
func TestScoreRows(t *testing.T) {
	const n = 1200
	x, y, labels := matrix.New(n, 2), make([]float64, n), make([]int, n)
	for i := range n {
		a, b := float64(i%40)/40, float64(i%31)/31
		x.Data[2*i], x.Data[2*i+1], y[i] = a, b, 1000+a*a-b
		if a > b {
			labels[i] = 1
		}
	}
	for _, rows := range []int{0, 300, 100} {
		s, want := Solver{Landmarks: 30, Seed: 1, ScoreRows: rows}, rows
		if rows == 0 {
			want = n
		}
		for what, d := range map[string]*Data{"targets": targets(t, x, matrix.Of(y, n, 1)), "classes": classed(t, x, labels)} {
			f, err := s.Fit(t.Context(), stream.Engine{}, d, kernelgen.RBF(5))
			if err != nil {
				t.Fatal(err)
			}
			if f.Scored != want {
				t.Errorf("%s are scored on %d rows, not %d", what, f.Scored, want)
			}
			if what == "targets" && !(f.R2[0] > 0.99) || what == "classes" && !(f.Scores.Accuracy > 0.9) {
				t.Errorf("%s on %d rows: R² %v, scores %+v", what, rows, f.R2, f.Scores)
			}
		}
	}
}

// TestScoreRowsOutOfRange: the error for too small a sample names the setting.
func TestScoreRowsOutOfRange(t *testing.T) {
	s := model.Size{Rows: 1000, Columns: 2, Targets: 1}
	for _, rows := range []int{99, 1, -2} {
		_, err := Solver{ScoreRows: rows}.Plan(stream.Engine{}, s, kernelgen.RBF(1))
		if err == nil || !strings.Contains(err.Error(), "`ScoreRows") {
			t.Errorf("%d rows: %v", rows, err)
		}
	}
}

// TestPlanOfSample: the sample is in memory once, and a refusal names it and its setting.
func TestPlanOfSample(t *testing.T) {
	const n, d = 20_000, 400
	plan := func(s Solver) *model.Plan {
		s.Landmarks = 60
		p, err := s.Plan(stream.Engine{Threads: 2}, model.Size{Rows: n, Columns: d, Targets: 1}, kernelgen.RBF(1e-3))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	whole, small := plan(Solver{}).Memory, plan(Solver{ScoreRows: 1000}).Memory
	if need, least := whole.Total(), int64(model.RuntimeBytes+8*n*d); need < least || need > least*3/2 {
		t.Errorf("%d bytes are planned; the sample takes %d", need, least)
	}
	if saved := whole.Total() - small.Total(); saved < 8*(n-1000)*d {
		t.Errorf("a sample of 1,000 rows saves %d bytes", saved)
	}
	err := whole.Check(64 << 20)
	if err == nil || !strings.Contains(err.Error(), "scoring sample") || !strings.Contains(err.Error(), "lower `ScoreRows`") {
		t.Errorf("the refusal is %v", err)
	}
}
