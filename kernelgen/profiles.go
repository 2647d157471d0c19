package kernelgen

import (
	"math"

	"github.com/nystream/nystream/internal/simd"
)

// each is the profile of a function of one number.
func each(f func(float64) float64) profile {
	return profile{apply: func(v, _ []float64) {
		for i, b := range v {
			v[i] = f(b)
		}
	}}
}

// decay is exp(−gamma·b).
func decay(gamma float64) profile { return profile{fused: simd.Exponential(-gamma)} }

// matern is (1 + b·z + c·z²)·exp(−z) with z = root·√s/length.
func matern(root, length, b, c float64) profile {
	return profile{fused: simd.ExponentialOfRoot(-clampPositive(root/length), -b, c)}
}

// rationalQuadratic is (1 + c·b)^−alpha, accurate for a large alpha too.
func rationalQuadratic(c, alpha float64) profile {
	return profile{apply: func(v, _ []float64) {
		for i, b := range v {
			v[i] = math.Log1p(c * b)
		}
		simd.Exp(v, v, -alpha)
	}}
}

// compactRBF is exp(−gamma·r²)·max(0, 1−r/theta)^v. The bracket is clamped
// before the power is taken: an even v would turn a negative one positive.
func compactRBF(gamma, theta, v float64) profile {
	raise := realPower(v)
	return profile{apply: func(b, tmp []float64) {
		simd.Exp(tmp, b, -gamma)
		for i, r2 := range b {
			b[i] = tmp[i] * raise(max(0, 1-math.Sqrt(r2)/theta))
		}
	}}
}

// realPower is b^v for 0 ≤ b ≤ 1; the usual small whole v by multiplication.
func realPower(v float64) func(b float64) float64 {
	if v == math.Trunc(v) && v <= 512 {
		n := int(v)
		return func(b float64) float64 { return integerPower(b, n) }
	}
	return func(b float64) float64 { return math.Pow(b, v) }
}

// integerPower is b^n for n ≥ 1 by repeated squaring.
func integerPower(b float64, n int) float64 {
	for n&1 == 0 {
		b *= b
		n >>= 1
	}
	power := b
	for n >>= 1; n > 0; n >>= 1 {
		b *= b
		if n&1 == 1 {
			power *= b
		}
	}
	return power
}

// times is a·b, with 0·∞ = 0: in kernels the zero is that of an exponential or
// of a compact support, which wins over any power.
func times(a, b float64) float64 {
	p := a * b
	if p != p && a == a && b == b {
		return 0
	}
	return p
}

// rbfGamma is the factor of r², whichever way the bandwidth was given.
func rbfGamma(a args) float64 {
	if _, ok := a.find("sigma2"); ok {
		return inverse(a.get("sigma2"))
	}
	if _, ok := a.find("sigma"); ok {
		return inverseSquare(a.get("sigma"))
	}
	return a.get("gamma")
}

// inverse and inverseSquare stay positive and finite, so that a bandwidth at the
// end of the range of float64 gives the limit of the kernel and never 0·∞.
func inverse(v float64) float64       { return clampPositive(1 / v) }
func inverseSquare(v float64) float64 { return inverse(v * v) }

func clampPositive(v float64) float64 {
	return max(math.SmallestNonzeroFloat64, min(math.MaxFloat64, v))
}

// compactIsPSD: (1−r)^v is positive definite for rows of d columns if and only if
// v ≥ (d+1)/2 (Askey 1973); v=auto is the smallest such integer.
func compactIsPSD(a args, cols int) bool {
	v, _ := a.find("v")
	return v.word == "auto" || (cols > 0 && 2*v.value >= float64(cols)+1)
}
