package model

import (
	"fmt"
	"math"
)

// Shares returns the weights of n items of a source, such as rows or pairs, divided by their sum. It
// returns an error if there are not as many, or if one is negative or not finite, or all are zero.
func Shares(source, item string, n int64, weights []float64) ([]float64, error) {
	if int64(len(weights)) != n {
		return nil, fmt.Errorf("%s: %d weights for %d %ss", source, len(weights), n, item)
	}
	largest := 0.0
	for i, w := range weights {
		if !(w >= 0 && w <= math.MaxFloat64) {
			return nil, &DataError{Err: fmt.Errorf("%s: the weight of %s %d is %v; weights are finite and not negative",
				source, item, i, w)}
		}
		largest = math.Max(largest, w)
	}
	if largest == 0 {
		return nil, &DataError{Err: fmt.Errorf("%s: all weights are zero", source)}
	}
	sum := 0.0
	for _, w := range weights {
		sum += w / largest
	}
	shares := make([]float64, len(weights))
	for i, w := range weights {
		shares[i] = w / largest / sum
	}
	return shares, nil
}
