package askls

import (
	"slices"
	"testing"
)

// TestNewFolds: each sample is tested on once, every class is spread as evenly as it can
// be, and so are the sizes.
func TestNewFolds(t *testing.T) {
	labels := make([]int, 61)
	for i := range labels {
		labels[i] = i * i % 5 // classes 0, 1 and 4
	}
	const k = 7
	folds := newFolds(labels, 5, k, 1)
	seen := make([]int, len(labels))
	for f, fold := range folds {
		counts := make([]int, 5)
		for _, i := range fold.Test {
			seen[i]++
			counts[labels[i]]++
		}
		for c, n := range counts {
			all := 0
			for _, l := range labels {
				if l == c {
					all++
				}
			}
			if n < all/k || n > (all+k-1)/k {
				t.Errorf("fold %d has %d of the %d samples of class %d", f, n, all, c)
			}
		}
		if n := len(fold.Test); n < 61/k || n > 61/k+1 || len(fold.Train)+n != 61 {
			t.Errorf("fold %d has %d and %d samples", f, n, len(fold.Train))
		}
		if both := slices.Sorted(slices.Values(slices.Concat(fold.Train, fold.Test))); len(slices.Compact(both)) != 61 || !slices.IsSorted(fold.Test) || !slices.IsSorted(fold.Train) {
			t.Errorf("fold %d: %v and %v", f, fold.Train, fold.Test)
		}
	}
	if slices.ContainsFunc(seen, func(n int) bool { return n != 1 }) {
		t.Errorf("samples are tested on %v times", seen)
	}
	if other := newFolds(labels, 5, k, 2); slices.Equal(other[0].Test, folds[0].Test) {
		t.Error("another seed gives the same fold")
	}
}
