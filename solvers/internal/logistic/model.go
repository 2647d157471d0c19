package logistic

import (
	"fmt"
	"math"

	"github.com/nystream/nystream/internal/linalg/dense"
)

// Model is a fitted regression.
type Model struct {
	Weights []float64
	Bias    float64
	// Loss is what was minimised, and Gradient the largest magnitude of its gradient in
	// a weight or the bias.
	Loss, Gradient float64
	Iterations     int
}

// LogOdds returns wᵀx + b for a row of features: the logarithm of the probability of
// positive over that of negative.
func (m *Model) LogOdds(x []float64) float64 {
	if len(x) != len(m.Weights) {
		panic(fmt.Sprintf("logistic: a row of %d features for %d weights", len(x), len(m.Weights)))
	}
	return m.Bias + dense.Dot(m.Weights, x)
}

// sigmoid returns 1/(1+exp(−t)), without overflow.
func sigmoid(t float64) float64 {
	if t < 0 {
		e := math.Exp(t)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(-t))
}

// softplus returns log(1+exp(t)), without overflow.
func softplus(t float64) float64 { return max(t, 0) + math.Log1p(math.Exp(-math.Abs(t))) }
