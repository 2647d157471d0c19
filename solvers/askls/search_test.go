package askls

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/nystream/nystream/solvers/metrics"
	"github.com/nystream/nystream/stream"
)

// TestCrossValidate: scores are those of machines that are fitted without each fold, and
// candidates that cannot be fitted say why.
func TestCrossValidate(t *testing.T) {
	x, labels := clouds(60, 2, 3, 0.8, 1)
	data, err := Samples(source(x), labels, 3)
	if err != nil {
		t.Fatal(err)
	}
	kernel := parse(t, "rbf(gamma=0.5)")
	m := Solver{Gamma: 2, Engine: EngineDense, Folds: 5, Seed: 3}
	stacked, singular := m, m
	stacked.Merge, singular.Gamma = MergeStack, math.Inf(1)
	scores, err := CrossValidate(ctx, stream.Engine{}, data, []Candidate{{singular, kernel}, {m, kernel}, {stacked, kernel}})
	if err != nil {
		t.Fatal(err)
	}
	if scores[0].Err == nil || !math.IsNaN(scores[0].Accuracy) || scores[1].Err != nil || scores[2].Err != nil {
		t.Errorf("%+v", scores)
	}
	var all metrics.Tally
	for _, fold := range newFolds(labels, 3, 5, 3) {
		train, err := Samples(source(pickRows(x, fold.Train)), pickLabels(labels, fold.Train), 3)
		if err != nil {
			t.Fatal(err)
		}
		fit, err := m.Fit(ctx, stream.Engine{}, train, kernel)
		if err != nil {
			t.Fatal(err)
		}
		chosen, err := fit.Predict(ctx, stream.Engine{}, NewSamples(source(pickRows(x, fold.Test))))
		if err != nil {
			t.Fatal(err)
		}
		all.Add(pickLabels(labels, fold.Test), chosen)
	}
	want, err := all.MacroF1()
	if err != nil || math.Abs(scores[1].MacroF1-want) > 1e-12 || scores[1].Deviation <= 0 {
		t.Errorf("%+v, expected a macro F1 of %v, %v", scores[1], want, err)
	}
	if best, err := Best(scores); err != nil || best == 0 || scores[best].Accuracy < scores[3-best].Accuracy {
		t.Errorf("the best is %d, %v", best, err)
	}
	if _, err := Best(scores[:1]); err == nil || !strings.Contains(err.Error(), "none of 1 candidates") {
		t.Errorf("%v", err)
	}
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := CrossValidate(stopped, stream.Engine{}, data, []Candidate{{m, kernel}}); err == nil {
		t.Error("it went on")
	}
}
