package split

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// checkParts fails unless both lists ascend and together hold all rows.
func checkParts(t *rapid.T, s Split, n int) {
	all := slices.Concat(s.Train, s.Test)
	slices.Sort(all)
	for i, row := range all {
		if row != int64(i) {
			t.Fatalf("rows %v and %v", s.Train, s.Test)
		}
	}
	if len(all) != n || !slices.IsSorted(s.Train) || !slices.IsSorted(s.Test) {
		t.Fatalf("%d rows of %d, or not ascending: %v, %v", len(all), n, s.Train, s.Test)
	}
}

// perClass counts the test rows of each class.
func perClass(s Split, labels []int) map[int]int {
	count := map[int]int{}
	for _, i := range s.Test {
		count[labels[i]]++
	}
	return count
}

func TestFolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 60).Draw(t, "n")
		k := rapid.IntRange(2, n).Draw(t, "k")
		seed := rapid.Uint64().Draw(t, "seed")
		labels := rapid.SliceOfN(rapid.IntRange(-2, 2), n, n).Draw(t, "labels")
		plain, err := KFold(n, k, seed)
		stratified, err2 := StratifiedKFold(labels, k, seed)
		if err != nil || err2 != nil || len(plain) != k || len(stratified) != k {
			t.Fatal(err, err2, len(plain), len(stratified))
		}
		tested := make([]int, n)
		for _, s := range stratified {
			for _, i := range s.Test {
				tested[i]++
			}
		}
		if slices.Min(tested) != 1 || slices.Max(tested) != 1 {
			t.Fatalf("rows are tested %v times", tested)
		}
		for f := range k {
			for _, s := range []Split{plain[f], stratified[f]} {
				checkParts(t, s, n)
				if len(s.Test) != n/k && len(s.Test) != (n+k-1)/k {
					t.Fatalf("a fold of %d rows: %d of %d folds", len(s.Test), n, k)
				}
			}
			for class, rows := range perClass(stratified[f], labels) {
				all := perClass(Split{Test: slices.Concat(stratified[f].Train, stratified[f].Test)}, labels)[class]
				if rows > (all+k-1)/k || rows < all/k {
					t.Fatalf("%d of %d rows of class %d in one of %d folds", rows, all, class, k)
				}
			}
		}
		again, _ := StratifiedKFold(labels, k, seed)
		if diff := cmp.Diff(stratified, again); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestRandom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(4, 80).Draw(t, "n")
		test := rapid.Float64Range(0.2, 0.8).Draw(t, "test")
		seed := rapid.Uint64().Draw(t, "seed")
		labels := rapid.SliceOfN(rapid.IntRange(0, 3), n, n).Draw(t, "labels")
		splits, err := StratifiedRandom(labels, test, 3, seed)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range splits {
			checkParts(t, s, n)
			if len(s.Test) != int(math.Round(test*float64(n))) {
				t.Fatalf("%d test rows of %d for a share of %v", len(s.Test), n, test)
			}
			count := perClass(s, labels)
			for class, all := range perClass(Split{Test: slices.Concat(s.Train, s.Test)}, labels) {
				if share := test * float64(all); math.Abs(float64(count[class])-share) >= 1 {
					t.Fatalf("%d of %d rows of class %d for a share of %v", count[class], all, class, test)
				}
			}
		}
		fewer, _ := StratifiedRandom(labels, test, 2, seed)
		if diff := cmp.Diff(splits[:2], fewer); diff != "" {
			t.Fatal(diff)
		}
	})
}

// TestRandomIsFair: over many repetitions every row is tested about equally often.
func TestRandomIsFair(t *testing.T) {
	const n, repeats = 20, 4000
	splits, err := Random(n, 0.25, repeats, 1)
	if err != nil {
		t.Fatal(err)
	}
	count := make([]float64, n)
	for _, s := range splits {
		for _, i := range s.Test {
			count[i]++
		}
	}
	for i, c := range count {
		if math.Abs(c/repeats-0.25) > 5*math.Sqrt(0.25*0.75/repeats) {
			t.Errorf("row %d was tested in %v of %v splits", i, c, repeats)
		}
	}
}

func TestRefuses(t *testing.T) {
	for name, err := range map[string]error{
		"one fold":       second(KFold(5, 1, 0)),
		"too many folds": second(KFold(5, 6, 0)),
		"no rows":        second(KFold(0, 2, 0)),
		"no labels":      second(StratifiedKFold(nil, 2, 0)),
		"no test rows":   second(Random(5, 0.05, 1, 0)),
		"no train rows":  second(Random(5, 0.95, 1, 0)),
		"NaN":            second(Random(5, math.NaN(), 1, 0)),
		"share 1":        second(Random(5, 1, 1, 0)),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// second returns the error of two results.
func second(_ []Split, err error) error { return err }

// TestNamesOfLabels: splits do not depend on the numbers of classes.
func TestNamesOfLabels(t *testing.T) {
	labels, others := make([]int, 97), make([]int, 97)
	for i := range labels {
		labels[i] = i * i % 5
		others[i] = []int{7, 3, 0, 9, 1}[labels[i]]
	}
	folds := func(labels []int) []Split {
		a, err := StratifiedKFold(labels, 4, 3)
		if err != nil {
			t.Fatal(err)
		}
		b, err := StratifiedRandom(labels, 0.3, 2, 3)
		if err != nil {
			t.Fatal(err)
		}
		return append(a, b...)
	}
	if !cmp.Equal(folds(labels), folds(others)) {
		t.Error("other names of the labels give other splits")
	}
}
