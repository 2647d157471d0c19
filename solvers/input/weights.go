package input

import (
	"fmt"
	"math"

	"github.com/nystream/nystream/stream"
)

// Shares returns the weights of n items of a source, such as rows or pairs, divided by their sum. It fails if there are
// not n of them, if one is negative or not finite, or if all are zero.
func Shares(source, item string, n int64, weights []float64) ([]float64, error) {
	if int64(len(weights)) != n {
		return nil, fmt.Errorf("%s: %d weights for %d %ss", source, len(weights), n, item)
	}
	largest := 0.0
	for i, w := range weights {
		if !(w >= 0 && w <= math.MaxFloat64) {
			return nil, badWeight(source, item, i, w).WithRemedy("weights are finite and not negative")
		}
		largest = math.Max(largest, w)
	}
	if largest == 0 {
		return nil, stream.NewDataError(source, "all weights are zero")
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

// badWeight returns the error for the weight of item i.
func badWeight(source, item string, i int, weight float64) *stream.DataError {
	if item == "row" {
		return stream.NewValueError(source, int64(i), "", "the weight is %v", weight)
	}
	return stream.NewDataError(source, "the weight of %s %d is %v", item, i, weight)
}
