package kernelgen

import (
	"errors"
	"fmt"
	"math"

	"github.com/nystream/nystream/internal/matrix"
)

// Power returns the kernel with the entries of k to the power p > 0. It supports multiples of an exponential of the
// base ([Kernel.FillLog]) and, for p = 1, any kernel. Otherwise the error names the kernels with powers. It panics
// unless the kernel is resolved.
func (k Kernel) Power(p float64) (Kernel, error) {
	if !k.Resolved() {
		panic("kernelgen: the power of a kernel that is not resolved")
	}
	if p == 1 {
		return k, nil
	}
	a := k.exponential()
	if a == nil {
		return Kernel{}, fmt.Errorf("kernel %s has no power %g that is a kernel: rbf, gaussian, laplace, expdot and kl have", k, p)
	}
	if !(p > 0 && p <= math.MaxFloat64) {
		return Kernel{}, fmt.Errorf("power %v of kernel %s: it must be positive and finite", p, k)
	}
	// The conversion keeps arm64 from fusing the product with the difference below.
	factor, weight := float64(a.profile.factor*p), math.Pow(k.Weight(), p)
	if !matrix.IsFinite(factor) || factor == 0 || !matrix.IsFinite(weight) || weight == 0 {
		return Kernel{}, errors.New("the power is beyond the range of float64")
	}
	power := baseExponential(a.spec.base, factor)
	power.cols = k.cols
	if weight == 1 {
		return power, nil
	}
	return Scale(weight, power), nil
}

// baseExponential returns the kernel e^(factor·base).
func baseExponential(b Base, factor float64) Kernel {
	switch b {
	case SquaredDistance:
		return RBF(-factor)
	case L1Distance:
		return Laplace(-factor)
	case InnerProduct:
		return ExpDot(factor)
	case KLDivergence:
		return KL(-factor)
	}
	panic("kernelgen: no exponential of a " + b.String())
}
