package main

// A machine emits instructions of one architecture. Results come last, as in Go's assembly;
// operands are in the order of the formula in the comment.
type machine interface {
	// function begins a function with the given signature, leave returns from it, and data emits a
	// table of 64-bit words.
	function(name, signature, doc string)
	parameter(name string) gp
	leave()
	data(name string, words []uint64)

	// Scalars. Addends and counters may be in memory. compare is followed by jumps; those on less
	// and greater are unsigned.
	scalar() gp
	load(m mem, r gp)
	clear(r gp)
	addTo(a, dst arg)
	times(n int, r gp)
	address(m mem, r gp)
	mark(label string)
	jump(when condition, label string)
	compare(a arg, n int)
	compareZero(r gp)
	countDown(counter arg, again string)
	shiftOut(r gp, ifZero string) // the highest bit

	// Memory and registers. loadRun fills consecutive registers from contiguous memory.
	move(src, dst arg)
	loadRun(m mem, dst []vec)
	broadcast(m mem, dst vec) // the element in every lane
	zero(dst vec)

	// dst = a + b, a − b, a·b, a/b, √a; acc += a·b and acc −= a·b, rounded
	// once; b may be in memory.
	add(a vec, b arg, dst vec)
	sub(a vec, b arg, dst vec)
	mul(a vec, b arg, dst vec)
	div(a vec, b arg, dst vec)
	sqrt(a arg, dst vec)
	fma(a vec, b arg, acc vec)
	fnma(a vec, b arg, acc vec)

	// factor loads an element so that fmaFactor can do acc += factor·b.
	factor(m mem, dst vec)
	fmaFactor(factor, b, acc vec)

	// p = p·x + c, and acc = a·b − acc.
	multiplyAdd(p, x, c vec)
	productMinus(a, b, acc vec)

	// dst = the larger, or the smaller, of limit and x; NaN if x is NaN.
	atLeast(limit vec, x arg, dst vec)
	atMost(limit vec, x arg, dst vec)

	// dst = a AND b, a OR b, bitwise.
	and(a vec, b arg, dst vec)
	or(a vec, b arg, dst vec)

	// The same with a constant stored at c; horner is p = p·x + c and addBits adds 64-bit integers.
	fmaConst(a vec, c mem, acc vec)
	fnmaConst(a vec, c mem, acc vec)
	addConst(a vec, c mem, dst vec)
	subConst(a vec, c mem, dst vec)
	mulConst(a vec, c mem, dst vec)
	andConst(a vec, c mem, dst vec)
	orConst(a vec, c mem, dst vec)
	addBits(a vec, c mem, dst vec)
	horner(p, x vec, c mem)

	// 64-bit lanes shifted by n bits, zeros shifted in.
	shiftLeft(n int, a, dst vec)
	shiftRight(n int, a, dst vec)

	// Lanes of float64 where a and b compare so.
	replace(dst, a vec, so comparison, b, by vec)
}

// A vec is a vector register, a gp a register for integers and addresses.
type (
	vec int
	gp  int
)

// An arg is a vec, a gp, a mem or an int.
type arg any

// A mem is an address base + index·scale + disp, without an index if the scale is zero, or an
// offset in a table.
type mem struct {
	base, index gp
	scale, disp int
	symbol      string
	then        bool // NEON: post-increment the base by the index
}

func (m mem) plus(disp int) mem {
	m.disp += disp
	return m
}

// A condition of a jump after an unsigned comparison.
type condition int

const (
	always condition = iota
	ifEqual
	ifNotEqual
	ifBelow
	ifAbove
)

// A comparison of lanes. If one side is NaN it is false, except for unordered.
type comparison int

const (
	equal comparison = iota
	unordered
	below
)

// A pool hands out registers in order and reclaims them by scope, since the hot loops use nearly
// all of them.
type pool struct {
	used, most int // vector registers
	scalars    int // used only if avo does not allocate scalar registers
}

func (p *pool) vec() vec {
	if p.used == p.most {
		panic("out of vector registers")
	}
	p.used++
	return vec(p.used - 1)
}

// vecs returns n registers.
func (p *pool) vecs(n int) []vec {
	v := make([]vec, n)
	for i := range v {
		v[i] = p.vec()
	}
	return v
}

// scope runs f and then reclaims the registers it used.
func (p *pool) scope(f func()) {
	before := *p
	f()
	*p = before
}
