package metrics

import (
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
)

// ClusterAccuracy is the largest share of rows, in (0, 1], that are right when
// each cluster is given the name of a class, different clusters different
// classes, by the best matching ([Assign]). Rows of clusters that get no class,
// when there are more clusters than classes, are wrong. Cost O(n + k³) time and
// 8·k² bytes for k clusters or classes, at most 8192.
func ClusterAccuracy(truth, clusters []int) (float64, error) {
	if err := checkLengths(len(truth), len(clusters)); err != nil {
		return 0, err
	}
	classes, names := distinct(truth), distinct(clusters)
	if k := max(len(classes), len(names)); k > maxClasses {
		return 0, tooManyClasses(k)
	}
	// The rows that a pair has in common, negated: a cost.
	cost := blas64.General{Rows: len(classes), Cols: len(names), Stride: len(names), Data: make([]float64, len(classes)*len(names))}
	for _, c := range crossCount(truth, clusters) {
		i, _ := slices.BinarySearch(classes, c.a)
		j, _ := slices.BinarySearch(names, c.b)
		cost.Data[i*cost.Stride+j] = -float64(c.rows)
	}
	_, total, err := Assign(cost)
	return -total / float64(len(truth)), err
}
