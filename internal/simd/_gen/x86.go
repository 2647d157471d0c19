package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// x86 emits AVX2 with FMA, or AVX-512, through avo, which allocates the scalar registers.
type x86 struct {
	*build.Context
	*pool
	isa isa
	gps []reg.GPVirtual
}

func newX86(i isa, p *pool) *x86 {
	p.most = [...]int{avx2: 16, avx512: 32}[i]
	x := &x86{Context: build.NewContext(), pool: p, isa: i}
	x.ConstraintExpr("!noasm")
	return x
}

func (x *x86) function(name, signature, doc string) {
	x.Function(name)
	x.Attributes(attr.NOSPLIT)
	x.SignatureExpr(signature)
	x.Pragma("noescape")
	x.Doc(doc)
}

func (x *x86) parameter(name string) gp {
	return x.keep(x.Load(x.Param(name), x.GP64()).(reg.GPVirtual))
}

func (x *x86) leave() {
	x.VZEROUPPER()
	x.RET()
}

func (x *x86) data(name string, words []uint64) {
	x.StaticGlobal(name)
	x.DataAttributes(attr.RODATA | attr.NOPTR)
	for i, w := range words {
		x.AddDatum(8*i, operand.U64(w))
	}
}

// Operands.

func (x *x86) op(a arg) operand.Op {
	switch a := a.(type) {
	case vec:
		return x.vector(a)
	case gp:
		return x.gps[a]
	case mem:
		return x.memory(a)
	}
	return operand.U8(a.(int))
}

func (x *x86) ops(args []arg) []operand.Op {
	out := make([]operand.Op, len(args))
	for i, a := range args {
		out[i] = x.op(a)
	}
	return out
}

func (x *x86) vector(v vec) reg.VecPhysical { return [...][]reg.VecPhysical{ymm, zmm}[x.isa][v] }

func (x *x86) memory(m mem) operand.Mem {
	if m.symbol != "" {
		return operand.NewDataAddr(operand.NewStaticSymbol(m.symbol), 0).Offset(m.disp)
	}
	out := operand.Mem{Base: x.gps[m.base], Disp: m.disp}
	if m.scale > 0 {
		out.Index, out.Scale = x.gps[m.index], uint8(m.scale)
	}
	return out
}

func (x *x86) keep(r reg.GPVirtual) gp {
	x.gps = append(x.gps, r)
	return gp(len(x.gps) - 1)
}

// Scalars.

func (x *x86) scalar() gp          { return x.keep(x.GP64()) }
func (x *x86) load(m mem, r gp)    { x.MOVQ(x.op(m), x.op(r)) }
func (x *x86) clear(r gp)          { x.XORQ(x.op(r), x.op(r)) }
func (x *x86) addTo(a, dst arg)    { x.ADDQ(x.op(a), x.op(dst)) }
func (x *x86) times(n int, r gp)   { x.IMUL3Q(operand.U8(n), x.op(r), x.op(r)) }
func (x *x86) address(m mem, r gp) { x.LEAQ(x.op(m), x.op(r)) }
func (x *x86) mark(label string)   { x.Label(label) }

func (x *x86) jump(when condition, label string) {
	[...]func(operand.Op){x.JMP, x.JE, x.JNE, x.JB, x.JA}[when](operand.LabelRef(label))
}

func (x *x86) compare(a arg, n int) { x.CMPQ(x.op(a), operand.U8(n)) }
func (x *x86) compareZero(r gp)     { x.TESTQ(x.op(r), x.op(r)) }

func (x *x86) countDown(counter arg, again string) {
	x.DECQ(x.op(counter))
	x.JNE(operand.LabelRef(again))
}

func (x *x86) shiftOut(r gp, ifZero string) {
	x.SHLQ(operand.U8(1), x.op(r))
	x.JCC(operand.LabelRef(ifZero))
}

// Vectors. An emit is an instruction with any number of operands, as in avo.

type emit func(ops ...operand.Op)

func (x *x86) do(f emit, args ...arg) { f(x.ops(args)...) }

func (x *x86) move(src, dst arg) { x.do(x.VMOVUPD, src, dst) }

func (x *x86) loadRun(m mem, dst []vec) {
	width := [...]int{32, 64}[x.isa]
	for i, v := range dst {
		x.move(m.plus(i*width), v)
	}
}

func (x *x86) broadcast(m mem, dst vec) { x.do(x.VBROADCASTSD, m, dst) }

func (x *x86) zero(dst vec) {
	if x.isa == avx512 {
		x.do(x.VPXORQ, dst, dst, dst)
		return
	}
	x.do(x.VXORPD, dst, dst, dst)
}

func (x *x86) add(a vec, b arg, dst vec)  { x.do(x.VADDPD, b, a, dst) }
func (x *x86) sub(a vec, b arg, dst vec)  { x.do(x.VSUBPD, b, a, dst) }
func (x *x86) mul(a vec, b arg, dst vec)  { x.do(x.VMULPD, b, a, dst) }
func (x *x86) div(a vec, b arg, dst vec)  { x.do(x.VDIVPD, b, a, dst) }
func (x *x86) sqrt(a arg, dst vec)        { x.do(x.VSQRTPD, a, dst) }
func (x *x86) fma(a vec, b arg, acc vec)  { x.do(x.VFMADD231PD, b, a, acc) }
func (x *x86) fnma(a vec, b arg, acc vec) { x.do(x.VFNMADD231PD, b, a, acc) }

func (x *x86) factor(m mem, dst vec)             { x.broadcast(m, dst) }
func (x *x86) fmaFactor(factor, b, acc vec)      { x.fma(factor, b, acc) }
func (x *x86) multiplyAdd(p, f, c vec)           { x.do(x.VFMADD213PD, c, f, p) }
func (x *x86) productMinus(a, b, acc vec)        { x.do(x.VFMSUB231PD, b, a, acc) }
func (x *x86) atLeast(limit vec, v arg, dst vec) { x.do(x.VMAXPD, v, limit, dst) }
func (x *x86) atMost(limit vec, v arg, dst vec)  { x.do(x.VMINPD, v, limit, dst) }
func (x *x86) and(a vec, b arg, dst vec)         { x.do(x.VANDPD, b, a, dst) }
func (x *x86) or(a vec, b arg, dst vec)          { x.do(x.VORPD, b, a, dst) }

// withConst emits an instruction whose first operand is a constant in memory, in the form of the
// instruction set: plain, or with a broadcast.
func (x *x86) withConst(c mem, plain, broadcast emit, rest ...arg) {
	if x.isa == avx512 {
		plain = broadcast
	}
	x.do(plain, append([]arg{c}, rest...)...)
}

func (x *x86) fmaConst(a vec, c mem, acc vec) {
	x.withConst(c, x.VFMADD231PD, x.VFMADD231PD_BCST, a, acc)
}

func (x *x86) fnmaConst(a vec, c mem, acc vec) {
	x.withConst(c, x.VFNMADD231PD, x.VFNMADD231PD_BCST, a, acc)
}

func (x *x86) subConst(a vec, c mem, dst vec) {
	x.withConst(c, x.VSUBPD, x.VSUBPD_BCST, a, dst)
}

func (x *x86) addConst(a vec, c mem, dst vec) {
	x.withConst(c, x.VADDPD, x.VADDPD_BCST, a, dst)
}

func (x *x86) mulConst(a vec, c mem, dst vec) {
	x.withConst(c, x.VMULPD, x.VMULPD_BCST, a, dst)
}

func (x *x86) horner(p, f vec, c mem) {
	x.withConst(c, x.VFMADD213PD, x.VFMADD213PD_BCST, f, p)
}

func (x *x86) andConst(a vec, c mem, dst vec) { x.withConst(c, x.VANDPD, x.VANDPD_BCST, a, dst) }
func (x *x86) orConst(a vec, c mem, dst vec)  { x.withConst(c, x.VORPD, x.VORPD_BCST, a, dst) }
func (x *x86) addBits(a vec, c mem, dst vec)  { x.withConst(c, x.VPADDQ, x.VPADDQ_BCST, a, dst) }

func (x *x86) shiftLeft(n int, a, dst vec)  { x.do(x.VPSLLQ, n, a, dst) }
func (x *x86) shiftRight(n int, a, dst vec) { x.do(x.VPSRLQ, n, a, dst) }

func (x *x86) replace(dst, a vec, so comparison, b, by vec) {
	code := [...]int{equal: 0x00, unordered: 0x03, below: 0x11}[so]
	if x.isa == avx512 {
		k := x.K()
		x.VCMPPD(x.op(code), x.op(b), x.op(a), k)
		x.VMOVAPD(x.op(by), k, x.op(dst))
		return
	}
	x.scope(func() {
		mask := x.vec()
		x.do(x.VCMPPD, code, b, a, mask)
		x.VBLENDVPD(x.op(mask), x.op(by), x.op(dst), x.op(dst))
	})
}

// opmask loads a mask register from m.
func (x *x86) opmask(m mem) reg.OpmaskVirtual {
	bits, k := x.GP32(), x.K()
	x.MOVL(x.op(m), bits)
	x.KMOVW(bits, k)
	return k
}

// Some lanes of AVX-512, by bits; of AVX2, by lanes.
func (x *x86) loadMasked(m mem, k reg.OpmaskVirtual, dst vec) {
	x.VMOVUPD_Z(x.op(m), k, x.op(dst))
}

func (x *x86) storeMasked(src vec, k reg.OpmaskVirtual, m mem) {
	x.VMOVUPD(x.op(src), k, x.op(m))
}

func (x *x86) loadByLanes(m mem, mask, dst vec)  { x.VMASKMOVPD(x.op(m), x.op(mask), x.op(dst)) }
func (x *x86) storeByLanes(src, mask vec, m mem) { x.VMASKMOVPD(x.op(src), x.op(mask), x.op(m)) }

// subElement sets dst = a − the element at m, which AVX-512 broadcasts within the subtraction.
func (x *x86) subElement(a vec, m mem, dst vec) {
	x.do(x.VSUBPD_BCST, m, a, dst)
}

// choose sets dst to entries of a table of eight, selected by the low bits of n.
func (x *x86) choose(table mem, n, dst vec) { x.do(x.VPERMPD, table, n, dst) }

// scale sets dst = p·2^⌊n⌋.
func (x *x86) scale(p, n, dst vec) { x.do(x.VSCALEFPD, n, p, dst) }

// multiplyByHalves sets dst = p·2^n for n plus the rounder.
func (x *x86) multiplyByHalves(p, n, dst vec, one mem) {
	e, half := x.vec(), x.vec()
	const shift = 20
	x.shiftLeft(32, n, e) // the integer moves to the high half of the lane
	x.do(x.VPSRAD, 1, e, half)
	x.do(x.VPSLLD, shift, half, half)
	x.do(x.VPSLLD, shift, e, e)
	x.do(x.VPSUBD, half, e, e)
	for _, power := range []vec{half, e} { // multiplies, so that NaN stays NaN
		x.do(x.VPADDD, one, power, power)
		x.mul(p, power, p)
	}
	x.move(p, dst)
}

var ymm = []reg.VecPhysical{
	reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7,
	reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15,
}

var zmm = []reg.VecPhysical{
	reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7,
	reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
	reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23,
	reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31,
}
