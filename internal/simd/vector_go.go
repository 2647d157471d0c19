package simd

import "math"

// applyGo is the reference of apply.
func (f Function) applyGo(dst, src []float64, p *[2]float64) {
	at := definitions[f]
	for i, x := range src {
		dst[i] = at(x, dst[i], p[0], p[1])
	}
}

// definitions are the reference functions of x, with parameters a and b; y is the previous value of
// dst. Conversions forbid the compiler to fuse a product with a sum.
var definitions = [numFunctions]func(x, y, a, b float64) float64{
	Scale:       func(x, _, a, _ float64) float64 { return a * x },
	Affine:      func(x, _, a, b float64) float64 { return float64(a*x) + b },
	Relu:        func(x, _, _, _ float64) float64 { return max(0, x) },
	Clamp:       func(x, _, a, b float64) float64 { return min(b, max(a, x)) },
	Reciprocal:  func(x, _, a, _ float64) float64 { return 1 / (1 + float64(a*x)) },
	Root:        func(x, _, a, _ float64) float64 { return math.Sqrt(1 + float64(a*x)) },
	InverseRoot: func(x, _, a, _ float64) float64 { return 1 / math.Sqrt(1+float64(a*x)) },
	Bracket:     func(x, _, a, _ float64) float64 { return max(0, 1-math.Sqrt(x)/a) },
	ScaledExp:   func(x, _, a, _ float64) float64 { return expOf(float64(a * x)) },
	Log1p:       func(x, _, a, _ float64) float64 { return math.Log1p(float64(a * x)) },
	Tanh:        func(x, _, a, b float64) float64 { return math.Tanh(float64(a*x) + b) },
	Pow:         func(x, _, a, _ float64) float64 { return pow(x, a) },
	add:         func(x, y, _, _ float64) float64 { return y + x },
	multiply:    func(x, y, _, _ float64) float64 { return times(y, x) },
}

// times returns a·b, with 0·∞ = 0.
func times(a, b float64) float64 {
	p := a * b
	if p != p && a == a && b == b {
		return 0
	}
	return p
}
