// Package scores holds the figures of the papers' tables that nothing but these tables
// needs, each with its definition: AUROC, RMSE, and the reconstruction of graphs. Those
// of classes and clusters are in solvers/metrics.
//
// Slices of different lengths are a mistake of the caller and panic. No rows, NaN, and
// figures that are not defined are errors.
package scores

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// AUROC returns the area under the receiver operating characteristic, in [0, 1]: the
// share of pairs of a positive and a negative row in which the positive one has
// the larger score, pairs with equal scores counting half (the statistic of Mann
// and Whitney 1947 over its maximum; Hanley and McNeil 1982). 0.5 is chance.
// Scores may be infinite; NaN is an error, and so are rows of one class only, for
// which there are no pairs. Cost O(n·log n).
func AUROC(positive []bool, scores []float64) (float64, error) {
	if err := checkLengths(len(positive), len(scores)); err != nil {
		return 0, err
	}
	if err := checkNumbers("score", scores); err != nil {
		return 0, err
	}
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(scores[i], scores[j]) })
	var positives, negatives, wins int64 // wins are counted in halves
	for first := 0; first < len(order); {
		var here [2]int64 // negative and positive rows with this score
		last := first
		for ; last < len(order) && scores[order[last]] == scores[order[first]]; last++ {
			if positive[order[last]] {
				here[1]++
			} else {
				here[0]++
			}
		}
		wins += here[1] * (2*negatives + here[0])
		negatives += here[0]
		positives += here[1]
		first = last
	}
	if positives == 0 || negatives == 0 {
		return 0, fmt.Errorf("scores: AUROC needs rows of both classes; there are %d positive and %d negative ones", positives, negatives)
	}
	return float64(wins) / (2 * float64(positives) * float64(negatives)), nil
}

// checkNumbers refuses NaN.
func checkNumbers(what string, x []float64) error {
	for i, v := range x {
		if v != v {
			return fmt.Errorf("scores: the %s of row %d is NaN", what, i)
		}
	}
	return nil
}

// checkLengths panics unless there is one figure for each row, and refuses no rows.
func checkLengths(truth, predicted int) error {
	if truth != predicted {
		panic(fmt.Sprintf("scores: %d rows against %d", truth, predicted))
	}
	if truth == 0 {
		return errors.New("scores: there are no rows to measure")
	}
	return nil
}
