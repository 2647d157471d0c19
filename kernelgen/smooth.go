package kernelgen

import "github.com/nystream/nystream/internal/simd"

// The derivatives of the kernels of the table by their base.

// flat returns what a kernel with a constant slope tells.
func flat(slope float64) smooth { return smooth{slope: Curve{Factor: slope, Flat: true}} }

// falling returns what a kernel tells whose slope is a multiple of a positive one.
func falling(factor float64, p profile) smooth {
	return smooth{slope: Curve{Factor: factor, profile: p, psd: true}}
}

// proportional returns what an exponential of factor·β tells: f' = factor·f.
func proportional(factor float64) smooth {
	s := falling(factor, exponentialOf(factor))
	s.ratio = factor
	return s
}

// polynomialSlope returns what poly tells.
func polynomialSlope(a args) smooth {
	gamma, coef0, degree := a.get("gamma"), a.get("coef0"), int(a.get("degree"))
	if degree == 1 {
		return flat(gamma)
	}
	p := profile{fused: simd.Power(gamma, coef0, degree-1)}
	return smooth{slope: Curve{Factor: float64(degree) * gamma, profile: p, psd: coef0 >= 0}, power: float64(degree), offset: coef0 / gamma}
}

// rootSlope returns what factor·√(1 + β/length²) tells.
func rootSlope(factor, length float64) smooth {
	s := falling(factor/(2*length*length), elementwise(simd.InverseRoot, inverseSquare(length)))
	s.value = Curve{Factor: factor, profile: elementwise(simd.Root, inverseSquare(length))}
	s.conditional = true
	return s
}

// distanceSlope returns what −β tells.
func distanceSlope(args) smooth {
	s := flat(-1)
	s.value, s.conditional = Curve{Factor: -1}, true
	return s
}

// customSlope returns what a user's profile tells, nil without a derivative. A function of distances that is
// positive semi-definite for every data set is completely monotone (Schoenberg 1938), and so is its
// derivative with the sign changed; one of inner products is a power series without negative
// coefficients (Schoenberg 1942), and so is its derivative.
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
