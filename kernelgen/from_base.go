package kernelgen

import "fmt"

// OneBase returns the base of a kernel that looks at its two rows through one base
// alone, as every built-in kernel does, and sums and products of kernels with the
// same base. Whoever knows the base by another way than [Kernel.Fill], from rows
// that are sparse for instance, gets the kernel from it by [Kernel.FromBase].
func (k Kernel) OneBase() (Base, bool) {
	bases := k.bases()
	only, n := Base(0), 0
	for b := range numBases {
		if bases[b] {
			only = b
			n++
		}
	}
	return only, n == 1
}

// FromBase replaces values of the kernel's one base by those of the kernel, with
// the bits that [Kernel.Fill] gives. w is scratch; nil allocates it anew. It
// panics if the kernel is not resolved, has more than one base, or is normalised by
// its row sums.
func (k Kernel) FromBase(v []float64, w *Workspace) {
	k.checkReady()
	k.mustBePlain()
	base, ok := k.OneBase()
	if !ok {
		panic(fmt.Sprintf("kernelgen: %v has more than one base", k))
	}
	if a := k.fused(); a != nil {
		a.profile.fused.Apply(v)
		return
	}
	if w == nil {
		w = new(Workspace)
	}
	for first := 0; first < len(v); first += blockSize {
		part := v[first:min(first+blockSize, len(v))]
		var b bound
		b[base] = w.base(base, len(part))
		copy(b[base], part)
		evalTerms(part, k.terms, &b, w)
	}
}
