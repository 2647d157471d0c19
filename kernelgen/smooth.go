package kernelgen

import "github.com/nystream/nystream/internal/simd"

// The derivatives of the kernels of the table by their base.

// flat is a constant slope.
func flat(slope float64) smooth { return smooth{slope: Curve{Factor: slope, Flat: true}} }

// falling is the slope of a positive kernel of distances, a multiple of another one.
func falling(factor float64, p profile) smooth {
	return smooth{slope: Curve{Factor: factor, profile: p, psd: true}}
}

// proportional is that of an exponential of factor·β: f' = factor·f.
func proportional(factor float64) smooth {
	s := falling(factor, exponentialOf(factor))
	s.ratio = factor
	return s
}

func polynomialSlope(a args) smooth {
	gamma, coef0, degree := a.get("gamma"), a.get("coef0"), int(a.get("degree"))
	if degree == 1 {
		return flat(gamma)
	}
	p := profile{fused: simd.Power(gamma, coef0, degree-1)}
	return smooth{slope: Curve{Factor: float64(degree) * gamma, profile: p, psd: coef0 >= 0}, power: float64(degree), offset: coef0 / gamma}
}

// rootSlope is that of factor·√(1 + β/length²).
func rootSlope(factor, length float64) smooth {
	s := falling(factor/(2*length*length), elementwise(simd.InverseRoot, inverseSquare(length)))
	s.value = Curve{Factor: factor, profile: elementwise(simd.Root, inverseSquare(length))}
	s.conditional = true
	return s
}

// distanceSlope is that of −β.
func distanceSlope(args) smooth {
	s := flat(-1)
	s.value, s.conditional = Curve{Factor: -1}, true
	return s
}

// customSlope is that of a user's profile.
func customSlope(p Profile) func(args) smooth {
	if p.Derivative == nil {
		return nil
	}
	return func(args) smooth { return smooth{slope: Curve{Factor: 1, profile: each(p.Derivative)}} }
}
