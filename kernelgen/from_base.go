package kernelgen

import "fmt"

// OneBase returns the base of a kernel that uses a single base. Every built-in kernel does, and so do sums and products
// of kernels with the same base. Callers that compute the base in another way than [Kernel.Fill], such as from sparse
// rows, evaluate the kernel by [Kernel.FromBase].
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

// FromBase replaces values of the kernel's single base by values of the kernel, with the same bits as [Kernel.Fill]. w
// is scratch memory; nil allocates it. It panics if the kernel is unresolved, has several bases, or is normalised by
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
		var b baseValues
		b[base] = w.base(base, len(part))
		copy(b[base], part)
		evalTerms(part, k.terms, &b, w)
	}
}
