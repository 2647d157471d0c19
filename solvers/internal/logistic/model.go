package logistic

import "math"

// Model is a fitted regression.
type Model struct {
	Weights []float64
	Bias    float64
	// Loss is what was minimised, and Gradient the largest magnitude of its gradient in
	// a weight or the bias.
	Loss, Gradient float64
	Iterations     int
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
