package metrics

import (
	"math"

	"github.com/nystream/nystream/internal/moments"
)

// Regression compares predicted with true values, added one at a time. It is accurate for large offsets and for values
// whose squares overflow or underflow. The zero value is empty and ready to use. A NaN makes all results NaN.
type Regression struct {
	n      int64
	first  float64
	truth  moments.Moments // relative to the first true value
	errors squares
}

// Add adds the true and the predicted value of a row.
func (r *Regression) Add(truth, predicted float64) {
	if r.n == 0 {
		r.first = truth
	}
	r.n++
	r.truth.Add(truth-r.first, 1)
	r.errors.add(truth - predicted)
}

// Count returns the number of rows.
func (r *Regression) Count() int64 { return r.n }

// RMSE returns the root mean squared error, NaN without rows.
func (r *Regression) RMSE() float64 { return r.errors.unit * math.Sqrt(r.errors.sum/float64(r.n)) }

// RMSEError returns the standard error of RMSE, by the delta method. It is NaN for fewer than two rows.
func (r *Regression) RMSEError() float64 {
	n := float64(r.n)
	mean := r.errors.sum / n
	variance := max(0, r.errors.fourth/n-mean*mean) / (n - 1)
	return r.errors.unit * math.Sqrt(variance/mean) / 2
}

// R2 returns 1 − Σ(truth − predicted)²/Σ(truth − mean)². It is not finite if the true values are constant.
func (r *Regression) R2() float64 {
	ratio := r.errors.unit / r.truth.Unit
	return 1 - ratio*ratio*(r.errors.sum/r.truth.M2)
}

// squares sums squares and fourth powers of values, scaled by the largest magnitude to avoid overflow.
type squares struct{ unit, sum, fourth float64 } // the sums are unit²·sum and unit⁴·fourth

func (s *squares) add(v float64) {
	v = math.Abs(v)
	if v > s.unit {
		by := s.unit / v * (s.unit / v)
		s.unit, s.sum, s.fourth = v, s.sum*by, s.fourth*by*by
	}
	if s.unit > 0 {
		v /= s.unit
	}
	s.sum += v * v
	s.fourth += v * v * v * v
}
