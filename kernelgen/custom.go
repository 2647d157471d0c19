package kernelgen

import "fmt"

// Profile is a user's kernel: a Go function of one of the bases.
type Profile struct {
	// Name is how the kernel is written in text: a letter followed by letters,
	// digits and underscores, different from the built-in names.
	Name string
	// Base is what F is applied to.
	Base Base
	// F maps a base value to a kernel value. It is called from several
	// goroutines at once. Distances may be +Inf.
	F func(base float64) float64
	// Derivative is that of F, for methods that follow a gradient through the kernel
	// ([Kernel.Terms]), and nil if nobody needs it. It is called as F is.
	Derivative func(base float64) float64
	// PositiveSemiDefinite says that the matrix is so for every data set, which nobody checks.
	// Methods for such kernels then take this one.
	PositiveSemiDefinite bool
}

// New makes a kernel of a user's profile. It panics if the profile has no function, an
// unknown base, or a name that is no name or is built in.
func New(p Profile) Kernel { return newAtom(p.spec(), nil).kernel() }

// spec turns the profile into an entry of the table of kernels.
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
