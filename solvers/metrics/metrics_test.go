package metrics

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Labels and predictions of which scikit-learn 1.2.1 gives the figures below:
//
//	accuracy_score(t, p), f1_score(t, p, average='macro', zero_division=0),
//	confusion_matrix(t, p), normalized_mutual_info_score(t, p)
var (
	truth     = []int{0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2}
	predicted = []int{0, 1, 0, 1, 1, 2, 0, 2, 2, 1, 2, 3}
)

// want returns a function that compares a score with the expected one.
func want(t *testing.T, what string, want float64) func(float64, error) {
	return func(got float64, err error) {
		t.Helper()
		if err != nil || math.Abs(got-want) > 1e-14*math.Max(1, want) {
			t.Errorf("%s = %.17g, %v, want %.17g", what, got, err, want)
		}
	}
}

func TestAgainstScikitLearn(t *testing.T) {
	want(t, "accuracy", 0.5833333333333334)(Accuracy(truth, predicted))
	want(t, "macro F1", 0.45833333333333326)(MacroF1(truth, predicted))
	want(t, "NMI", 0.3252724016376492)(NMI(truth, predicted))
	c, err := NewTally(truth, predicted).Confusion()
	wantC := &Confusion{Classes: []int{0, 1, 2, 3}, Counts: [][]int64{{2, 1, 0, 0}, {1, 2, 1, 0}, {0, 1, 3, 1}, {0, 0, 0, 0}}}
	if diff := cmp.Diff(wantC, c); err != nil || diff != "" {
		t.Errorf("confusion: %v %s", err, diff)
	}
	f1, err := NewTally(truth, predicted).ClassF1()
	if err != nil || len(f1) != 4 || f1[3] != (ClassScore{3, 0}) || f1[1] != (ClassScore{1, 0.5}) {
		t.Errorf("class F1 %v, %v", f1, err)
	}
}

// TestTallyInParts: the scores do not depend on the division of the rows into parts.
func TestTallyInParts(t *testing.T) {
	var parts Tally
	for i := 0; i < len(truth); i += 5 {
		end := min(len(truth), i+5)
		parts.Add(truth[i:end], predicted[i:end])
	}
	want(t, "accuracy", 0.5833333333333334)(parts.Accuracy())
	want(t, "macro F1", 0.45833333333333326)(parts.MacroF1())
	if parts.Rows() != int64(len(truth)) {
		t.Errorf("%d rows", parts.Rows())
	}
	if _, err := new(Tally).Confusion(); err == nil {
		t.Error("a table of no rows")
	}
}

func TestEdges(t *testing.T) {
	same := []int{7, 7, 7}
	split := []int{1, 2, 3}
	want(t, "NMI of two labellings without a split", 1)(NMI(same, []int{-1, -1, -1}))
	want(t, "NMI against no split", 0)(NMI(same, split))
	want(t, "NMI of renamed clusters", 1)(NMI([]int{0, 0, 1, 2}, []int{5, 5, 9, -3}))
	want(t, "NMI of independent clusters", 0)(NMI([]int{0, 0, 1, 1}, []int{0, 1, 0, 1}))
	want(t, "macro F1 of one class", 1)(MacroF1(same, same))
	want(t, "macro F1, all wrong", 0)(MacroF1(same, split))
}

func TestErrors(t *testing.T) {
	for name, err := range map[string]error{
		"no rows":      second(Accuracy(nil, nil)),
		"no rows, NMI": second(NMI(nil, nil)),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	many := make([]int, maxClasses+1)
	for i := range many {
		many[i] = i
	}
	if _, err := NewTally(many, many).Confusion(); err == nil {
		t.Error("a huge confusion matrix was made")
	}
	want(t, "macro F1 of very many classes", 1)(MacroF1(many, many))
	defer func() {
		if recover() == nil {
			t.Error("different lengths did not panic")
		}
	}()
	Accuracy([]int{1}, []int{1, 2})
}

// second returns the error of two results.
func second(_ float64, err error) error { return err }

// TestNMIProperties: NMI is symmetric, in [0, 1], 1 for equal partitions, independent of the order of rows, and equal
// to the dense formula.
func TestNMIProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 50).Draw(t, "n")
		a := rapid.SliceOfN(rapid.IntRange(0, 4), n, n).Draw(t, "a")
		b := rapid.SliceOfN(rapid.IntRange(0, 4), n, n).Draw(t, "b")
		ab, err := NMI(a, b)
		ba, err2 := NMI(b, a)
		if err != nil || err2 != nil || math.Abs(ab-ba) > 1e-13 || ab < 0 || ab > 1 {
			t.Fatalf("%v and %v, %v %v", ab, ba, err, err2)
		}
		if dense := denseNMI(a, b); math.Abs(ab-dense) > 1e-12 {
			t.Fatalf("%v, want %v", ab, dense)
		}
		if aa, err := NMI(a, a); err != nil || math.Abs(aa-1) > 1e-14 {
			t.Fatalf("with itself %v, %v", aa, err)
		}
	})
}

// denseNMI computes NMI by its definition.
func denseNMI(a, b []int) float64 {
	var joint [5][5]float64
	n := float64(len(a))
	for i := range a {
		joint[a[i]][b[i]] += 1 / n
	}
	var pa, pb [5]float64
	for i := range 5 {
		for j := range 5 {
			pa[i] += joint[i][j]
			pb[j] += joint[i][j]
		}
	}
	mutual, entropy := 0.0, 0.0
	for i := range 5 {
		for j := range 5 {
			if joint[i][j] > 0 {
				mutual += joint[i][j] * math.Log(joint[i][j]/pa[i]/pb[j])
			}
		}
		for _, p := range []float64{pa[i], pb[i]} {
			if p > 0 {
				entropy -= p * math.Log(p)
			}
		}
	}
	if entropy < 1e-12 {
		return 1
	}
	return mutual / (entropy / 2)
}
