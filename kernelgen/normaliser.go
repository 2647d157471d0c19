package kernelgen

import "fmt"

// Kernels normalised by their row sums, and other asymmetric kernels.

// normalisation describes a kernel that is another kernel of the table divided by its row sums.
type normalisation struct {
	name string // of the unnormalised kernel
	// args converts the arguments to those of the unnormalised kernel, numbers or words.
	args func(a args) args
}

// Normaliser reports whether the kernel is normalised by the sums of its rows:
//
//	k(x, z) = Weight·unnormalised(x, z) / Σ_z' unnormalised(x, z')
//
// where z' runs over all rows of the right source, and unnormalised is an ordinary kernel: rbf(sigma=gamma) for sne,
// cauchy(length=1) for t, expdot for softmax. Weight is [Kernel.Weight]. If the kernel is not resolved, the
// unnormalised one has the same words. For a kernel that is not normalised, Normaliser returns the kernel itself.
//
// Subtract the maximum first ([Kernel.FillLog]) to avoid overflow and underflow of the sums.
func (k Kernel) Normaliser() (unnormalised Kernel, normalised bool) {
	a := k.normalisedAtom()
	if a == nil {
		return k, false
	}
	d := a.spec.divides
	unnormalised = newAtom(findSpec(builtins, d.name), d.args(a.args)).kernel()
	unnormalised.cols = k.cols
	return unnormalised, true
}

// normalisedAtom returns the atom of a kernel normalised by its row sums, possibly with a weight; nil for other kernels.
func (k Kernel) normalisedAtom() *atom {
	if len(k.terms) != 1 || len(k.terms[0].factors) != 1 {
		return nil
	}
	a := k.terms[0].factors[0].atom
	if a == nil || a.spec.divides == nil {
		return nil
	}
	return a
}

// Weight returns the factor of a kernel that is not a sum, such as 2 for 2*sne(gamma=1); 1 for sums.
func (k Kernel) Weight() float64 {
	if len(k.terms) != 1 {
		return 1
	}
	return k.terms[0].weight
}

// Symmetric reports whether k(x, z) = k(z, x). It is false for kernels normalised by their row sums and those of
// [KLDivergence].
func (k Kernel) Symmetric() bool {
	for a := range eachAtom(k.terms) {
		if a.spec.divides != nil || a.spec.base.spec().oneWay {
			return false
		}
	}
	return true
}

// CheckPlain returns an error that names the kernel unless an entry depends on its two rows alone. Kernels normalised
// by their row sums cannot fill tiles, since an entry depends on all rows of the right source. Neither can relative,
// whose entries depend on the neighbours of both rows. Methods that do not support [Kernel.Normaliser] or [Term] call
// this first.
func (k Kernel) CheckPlain() error {
	if k.normalisedAtom() != nil {
		return fmt.Errorf("kernel %v is normalised by its row sums, which this method does not know: use fit landmark, ssrsvd or ksvd", k)
	}
	if k.scaled() {
		return fmt.Errorf("kernel %v has a scale for each row, its distance from a neighbour, which this method does not know: use fit ism", k)
	}
	return nil
}

// scaled reports whether a kernel of the sum needs a scale for each row.
func (k Kernel) scaled() bool {
	for a := range eachAtom(k.terms) {
		if a.spec.scaled {
			return true
		}
	}
	return false
}

// mustBePlain panics unless an entry depends on its two rows alone.
func (k Kernel) mustBePlain() {
	if k.normalisedAtom() != nil {
		panic(fmt.Sprintf("kernelgen: an entry of %v depends on its row sum: fill tiles of its Normaliser", k))
	}
	if k.scaled() {
		panic(fmt.Sprintf("kernelgen: an entry of %v depends on the neighbours of its rows: see Terms", k))
	}
}

// checkAlone returns an error if one of several kernels is normalised by its row sums: their sum or product has no
// tiles.
func checkAlone(kernels []Kernel) error {
	for _, k := range kernels {
		if a := k.normalisedAtom(); a != nil && len(kernels) > 1 {
			return fmt.Errorf("%s is normalised by its row sums: it stands alone or with a weight, not in a sum or product of kernels", a.spec.name)
		}
	}
	return nil
}
