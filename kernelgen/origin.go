package kernelgen

// CentredShift reports whether a shift of all rows changes the entries of the kernel but not its
// centred matrix: k(x−r, y−r) = k(x, y) + a(x) + a(y) for every r, and a is not 0. Rows far from
// the origin may then be brought near it, where rounding is small beside their differences.
//
// True for linear, for poly of degree 1, and for sums of these with functions of distances. A
// function of distances alone does not change at all, and is false.
func (k Kernel) CentredShift() bool {
	still, affine := shifts(k.terms)
	return affine && !still
}

// shifts reports whether a shift leaves all terms as they are, and whether it adds at most
// functions of one row to them.
func shifts(terms []term) (still, affine bool) {
	still, affine = true, true
	for _, t := range terms {
		fixed, added := t.shifts()
		still, affine = still && fixed, affine && added
	}
	return still, affine
}

// shifts is that of one product: only a product of one factor stays affine.
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
