package kernelgen

import (
	"math"

	"github.com/nystream/nystream/internal/simd"
)

// each returns the profile of a function of one number.
func each(f func(float64) float64) profile {
	return profile{apply: func(v, _ []float64) {
		for i, b := range v {
			v[i] = f(b)
		}
	}}
}

// decay returns exp(−gamma·b).
func decay(gamma float64) profile { return exponentialOf(-gamma) }

// exponentialOf returns exp(factor·b).
func exponentialOf(factor float64) profile {
	return profile{fused: simd.Exponential(factor), factor: factor}
}

// matern returns (1 + b·z + c·z²)·exp(−z) with z = root·√s/length.
func matern(root, length, b, c float64) profile {
	return profile{fused: simd.ExponentialOfRoot(-clampPositive(root/length), -b, c)}
}

// elementwise returns the profile of a function that has a vector path.
func elementwise(f simd.Function, p ...float64) profile {
	return profile{apply: func(v, _ []float64) { f.Apply(v, v, p...) }}
}

// negative returns −factor·p, for a factor above 0.
func negative(factor float64, p profile) profile {
	return profile{apply: func(v, tmp []float64) {
		p.run(v, tmp)
		for i := range v {
			v[i] *= -factor
		}
	}}
}

// rationalQuadratic returns (1 + c·b)^−alpha, accurate for a large alpha too.
func rationalQuadratic(c, alpha float64) profile {
	if alpha == 1 {
		return elementwise(simd.Reciprocal, c)
	}
	return profile{apply: func(v, _ []float64) {
		simd.Log1p.Apply(v, v, c)
		simd.ScaledExp.Apply(v, v, -alpha)
	}}
}

// compactRBF returns exp(−gamma·r²)·max(0, 1−r/theta)^v. The bracket is clamped before the power, since an even v would
// make a negative one positive.
func compactRBF(gamma, theta, v float64) profile {
	raise := realPower(v)
	return profile{apply: func(b, tmp []float64) {
		simd.ScaledExp.Apply(tmp, b, -gamma)
		simd.Bracket.Apply(b, b, theta)
		raise.run(b, nil)
		simd.Multiply(b, tmp)
	}}
}

// realPower returns b^v for 0 ≤ b ≤ 1, by multiplication for small integers v.
func realPower(v float64) profile {
	if v == math.Trunc(v) && v <= 512 {
		return profile{fused: simd.Power(1, 0, int(v))}
	}
	return elementwise(simd.Pow, v)
}

// rbfGamma returns the factor of r² for any of the bandwidth parameters.
func rbfGamma(a args) float64 {
	if _, ok := a.find("sigma2"); ok {
		return inverse(a.get("sigma2"))
	}
	if _, ok := a.find("sigma"); ok {
		return inverseSquare(a.get("sigma"))
	}
	return a.get("gamma")
}

// gaussianGamma returns the factor of r².
func gaussianGamma(a args) float64 {
	sigma := a.get("sigma")
	return clampPositive(1 / (2 * sigma * sigma))
}

// inverse and inverseSquare stay positive and finite, so that an extreme bandwidth gives the limit of the kernel and
// never 0·∞.
func inverse(v float64) float64       { return clampPositive(1 / v) }
func inverseSquare(v float64) float64 { return inverse(v * v) }

func clampPositive(v float64) float64 {
	return max(math.SmallestNonzeroFloat64, min(math.MaxFloat64, v))
}

// compactIsPSD reports whether csrbf is positive semi-definite. (1−r)^v is positive definite for rows of d columns if
// and only if v ≥ (d+1)/2 (Askey 1973); v=auto is the smallest such integer.
func compactIsPSD(a args, cols int) bool {
	v, _ := a.find("v")
	return v.word == "auto" && v.value >= 1 || v.word == "" && (cols > 0 && 2*v.value >= float64(cols)+1)
}
