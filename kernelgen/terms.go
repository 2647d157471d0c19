package kernelgen

import (
	"fmt"
	"slices"
)

// Term is one kernel of a weighted sum, as a differentiable function f of the inner product or the squared distance β
// of two rows: see [Kernel.Terms].
type Term struct {
	Kernel Kernel // the term without its weight
	Weight float64
	Base   Base  // InnerProduct or SquaredDistance
	Value  Curve // f
	Slope  Curve // f'

	// Ratio is f'/f if that does not depend on β, else 0. Value and Slope are then multiples of the same profile.
	Ratio float64
	// Power and Offset satisfy f = (β + Offset)·f'/Power; Power is 0 if there is no such relation.
	Power, Offset float64
	// Conditional reports that minus the curve of f over its factor is conditionally positive definite: vᵀKv ≤ 0 for
	// the matrix K of that curve and every v whose entries sum to 0.
	Conditional bool
	// Neighbour is positive for [Relative]: then β must be divided by σ_i·σ_j, and so must f'. σ_i is the distance of
	// row i from its nearest neighbour of this number.
	Neighbour int
	// Custom reports a custom profile with a custom derivative.
	Custom bool
}

// smooth describes a kernel of the table as a differentiable function. A value without a profile stands for the profile
// of the kernel.
type smooth struct {
	value, slope  Curve
	ratio         float64
	power, offset float64
	conditional   bool
}

// Terms returns the kernel as a sum of differentiable functions of one number, for methods that use gradients of the
// kernel. It fails, with the reason, naming the part that is not differentiable.
//
// Words of an unresolved kernel count as 1: the curves then differ from those of the resolved kernel, but have the same
// kinds and bases.
func (k Kernel) Terms() ([]Term, error) { return appendTerms(nil, 1, k.terms) }

func appendTerms(all []Term, weight float64, terms []term) ([]Term, error) {
	for _, t := range terms {
		if len(t.factors) > 1 {
			return nil, fmt.Errorf("%v is a product of kernels: sums alone are taken apart into functions of one number", Kernel{terms: []term{t}})
		}
		var err error
		if f := t.factors[0]; f.atom == nil {
			all, err = appendTerms(all, weight*t.weight, f.sum)
		} else {
			var one Term
			one, err = f.atom.term()
			one.Weight = weight * t.weight
			all = append(all, one)
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// term returns the atom as a differentiable function.
func (a *atom) term() (Term, error) {
	s := a.spec
	switch {
	case s.divides != nil:
		return Term{}, fmt.Errorf("%s is normalised by its row sums, and no function of two rows", s.name)
	case s.base != InnerProduct && s.base != SquaredDistance:
		return Term{}, fmt.Errorf("%s is a function of the %v, and not of the %v or the %v of two rows", s.name, s.base, InnerProduct, SquaredDistance)
	case s.smooth == nil && s.custom:
		return Term{}, fmt.Errorf("the profile %s has no derivative", s.name)
	case s.smooth == nil:
		return Term{}, fmt.Errorf("%s has no derivative by the %v, or it is not finite", s.name, s.base)
	}
	numbers := a.numbers()
	f := s.smooth(numbers)
	if f.value.Factor == 0 {
		f.value = Curve{Factor: 1, profile: s.profile(numbers), psd: s.psd(numbers, 0)}
	}
	t := Term{Kernel: a.kernel(), Weight: 1, Base: s.base, Value: f.value, Slope: f.slope, Ratio: f.ratio, Power: f.power, Offset: f.offset,
		Conditional: f.conditional, Custom: s.custom}
	if s.scaled {
		t.Neighbour = int(numbers.get("neighbour"))
	}
	return t, nil
}

// numbers returns the arguments, with 1 for words.
func (a *atom) numbers() args {
	all := slices.Clone(a.args)
	for i := range all {
		if all[i].word != "" {
			all[i].word, all[i].value = "", 1
		}
	}
	return all
}
