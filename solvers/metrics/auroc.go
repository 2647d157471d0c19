package metrics

import (
	"cmp"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
)

// AUROC is the area under the receiver operating characteristic, in [0, 1]: the
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
		return 0, fmt.Errorf("metrics: AUROC needs rows of both classes; there are %d positive and %d negative ones", positives, negatives)
	}
	return float64(wins) / (2 * float64(positives) * float64(negatives)), nil
}

// checkNumbers refuses NaN.
func checkNumbers(what string, x []float64) error {
	for i, v := range x {
		if v != v {
			return fmt.Errorf("metrics: the %s of row %d is NaN", what, i)
		}
	}
	return nil
}

// AUROCOneVsRest is the mean over classes, each counting alike, of the [AUROC] of
// the class against all others (scikit-learn: roc_auc_score(multi_class="ovr",
// average="macro")). Column c of scores (n×k) scores class c, and truth holds
// classes 0..k−1. It is an error if a class has no row, or all of them: its AUROC
// is not defined, and a mean of the rest would be of other classes in other folds.
func AUROCOneVsRest(truth []int, scores blas64.General) (float64, error) {
	if err := checkLengths(len(truth), scores.Rows); err != nil {
		return 0, err
	}
	if scores.Cols == 0 {
		return 0, fmt.Errorf("metrics: there are no columns of scores")
	}
	sum := 0.0
	for class := range scores.Cols {
		area, err := aurocOfClass(truth, scores, class)
		if err != nil {
			return 0, fmt.Errorf("class %d against the rest: %w", class, err)
		}
		sum += area
	}
	return sum / float64(scores.Cols), nil
}

func aurocOfClass(truth []int, scores blas64.General, class int) (float64, error) {
	positive, column := make([]bool, len(truth)), make([]float64, len(truth))
	for i, t := range truth {
		if t < 0 || t >= scores.Cols {
			return 0, fmt.Errorf("metrics: row %d has class %d, and there are scores of classes 0 to %d", i, t, scores.Cols-1)
		}
		positive[i], column[i] = t == class, scores.Data[i*scores.Stride+class]
	}
	return AUROC(positive, column)
}
