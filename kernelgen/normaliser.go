package kernelgen

import "fmt"

// Kernels divided by the sums of their rows, and others that are not symmetric.

// A divided kernel is another kernel of the table over its row sums.
type divided struct {
	name string // of the kernel that is divided
	// args are the arguments of that kernel, numbers or words.
	args func(a args) args
}

// Normaliser reports whether the kernel is normalised by the sums of its rows:
//
//	k(x, z) = Weight·unnormalised(x, z) / Σ_z' unnormalised(x, z')
//
// with z' over all rows of the right source, and unnormalised an ordinary kernel:
// rbf(sigma=gamma) for sne, cauchy(length=1) for t, expdot for softmax. Weight is
// [Kernel.Weight]. The kernel need not be resolved; the words of the unnormalised
// one are then those of this. A kernel that is not normalised returns itself.
//
// With the maximum taken off first ([Kernel.FillLog]) sums neither overflow nor
// all underflow.
func (k Kernel) Normaliser() (unnormalised Kernel, normalised bool) {
	a := k.divided()
	if a == nil {
		return k, false
	}
	d := a.spec.divides
	unnormalised = newAtom(findSpec(builtins, d.name), d.args(a.args)).kernel()
	unnormalised.cols = k.cols
	return unnormalised, true
}

// divided returns the atom of a kernel that is normalised by its row sums, which
// stands alone or with a weight; nil for other kernels.
func (k Kernel) divided() *atom {
	if len(k.terms) != 1 || len(k.terms[0].factors) != 1 {
		return nil
	}
	a := k.terms[0].factors[0].atom
	if a == nil || a.spec.divides == nil {
		return nil
	}
	return a
}

// Weight returns the number that multiplies a kernel which is no sum, as the 2 of
// 2*sne(gamma=1); 1 for sums.
func (k Kernel) Weight() float64 {
	if len(k.terms) != 1 {
		return 1
	}
	return k.terms[0].weight
}

// Symmetric reports whether k(x, z) = k(z, x), which is so but for kernels that
// are normalised by their row sums and those of [KLDivergence].
func (k Kernel) Symmetric() bool {
	for a := range eachAtom(k.terms) {
		if a.spec.divides != nil || a.spec.base.spec().oneWay {
			return false
		}
	}
	return true
}

// CheckPlain returns an error that names the kernel unless an entry of it depends on
// its two rows alone. Tiles of a kernel that is normalised by its row sums cannot be
// filled, since an entry depends on all rows of the right source, nor can those of
// relative, whose entries depend on the neighbours of both rows: a method that does
// not know of [Kernel.Normaliser], or of [Term], asks this before it starts.
func (k Kernel) CheckPlain() error {
	if k.divided() != nil {
		return fmt.Errorf("kernel %v is normalised by its row sums, which this method does not know: use fit landmark, ssrsvd or ksvd", k)
	}
	if k.scaled() {
		return fmt.Errorf("kernel %v has a scale for each row, its distance from a neighbour, which this method does not know: use fit ism", k)
	}
	return nil
}

// scaled reports whether a kernel of the sum needs a scale of each row.
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
	if k.divided() != nil {
		panic(fmt.Sprintf("kernelgen: an entry of %v depends on its row sum: fill tiles of its Normaliser", k))
	}
	if k.scaled() {
		panic(fmt.Sprintf("kernelgen: an entry of %v depends on the neighbours of its rows: see Terms", k))
	}
}

// checkAlone returns an error if one of several kernels is normalised by its row
// sums, which leaves their sum or product without a meaning as tiles.
func checkAlone(kernels []Kernel) error {
	for _, k := range kernels {
		if a := k.divided(); a != nil && len(kernels) > 1 {
			return fmt.Errorf("%s is normalised by its row sums: it stands alone or with a weight, not in a sum or product of kernels", a.spec.name)
		}
	}
	return nil
}
