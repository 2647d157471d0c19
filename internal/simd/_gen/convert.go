package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Conversions between float64 and float32, of whole vectors of float64:
//
//	narrow: dst[i] = float32(src[i] − minus[i])
//	widen:  dst[i] = scale·float64(src[i])

// Fields of a conversion, eight bytes each, as in convert.go.
const (
	convertDst     = 8 * iota // address
	convertSrc                // address
	convertMinus              // address
	convertVectors            // number of vectors of float64, at least 1
	convertScale              // as bits
)

// emitConvert emits both; l is of float64.
func emitConvert(l *lanes) {
	l.convert("narrow", func(dst, src, minus operand.Mem, _ vec) {
		x, y := l.vec(), l.half()
		l.move(src, x)
		l.sub(x, minus, x)
		l.narrow(x, y)
		l.VMOVUPS(y, dst)
	}, 4, 8)
	l.convert("widen", func(dst, src, _ operand.Mem, scale vec) {
		x := l.vec()
		l.VCVTPS2PD(src, x)
		l.mul(x, scale, x)
		l.move(x, dst)
	}, 8, 4)
}

// convert emits a loop over vectors; dstSize and srcSize are those of elements.
func (l *lanes) convert(name string, body func(dst, src, minus operand.Mem, scale vec), dstSize, srcSize int) {
	l.used = 0
	l.Function(name + l.isa.String())
	l.Attributes(nosplit)
	l.SignatureExpr("func(j *uint64)")
	l.Pragma("noescape")
	l.Doc(name + "s a slice; see convert.go in _gen.")
	job := l.Load(l.Param("j"), l.GP64()).(reg.GPVirtual)
	get := func(field int) reg.GPVirtual {
		r := l.GP64()
		l.MOVQ(operand.Mem{Base: job, Disp: field}, r)
		return r
	}
	dst, src, minus, n := get(convertDst), get(convertSrc), get(convertMinus), get(convertVectors)
	scale := l.vec()
	l.broadcast(operand.Mem{Base: job, Disp: convertScale}, scale)
	next := l.label("vector")
	l.Label(next)
	l.scope(func() { body(operand.Mem{Base: dst}, operand.Mem{Base: src}, operand.Mem{Base: minus}, scale) })
	lanesOf := l.width() / 8
	l.ADDQ(operand.U8(lanesOf*dstSize), dst)
	l.ADDQ(operand.U8(lanesOf*srcSize), src)
	l.ADDQ(operand.U8(lanesOf*8), minus)
	l.DECQ(n)
	l.JNE(operand.LabelRef(next))
	l.VZEROUPPER()
	l.RET()
}

// half is the lower half of a register that nobody uses.
func (l *lanes) half() reg.VecPhysical {
	if l.isa == avx512 {
		return reg.Y15
	}
	return reg.X15
}

// narrow rounds a vector of float64 to half a vector of float32.
func (l *lanes) narrow(x, half reg.VecPhysical) {
	if l.isa == avx512 {
		l.VCVTPD2PS(x, half)
		return
	}
	l.VCVTPD2PSY(x, half)
}
