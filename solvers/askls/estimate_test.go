package askls

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/stream"
)

// decisionsOn returns decisions on rows, and the functions where those are stacked.
func decisionsOn(t testing.TB, m *Model, rows blas64.General) blas64.General {
	t.Helper()
	both := functionsOf(t, m, stream.Engine{}, NewSamples(source(rows)))
	if m.Merge == MergeStack {
		return both
	}
	out := stream.NewMatrix(rows.Rows, m.Classes)
	m.Decide(out, both)
	return out
}

// TestDecisionError compares estimates with the dense engine on rows that no fit has seen:
// within a factor of 2 but for a few, and no large error without a warning.
// bench/accuracy does so with real data.
func TestDecisionError(t *testing.T) {
	x, labels := clouds(150, 3, 3, 1, 1)
	fresh, _ := clouds(100, 3, 3, 1, 2)
	data, err := Samples(source(x), labels, 3)
	if err != nil {
		t.Fatal(err)
	}
	merges, ranks := []Merge{MergeAverage, MergeTarget, MergeStack}, []int{5, 15, 40}
	if testing.Short() {
		merges, ranks = merges[:1], ranks[:2]
	}
	all, within := 0, 0
	for _, kernel := range []string{"sne(gamma=2)", "t()", "rbf(gamma=0.3)"} {
		for _, gamma := range []float64{0.3, 30} {
			for _, merge := range merges {
				m := Solver{Gamma: gamma, Merge: merge, Folds: 3, Engine: EngineDense}
				exact, err := m.Fit(ctx, stream.Engine{}, data, parse(t, kernel))
				if err != nil {
					t.Fatal(err)
				}
				for _, rank := range ranks {
					m.Engine, m.Rank, m.Samples = EngineLowRank, rank, 50 // others are decided on
					if rank == 15 {
						m.Samples = 150
					}
					fit, err := m.Fit(ctx, stream.Engine{}, data, parse(t, kernel))
					if err != nil {
						t.Fatal(err)
					}
					truth, estimate := distance(decisionsOn(t, exact.Model, fresh), decisionsOn(t, fit.Model, fresh)), fit.Errors[0].Value
					if truth < 1e-9 {
						continue // rounding
					}
					t.Logf("%s gamma %v %v rank %d: error %.2g, estimate %.2g", kernel, gamma, merge, rank, truth, estimate)
					if all++; estimate >= truth/2 && estimate <= 2*truth {
						within++
					}
					if warned := strings.Contains(strings.Join(fit.Notes, "\n"), decisionValues); truth > 0.2 && !warned {
						t.Errorf("%s gamma %v %v rank %d: error %.2g and no warning", kernel, gamma, merge, rank, truth)
					}
				}
			}
		}
	}
	if t.Logf("%d of %d within a factor of 2", within, all); float64(within) < 0.9*float64(all) {
		t.Errorf("%d of %d estimates are within a factor of 2", within, all)
	}
}

// TestRankFor: singular values 1/k² are 25 times smaller at 5 times the rank.
func TestRankFor(t *testing.T) {
	values := make([]float64, 40)
	for k := range values {
		values[k] = math.Pow(float64(k+1), -2)
	}
	if rank, known := rankFor(values, 25); !known || rank != 200 && rank != 210 {
		t.Errorf("rank %d, %v", rank, known)
	}
	if rank, known := rankFor(ones(40), 2); known {
		t.Errorf("rank %d of values that do not fall", rank)
	}
}
