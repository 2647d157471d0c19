package kernelgen

import "fmt"

// Profile is a custom kernel: a Go function of one of the bases.
type Profile struct {
	// Name is the name of the kernel in text: a letter followed by letters, digits and underscores, different from
	// built-in names.
	Name string
	// Base is the argument of F.
	Base Base
	// F maps a base value to a kernel value. It must be safe for concurrent use. Distances may be +Inf.
	F func(base float64) float64
	// Derivative is the derivative of F, for methods that use gradients of the kernel ([Kernel.Terms]). It may be nil,
	// and must be safe for concurrent use.
	Derivative func(base float64) float64
	// PositiveSemiDefinite asserts that the matrix is positive semi-definite for every data set. This is not checked.
	// Methods for such kernels then accept it.
	PositiveSemiDefinite bool
}

// New returns the kernel of a custom profile. It panics if the profile has no function, an unknown base, or an invalid
// or built-in name.
func New(p Profile) Kernel { return newAtom(p.spec(), nil).kernel() }

// spec returns the profile as an entry of the table of kernels.
func (p Profile) spec() *spec {
	if p.F == nil || p.Base < 0 || p.Base >= numBases {
		panic(fmt.Sprintf("kernelgen: profile %q needs a function and a base", p.Name))
	}
	if !isName(p.Name) {
		panic(fmt.Sprintf("kernelgen: profile name %q is not a letter followed by letters, digits and underscores", p.Name))
	}
	if findSpec(builtins, p.Name) != nil || findSpec(otherNames, p.Name) != nil {
		panic(fmt.Sprintf("kernelgen: profile name %q is a built-in kernel", p.Name))
	}
	return &spec{
		name: p.Name, base: p.Base, formula: "user's function of the " + p.Base.String(), psd: func(args, int) bool { return p.PositiveSemiDefinite },
		profile: func(args) profile { return each(p.F) }, smooth: customSlope(p), custom: true,
	}
}
