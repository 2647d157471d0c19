package kernelgen

import "github.com/nystream/nystream/internal/simd"

// The derivatives of the kernels of the table by their base.

// flat describes a kernel with a constant slope.
func flat(slope float64) smooth { return smooth{slope: Curve{Factor: slope, Flat: true}} }

// falling describes a kernel with a slope that is a multiple of a positive profile.
func falling(factor float64, p profile) smooth {
	return smooth{slope: Curve{Factor: factor, profile: p, psd: true}}
}

// proportional describes an exponential of factor·β: f' = factor·f.
func proportional(factor float64) smooth {
	s := falling(factor, exponentialOf(factor))
	s.ratio = factor
	return s
}

// polynomialSlope describes poly.
func polynomialSlope(a args) smooth {
	gamma, coef0, degree := a.get("gamma"), a.get("coef0"), int(a.get("degree"))
	if degree == 1 {
		return flat(gamma)
	}
	p := profile{fused: simd.Power(gamma, coef0, degree-1)}
	return smooth{slope: Curve{Factor: float64(degree) * gamma, profile: p, psd: coef0 >= 0}, power: float64(degree), offset: coef0 / gamma}
}

// rootSlope describes factor·√(1 + β/length²).
func rootSlope(factor, length float64) smooth {
	s := falling(factor/(2*length*length), elementwise(simd.InverseRoot, inverseSquare(length)))
	s.value = Curve{Factor: factor, profile: elementwise(simd.Root, inverseSquare(length))}
	s.conditional = true
	return s
}

// distanceSlope describes −β.
func distanceSlope(args) smooth {
	s := flat(-1)
	s.value, s.conditional = Curve{Factor: -1}, true
	return s
}

// customSlope describes a custom profile; nil without a derivative. A function of distances that is positive
// semi-definite for every data set is completely monotone (Schoenberg 1938), and so is its negated derivative. One of
// inner products is a power series with nonnegative coefficients (Schoenberg 1942), and so is its derivative.
func customSlope(p Profile) func(args) smooth {
	if p.Derivative == nil {
		return nil
	}
	slope := Curve{Factor: 1, profile: each(p.Derivative), psd: p.PositiveSemiDefinite}
	if p.Base == SquaredDistance {
		slope.Factor, slope.profile = -1, each(func(square float64) float64 { return -p.Derivative(square) })
	}
	return func(args) smooth { return smooth{slope: slope} }
}
