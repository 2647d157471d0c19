package main

import "math"

// vector emits the functions over slices: one routine per instruction set, which branches to the
// loop of the requested function. A round takes one register, or on NEON as many as make 64 bytes;
// rounds are independent, so the processor overlaps them.
type vector struct {
	*lanes
	a, b vec // parameters, in every lane
	y    vec // old values of dst, for functions of two slices
}

// A function emits the code that maps a register of src to a register of dst, in place.
type function struct {
	name  string // as in vector.go
	emit  func(v *vector, x vec)
	ofTwo bool // v.y is wanted

	// together emits all registers of a round at once, for functions that are faster that way.
	together func(v *vector, x []vec)
}

// functions are in the order of the constants in vector.go.
var functions = []function{
	{name: "Scale", emit: (*vector).scale},
	{name: "Affine", emit: (*vector).affine},
	{name: "Relu", emit: (*vector).relu},
	{name: "Clamp", emit: (*vector).clamp},
	{name: "Reciprocal", emit: (*vector).reciprocal},
	{name: "Root", emit: (*vector).rootOfOnePlus},
	{name: "InverseRoot", emit: (*vector).inverseRoot},
	{name: "Bracket", emit: (*vector).bracket},
	{name: "ScaledExp", together: (*vector).scaledExp},
	{name: "Log1p", emit: (*vector).log1p},
	{name: "Tanh", emit: (*vector).tanh},
	{name: "Pow", emit: (*vector).pow},
	{name: "add", emit: (*vector).sum, ofTwo: true},
	{name: "multiply", emit: (*vector).times, ofTwo: true},
}

func emitVectors(l *lanes) {
	emitFunctions(l)
	emitLargest(l)
}

func emitFunctions(l *lanes) {
	l.function("functionsF64", "func(f uint64, dst, src *float64, rounds int, p *[2]float64)",
		"applies f to whole registers; see vector.go in _gen.")
	f, dst, src := l.parameter("f"), l.parameter("dst"), l.parameter("src")
	left, p := l.parameter("rounds"), l.parameter("p")
	v := &vector{lanes: l, a: l.vec(), b: l.vec()}
	l.broadcast(mem{base: p}, v.a)
	l.broadcast(mem{base: p, disp: 8}, v.b)
	done := l.label("done")
	for i, fn := range functions {
		other, loop := l.label("not"+fn.name), l.label("loop"+fn.name)
		l.compare(f, i)
		l.jump(ifNotEqual, other)
		l.mark(loop)
		l.scope(func() { v.round(fn, mem{base: dst}, mem{base: src}) })
		l.addTo(l.width()*l.registersOfRound(), src)
		l.addTo(l.width()*l.registersOfRound(), dst)
		l.countDown(left, loop)
		l.jump(always, done)
		l.mark(other)
	}
	l.mark(done)
	l.leave()
}

// registersOfRound returns the number of registers of src in a round.
func (l *lanes) registersOfRound() int {
	if l.isa == neon {
		return 4
	}
	return 1
}

func (v *vector) round(fn function, dst, src mem) {
	if fn.together == nil {
		for i := range v.registersOfRound() {
			at := i * v.width()
			v.scope(func() { v.one(fn, dst.plus(at), src.plus(at)) })
		}
		return
	}
	x := v.vecs(v.registersOfRound())
	for i := range x {
		v.move(src.plus(i*v.width()), x[i])
	}
	fn.together(v, x)
	for i := range x {
		v.move(x[i], dst.plus(i*v.width()))
	}
}

// one emits a round on one register.
func (v *vector) one(fn function, dst, src mem) {
	x := v.vec()
	v.move(src, x)
	if fn.ofTwo {
		v.y = v.vec()
		v.move(dst, v.y)
	}
	fn.emit(v, x)
	v.move(x, dst)
}

// emitLargest emits the scan for the largest magnitude. NaN is recorded separately, since the
// comparison would lose it: m − m is NaN or zero for m = min(|x|, the largest number).
func emitLargest(l *lanes) {
	l.function("largestF64", "func(x *float64, registers int, lanes *[8]float64)",
		"sets lanes to the largest |x| of each lane, NaN if one of them is.")
	x, left, lanes := l.parameter("x"), l.parameter("registers"), l.parameter("lanes")
	most, spoiled := l.vec(), l.vec()
	magnitude, greatest := l.vec(), l.vec()
	v, t := l.vec(), l.vec()
	l.zero(most)
	l.zero(spoiled)
	l.set(withoutSign, magnitude)
	l.set(l.value(math.MaxFloat64), greatest)
	loop := l.label("loop")
	l.mark(loop)
	l.move(mem{base: x}, v)
	l.and(v, magnitude, v)
	l.atMost(greatest, v, t)
	l.sub(t, t, t)
	l.atLeast(most, v, most)
	l.or(spoiled, t, spoiled)
	l.addTo(l.width(), x)
	l.countDown(left, loop)
	l.add(most, spoiled, most)
	l.move(most, mem{base: lanes})
	l.leave()
}
