package scores

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func want(t *testing.T, what string, want float64) func(float64, error) {
	return func(got float64, err error) {
		t.Helper()
		if err != nil || math.Abs(got-want) > 1e-14*math.Max(1, want) {
			t.Errorf("%s = %.17g, %v, want %.17g", what, got, err, want)
		}
	}
}

// TestAgainstScikitLearn compares with figures of scikit-learn 1.2.1.
func TestAgainstScikitLearn(t *testing.T) {
	// roc_auc_score([0,1,1,0,1,0,0,1,1,0], [.1,.4,.35,.4,.8,.35,.2,.35,.9,.8])
	positive := []bool{false, true, true, false, true, false, false, true, true, false}
	want(t, "AUROC", 0.72)(AUROC(positive, []float64{.1, .4, .35, .4, .8, .35, .2, .35, .9, .8}))
	// np.sqrt(mean_squared_error([1,2,3.5], [1.5,0,3]))
	want(t, "RMSE", 1.224744871391589)(RMSE([]float64{1, 2, 3.5}, []float64{1.5, 0, 3}))
	want(t, "RMSE of huge errors", 3e200)(RMSE([]float64{3e200, 0}, []float64{0, 3e200}))
}

func TestEdges(t *testing.T) {
	want(t, "AUROC of equal scores", 0.5)(AUROC([]bool{true, false, true}, []float64{1, 1, 1}))
	want(t, "AUROC of infinite scores", 1)(AUROC([]bool{true, false}, []float64{math.Inf(1), math.Inf(-1)}))
}

func TestErrors(t *testing.T) {
	second := func(_ float64, err error) error { return err }
	for name, err := range map[string]error{
		"no rows":             second(RMSE(nil, nil)),
		"one class":           second(AUROC([]bool{true, true}, []float64{1, 2})),
		"NaN score":           second(AUROC([]bool{true, false}, []float64{1, math.NaN()})),
		"NaN target":          second(RMSE([]float64{math.NaN()}, []float64{1})),
		"infinite prediction": second(RMSE([]float64{1}, []float64{math.Inf(1)})),
		"overflow":            second(RMSE([]float64{-1e308}, []float64{1e308})),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("different lengths did not panic")
		}
	}()
	RMSE([]float64{1}, []float64{1, 2})
}

// TestAUROCPairs compares with the definition: all pairs, ties half.
func TestAUROCPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 40).Draw(t, "n")
		positive := rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "positive")
		positive[0], positive[1] = true, false
		scores := make([]float64, n)
		for i := range scores {
			scores[i] = float64(rapid.IntRange(-4, 4).Draw(t, "score"))
		}
		wins, pairs := 0.0, 0.0
		for i := range n {
			for j := range n {
				if !positive[i] || positive[j] {
					continue
				}
				pairs++
				switch {
				case scores[i] > scores[j]:
					wins++
				case scores[i] == scores[j]:
					wins += 0.5
				}
			}
		}
		got, err := AUROC(positive, scores)
		if err != nil || math.Abs(got-wins/pairs) > 1e-14 {
			t.Fatalf("AUROC %v, %v, want %v", got, err, wins/pairs)
		}
	})
}
