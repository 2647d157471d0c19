package scores

import (
	"fmt"
	"math"

	"github.com/nystream/nystream/internal/linalg/dense"
)

// RMSE returns the root of the mean squared error, √(Σ(truth−predicted)²/n), in the
// unit of the target. It does not overflow before its value does. A difference
// that is NaN or infinite is an error.
func RMSE(truth, predicted []float64) (float64, error) {
	if err := checkLengths(len(truth), len(predicted)); err != nil {
		return 0, err
	}
	errs := make([]float64, len(truth))
	for i, t := range truth {
		errs[i] = t - predicted[i]
		if errs[i]-errs[i] != 0 {
			return 0, fmt.Errorf("scores: the error of row %d is %v − %v, not a finite number", i, t, predicted[i])
		}
	}
	return dense.Norm(errs) / math.Sqrt(float64(len(errs))), nil
}
