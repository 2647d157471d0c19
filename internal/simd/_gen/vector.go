package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// vector emits the functions over slices: one routine for each instruction set,
// which goes to the loop of the function it is asked for. A loop takes one
// register at a time; the processor overlaps the rounds, which depend on each
// other by nothing.
type vector struct {
	*lanes
	a, b vec // parameters, in every lane
	y    vec // what dst holds, for functions of two slices
}

// A function turns a register of src into a register of dst, in place.
type function struct {
	name  string // as in vector.go
	emit  func(v *vector, x vec)
	ofTwo bool // v.y is wanted
}

// functions are in the order of the constants in vector.go.
var functions = []function{
	{name: "Scale", emit: (*vector).scale},
	{name: "Affine", emit: (*vector).affine},
	{name: "Abs", emit: (*vector).abs},
	{name: "Squared", emit: (*vector).squared},
	{name: "Sqrt", emit: (*vector).root},
	{name: "Relu", emit: (*vector).relu},
	{name: "Clamp", emit: (*vector).clamp},
	{name: "Reciprocal", emit: (*vector).reciprocal},
	{name: "Root", emit: (*vector).rootOfOnePlus},
	{name: "InverseRoot", emit: (*vector).inverseRoot},
	{name: "Bracket", emit: (*vector).bracket},
	{name: "ScaledExp", emit: (*vector).scaledExp},
	{name: "Log1p", emit: (*vector).log1p},
	{name: "Expm1", emit: (*vector).expm1},
	{name: "Logistic", emit: (*vector).logistic},
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
	l.Function("functions" + l.suffix() + l.isa.String())
	l.Attributes(nosplit)
	l.SignatureExpr("func(f uint64, dst, src *float64, registers int, p *[2]float64)")
	l.Pragma("noescape")
	l.Doc("applies f to whole registers; see vector.go in _gen.")
	l.used = 0
	f := l.Load(l.Param("f"), l.GP64())
	dst := l.Load(l.Param("dst"), l.GP64()).(reg.GPVirtual)
	src := l.Load(l.Param("src"), l.GP64()).(reg.GPVirtual)
	left := l.Load(l.Param("registers"), l.GP64())
	p := l.Load(l.Param("p"), l.GP64()).(reg.GPVirtual)
	v := &vector{lanes: l, a: l.vec(), b: l.vec()}
	l.broadcast(operand.Mem{Base: p}, v.a)
	l.broadcast(operand.Mem{Base: p, Disp: l.size()}, v.b)
	done := l.label("done")
	for i, fn := range functions {
		other, loop := l.label("not"+fn.name), l.label("loop"+fn.name)
		l.CMPQ(f, operand.U8(i))
		l.JNE(operand.LabelRef(other))
		l.Label(loop)
		l.scope(func() { v.round(fn, operand.Mem{Base: dst}, operand.Mem{Base: src}) })
		l.ADDQ(operand.U8(l.width()), src)
		l.ADDQ(operand.U8(l.width()), dst)
		l.DECQ(left)
		l.JNE(operand.LabelRef(loop))
		l.JMP(operand.LabelRef(done))
		l.Label(other)
	}
	l.Label(done)
	l.VZEROUPPER()
	l.RET()
}

func (v *vector) round(fn function, dst, src operand.Mem) {
	x := v.vec()
	v.move(src, x)
	if fn.ofTwo {
		v.y = v.vec()
		v.move(dst, v.y)
	}
	fn.emit(v, x)
	v.move(x, dst)
}

// emitLargest emits the scan for the largest magnitude. NaN is noted apart,
// since the comparison would lose it: m − m is NaN or zero for m = min(|x|, the
// largest number).
func emitLargest(l *lanes) {
	l.Function("largest" + l.suffix() + l.isa.String())
	l.Attributes(nosplit)
	l.SignatureExpr("func(x *float64, registers int, lanes *[8]float64)")
	l.Pragma("noescape")
	l.Doc("sets lanes to the largest |x| of each lane, NaN if one of them is.")
	l.used = 0
	x := l.Load(l.Param("x"), l.GP64()).(reg.GPVirtual)
	left := l.Load(l.Param("registers"), l.GP64())
	lanes := l.Load(l.Param("lanes"), l.GP64()).(reg.GPVirtual)
	most, spoiled := l.vec(), l.vec()
	magnitude, greatest := l.vec(), l.vec()
	v, t := l.vec(), l.vec()
	l.zero(most)
	l.zero(spoiled)
	l.set(l.withoutSign(), magnitude)
	l.set(l.value(math.MaxFloat64), greatest)
	loop := l.label("loop")
	l.Label(loop)
	l.move(operand.Mem{Base: x}, v)
	l.and(v, magnitude, v)
	l.atMost(greatest, v, t)
	l.sub(t, t, t)
	l.atLeast(most, v, most)
	l.or(spoiled, t, spoiled)
	l.ADDQ(operand.U8(l.width()), x)
	l.DECQ(left)
	l.JNE(operand.LabelRef(loop))
	l.add(most, spoiled, most)
	l.move(most, operand.Mem{Base: lanes})
	l.VZEROUPPER()
	l.RET()
}
