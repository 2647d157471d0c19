package ridge

import (
	"math"

	"github.com/nystream/nystream/internal/linalg/dense"
)

// clusters numbers the independent groups of the scoring sample. Without a group column, each row is its own group.
type clusters struct {
	of    []int // group of each row, -1 for rows of weight 0
	count int
}

// newClusters numbers the groups of rows with positive weight, in row order.
func newClusters(k *responses) clusters {
	g := clusters{of: make([]int, len(k.weight))}
	numbers := make(map[uint64]int)
	for r, group := range k.group {
		if g.of[r] = -1; k.weight[r] == 0 {
			continue
		}
		number, found := numbers[group]
		if !found {
			number = g.count
			numbers[group] = number
			g.count++
		}
		g.of[r] = number
	}
	return g
}

// effective returns the effective number of groups, (Σ W)²/Σ W², where W is the total weight of a group.
func (g clusters) effective(weights []float64) float64 {
	squares := 0.0
	for _, sum := range g.sums(weights) {
		squares += sum * sum
	}
	total := dense.Sum(weights)
	return total * total / squares
}

// sums returns the sum of numbers over the rows of each group.
func (g clusters) sums(numbers []float64) []float64 {
	sums := make([]float64, g.count)
	for r, group := range g.of {
		if group >= 0 {
			sums[group] += numbers[r]
		}
	}
	return sums
}

// variance returns the cluster-robust variance of the weighted mean of values. It is NaN if there is effectively one
// group.
func (g clusters) variance(values, weights []float64) float64 {
	mean, total := meanOf(values, weights), dense.Sum(weights)
	away := make([]float64, len(values))
	for r, v := range values {
		away[r] = weights[r] * (v - mean)
	}
	sums, n := g.sums(away), g.effective(weights)
	if n-1 < 1e-9 {
		return math.NaN()
	}
	return n / (n - 1) * dense.Dot(sums, sums) / (total * total)
}

// meanOf returns the weighted mean of values.
func meanOf(values, weights []float64) float64 {
	return dense.Dot(values, weights) / dense.Sum(weights)
}
