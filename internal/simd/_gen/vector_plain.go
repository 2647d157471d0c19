package main

// Functions of a few operations, each rounded as written: every path gives the
// same bits.

func (v *vector) scale(x vec) { v.mul(v.a, x, x) }

func (v *vector) affine(x vec) {
	v.mul(v.a, x, x)
	v.add(x, v.b, x)
}

// relu adds zero at the end since the maximum of 0 and −0 is the latter.
func (v *vector) relu(x vec) {
	zero := v.vec()
	v.zero(zero)
	v.atLeast(zero, x, x)
	v.add(x, zero, x)
}

func (v *vector) clamp(x vec) {
	v.atLeast(v.a, x, x)
	v.atMost(v.b, x, x)
}

// onePlus is 1 + a·x.
func (v *vector) onePlus(x, dst vec) {
	v.mul(v.a, x, dst)
	v.addConst(dst, v.value(1), dst)
}

func (v *vector) rootOfOnePlus(x vec) {
	v.onePlus(x, x)
	v.sqrt(x, x)
}

// inverse sets dst = 1/x, another register.
func (l *lanes) inverse(x, dst vec) {
	l.set(l.value(1), dst)
	l.div(dst, x, dst)
}

func (v *vector) reciprocal(x vec) {
	t := v.vec()
	v.onePlus(x, t)
	v.inverse(t, x)
}

func (v *vector) inverseRoot(x vec) {
	t := v.vec()
	v.onePlus(x, t)
	v.sqrt(t, t)
	v.inverse(t, x)
}

// bracket is max(0, 1 − √x/a).
func (v *vector) bracket(x vec) {
	t := v.vec()
	v.sqrt(x, x)
	v.div(x, v.a, x)
	v.set(v.value(1), t)
	v.sub(t, x, x)
	v.atLeastConst(0, x, x)
}

func (v *vector) sum(x vec) { v.add(v.y, x, x) }

// times is y·x with 0·∞ = 0. A product is NaN without a NaN among its factors
// only then.
func (v *vector) times(x vec) {
	p, zero := v.vec(), v.vec()
	v.mul(v.y, x, p)
	v.zero(zero)
	v.replace(p, p, unordered, p, zero)
	v.add(v.y, x, zero)
	v.replace(p, v.y, unordered, x, zero)
	v.move(p, x)
}
