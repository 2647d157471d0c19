package askls

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/metrics"
	"github.com/nystream/nystream/stream"
)

// TestCandidatesOfOneName: profiles of a user share nothing because they have one name.
func TestCandidatesOfOneName(t *testing.T) {
	x, labels := clouds(60, 2, 3, 0.8, 1)
	data, err := Samples(source(x), labels, 3)
	if err != nil {
		t.Fatal(err)
	}
	var all []Candidate
	for _, gamma := range []float64{0.5, 1e6} {
		k := kernelgen.New(kernelgen.Profile{Name: "own", Base: kernelgen.SquaredDistance,
			F: func(square float64) float64 { return math.Exp(-gamma * square) }})
		all = append(all, Candidate{Solver{C: 2, Engine: EngineDense, Folds: 5}, k})
	}
	scores, err := CrossValidate(ctx, stream.Engine{}, data, all)
	if err != nil {
		t.Fatal(err)
	}
	alone, err := CrossValidate(ctx, stream.Engine{}, data, all[1:])
	if err != nil {
		t.Fatal(err)
	}
	if scores[1] != alone[0] || scores[0].Accuracy <= scores[1].Accuracy {
		t.Errorf("%+v and %+v, and alone %+v", scores[0], scores[1], alone[0])
	}
	if sets := alike([]Candidate{all[0], all[1], all[0]}); len(sets) != 2 || len(sets[0]) != 2 {
		t.Errorf("candidates that share: %v", sets)
	}
}

// TestCrossValidate: scores are those of machines that are fitted without each fold, and
// candidates that cannot be fitted say why.
func TestCrossValidate(t *testing.T) {
	x, labels := clouds(60, 2, 3, 0.8, 1)
	data, err := Samples(source(x), labels, 3)
	if err != nil {
		t.Fatal(err)
	}
	kernel := parse(t, "rbf(gamma=0.5)")
	m := Solver{C: 2, Engine: EngineDense, Folds: 5, Seed: 3}
	stacked, singular := m, m
	stacked.Merge, singular.C = MergeStack, math.Inf(1)
	scores, err := CrossValidate(ctx, stream.Engine{}, data, []Candidate{{singular, kernel}, {m, kernel}, {stacked, kernel}})
	if err != nil {
		t.Fatal(err)
	}
	if scores[0].Err == nil || !math.IsNaN(scores[0].Accuracy) || scores[1].Err != nil || scores[2].Err != nil {
		t.Errorf("%+v", scores)
	}
	var all metrics.Tally
	for _, fold := range newFolds(labels, 3, 5, 3) {
		train, err := Samples(source(dense.PickRows(x, fold.Train)), pickLabels(labels, fold.Train), 3)
		if err != nil {
			t.Fatal(err)
		}
		fit, err := m.Fit(ctx, stream.Engine{}, train, kernel)
		if err != nil {
			t.Fatal(err)
		}
		chosen, err := fit.Predict(ctx, stream.Engine{}, source(dense.PickRows(x, fold.Test)))
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

// TestShared: what candidates share does not change their scores, and is made once.
func TestShared(t *testing.T) {
	x, labels := clouds(60, 2, 3, 0.8, 1)
	for _, engine := range []Engine{EngineDense, EngineIterative, EngineLowRank} {
		var list []Candidate
		for _, kernel := range []string{"sne(gamma=1)", "rbf(gamma=0.5)"} {
			for _, gamma := range []float64{0.3, 2} {
				list = append(list, Candidate{Solver{C: gamma, Ridge: gamma, Engine: engine, Folds: 3, Rank: 8, Landmarks: 30}, parse(t, kernel)})
			}
		}
		list[1], list[2] = list[2], list[1]
		rows := stream.NewCounted(source(x))
		data, err := Samples(rows, labels, 3)
		if err != nil {
			t.Fatal(err)
		}
		got, err := CrossValidate(ctx, stream.Engine{}, data, list)
		if err != nil {
			t.Fatal(err)
		}
		together := rows.Passes()
		for i, c := range list {
			alone, err := CrossValidate(ctx, stream.Engine{}, data, []Candidate{c})
			if err != nil || alone[0] != got[i] {
				t.Errorf("%v: candidate %d has %+v, alone %+v, %v", engine, i, got[i], alone[0], err)
			}
		}
		if apart := rows.Passes() - together; together >= apart {
			t.Errorf("%v: %d passes together, %d apart", engine, together, apart)
		}
	}
}
