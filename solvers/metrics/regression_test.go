package metrics_test

import (
	"math"
	"testing"

	"github.com/nystream/nystream/solvers/metrics"
)

// rootMeanSquare returns the root mean square of sin(i²) for i below n, without one i.
func rootMeanSquare(n, without int) float64 {
	sum, rows := 0.0, 0.0
	for i := range n {
		if v := math.Sin(float64(i * i)); i != without {
			sum, rows = sum+v*v, rows+1
		}
	}
	return math.Sqrt(sum / rows)
}

// TestRegressionError: the standard error of the RMSE is that of a jackknife, in any unit.
func TestRegressionError(t *testing.T) {
	const n = 200
	rmse, jackknife := rootMeanSquare(n, -1), 0.0
	for i := range n {
		away := rootMeanSquare(n, i) - rmse
		jackknife += away * away
	}
	jackknife = math.Sqrt(jackknife)
	for _, unit := range []float64{1, 1e-200, 1e200} {
		var r metrics.Regression
		for i := range n {
			r.Add(unit*math.Sin(float64(i*i)), 0)
		}
		got := r.RMSEError() / unit
		if math.Abs(r.RMSE()/unit-rmse) > 1e-12 || math.Abs(got-jackknife) > 0.02*jackknife {
			t.Errorf("unit %v: %v ± %v, by the jackknife %v ± %v", unit, r.RMSE(), got, rmse, jackknife)
		}
	}
}

// TestRegressionEdges: undefined scores are not finite.
func TestRegressionEdges(t *testing.T) {
	var none, one, exact, bad metrics.Regression
	one.Add(2, 0)
	for i := range 3 {
		exact.Add(float64(i), float64(i))
		bad.Add(float64(i), [...]float64{0, 1, math.NaN()}[i])
	}
	for name, v := range map[string]float64{"RMSE of no rows": none.RMSE(), "R² of no rows": none.R2(),
		"standard error of one row": one.RMSEError(), "R² of one row": one.R2(),
		"RMSE with NaN": bad.RMSE(), "R² with NaN": bad.R2(), "standard error with NaN": bad.RMSEError()} {
		if v-v == 0 {
			t.Errorf("%s is %v", name, v)
		}
	}
	if exact.RMSE() != 0 || exact.R2() != 1 || exact.Count() != 3 {
		t.Errorf("exact predictions: RMSE %v, R² %v of %d rows", exact.RMSE(), exact.R2(), exact.Count())
	}
}
