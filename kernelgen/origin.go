package kernelgen

// CenteredShift reports whether translating all rows changes the entries of the kernel but not its centred matrix:
// k(x−r, y−r) = k(x, y) + a(x) + a(y) for every r, with a not 0. Rows far from the origin may then be shifted to it,
// which avoids cancellation.
//
// It is true for linear, for poly of degree 1, and for sums of these with functions of distances. It is
// false for a function of distances alone, whose entries do not change.
func (k Kernel) CenteredShift() bool {
	still, affine := shifts(k.terms)
	return affine && !still
}

// shifts reports whether a translation leaves a sum of terms unchanged (still), and whether it only adds
// functions of one row (affine).
func shifts(terms []term) (still, affine bool) {
	still, affine = true, true
	for _, t := range terms {
		fixed, added := t.shifts()
		still, affine = still && fixed, affine && added
	}
	return still, affine
}

// shifts is the same for a product. A product that changes is affine only if it has one factor.
func (t term) shifts() (still, affine bool) {
	still = true
	for _, f := range t.factors {
		fixed := false
		if f.atom == nil {
			fixed, affine = shifts(f.sum)
		} else {
			fixed, affine = f.atom.shifts()
		}
		still = still && fixed
	}
	return still, still || affine && len(t.factors) == 1
}

func (a *atom) shifts() (still, affine bool) {
	still = a.spec.base.spec().ofDifferences
	return still, still || a.spec.affine != nil && a.spec.affine(a.args)
}
