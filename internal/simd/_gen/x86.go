package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// x86 is AVX2 with FMA, or AVX-512, by the assembler library avo, which finds
// registers for the scalars.
type x86 struct {
	*build.Context
	*pool
	isa    isa
	single bool
	gps    []reg.GPVirtual
}

func newX86(i isa, single bool, p *pool) *x86 {
	p.most = [...]int{avx2: 16, avx512: 32}[i]
	x := &x86{Context: build.NewContext(), pool: p, isa: i, single: single}
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

// Vectors. An emit is an instruction of any number of operands, as avo has them.

type emit func(ops ...operand.Op)

// pick chooses the instruction for the element type.
func (x *x86) pick(double, single emit) func(args ...arg) {
	f := double
	if x.single {
		f = single
	}
	return func(args ...arg) { f(x.ops(args)...) }
}

// pick3 is pick for instructions of three operands.
func (x *x86) pick3(double, single func(a, b, c operand.Op)) func(args ...arg) {
	return x.pick(three(double), three(single))
}

func three(f func(a, b, c operand.Op)) emit {
	return func(ops ...operand.Op) { f(ops[0], ops[1], ops[2]) }
}

func (x *x86) do(f emit, args ...arg) { f(x.ops(args)...) }

func (x *x86) move(src, dst arg) { x.pick(x.VMOVUPD, x.VMOVUPS)(src, dst) }

func (x *x86) loadRun(m mem, dst []vec) {
	width := [...]int{32, 64}[x.isa]
	for i, v := range dst {
		x.move(m.plus(i*width), v)
	}
}

func (x *x86) broadcast(m mem, dst vec) { x.pick(x.VBROADCASTSD, x.VBROADCASTSS)(m, dst) }

func (x *x86) zero(dst vec) {
	if x.isa == avx512 {
		x.do(x.VPXORQ, dst, dst, dst)
		return
	}
	x.do(x.VXORPD, dst, dst, dst)
}

func (x *x86) add(a vec, b arg, dst vec)  { x.pick(x.VADDPD, x.VADDPS)(b, a, dst) }
func (x *x86) sub(a vec, b arg, dst vec)  { x.pick(x.VSUBPD, x.VSUBPS)(b, a, dst) }
func (x *x86) mul(a vec, b arg, dst vec)  { x.pick(x.VMULPD, x.VMULPS)(b, a, dst) }
func (x *x86) div(a vec, b arg, dst vec)  { x.pick(x.VDIVPD, x.VDIVPS)(b, a, dst) }
func (x *x86) sqrt(a arg, dst vec)        { x.pick(x.VSQRTPD, x.VSQRTPS)(a, dst) }
func (x *x86) fma(a vec, b arg, acc vec)  { x.pick(x.VFMADD231PD, x.VFMADD231PS)(b, a, acc) }
func (x *x86) fnma(a vec, b arg, acc vec) { x.pick(x.VFNMADD231PD, x.VFNMADD231PS)(b, a, acc) }

func (x *x86) factor(m mem, dst vec)             { x.broadcast(m, dst) }
func (x *x86) fmaFactor(factor, b, acc vec)      { x.fma(factor, b, acc) }
func (x *x86) multiplyAdd(p, f, c vec)           { x.pick(x.VFMADD213PD, x.VFMADD213PS)(c, f, p) }
func (x *x86) productMinus(a, b, acc vec)        { x.do(x.VFMSUB231PD, b, a, acc) }
func (x *x86) atLeast(limit vec, v arg, dst vec) { x.pick(x.VMAXPD, x.VMAXPS)(v, limit, dst) }
func (x *x86) atMost(limit vec, v arg, dst vec)  { x.pick(x.VMINPD, x.VMINPS)(v, limit, dst) }
func (x *x86) and(a vec, b arg, dst vec)         { x.pick(x.VANDPD, x.VANDPS)(b, a, dst) }
func (x *x86) or(a vec, b arg, dst vec)          { x.pick(x.VORPD, x.VORPS)(b, a, dst) }

// withConst emits an instruction whose first operand is a constant in memory,
// by the form of the instruction set: plain, or with a broadcast.
func (x *x86) withConst(c mem, plain, broadcast emit, rest ...arg) {
	if x.isa == avx512 {
		plain = broadcast
	}
	x.do(plain, append([]arg{c}, rest...)...)
}

// pickConst is withConst by the type of element.
func (x *x86) pickConst(c mem, double, doubleBcst, single, singleBcst emit, rest ...arg) {
	if x.single {
		double, doubleBcst = single, singleBcst
	}
	x.withConst(c, double, doubleBcst, rest...)
}

func (x *x86) fmaConst(a vec, c mem, acc vec) {
	x.pickConst(c, x.VFMADD231PD, x.VFMADD231PD_BCST, x.VFMADD231PS, x.VFMADD231PS_BCST, a, acc)
}

func (x *x86) fnmaConst(a vec, c mem, acc vec) {
	x.pickConst(c, x.VFNMADD231PD, x.VFNMADD231PD_BCST, x.VFNMADD231PS, x.VFNMADD231PS_BCST, a, acc)
}

func (x *x86) subConst(a vec, c mem, dst vec) {
	x.pickConst(c, x.VSUBPD, x.VSUBPD_BCST, x.VSUBPS, x.VSUBPS_BCST, a, dst)
}

func (x *x86) addConst(a vec, c mem, dst vec) {
	x.pickConst(c, x.VADDPD, x.VADDPD_BCST, x.VADDPS, x.VADDPS_BCST, a, dst)
}

func (x *x86) mulConst(a vec, c mem, dst vec) {
	x.pickConst(c, x.VMULPD, x.VMULPD_BCST, x.VMULPS, x.VMULPS_BCST, a, dst)
}

func (x *x86) horner(p, f vec, c mem) {
	x.pickConst(c, x.VFMADD213PD, x.VFMADD213PD_BCST, x.VFMADD213PS, x.VFMADD213PS_BCST, f, p)
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

func (x *x86) replaceNegative(dst, a, by vec) {
	if x.isa == avx512 {
		k := x.K()
		x.VPMOVQ2M(x.op(a), k)
		x.VMOVAPD(x.op(by), k, x.op(dst))
		return
	}
	x.VBLENDVPD(x.op(a), x.op(by), x.op(dst), x.op(dst))
}

// The upper half of the last register of AVX2 is spoiled.
func (x *x86) storeNarrow(v vec, dst mem) {
	if x.isa == avx512 {
		x.VCVTPD2PS(x.op(v), reg.Y15)
		x.VMOVUPS(reg.Y15, x.op(dst))
		return
	}
	x.VCVTPD2PSY(x.op(v), reg.X15)
	x.VMOVUPS(reg.X15, x.op(dst))
}

func (x *x86) loadWiden(src mem, dst vec) { x.do(x.VCVTPS2PD, src, dst) }

// opmask is a mask register with the bits at m.
func (x *x86) opmask(m mem) reg.OpmaskVirtual {
	bits, k := x.GP32(), x.K()
	x.MOVL(x.op(m), bits)
	x.KMOVW(bits, k)
	return k
}

// Some lanes of AVX-512, by bits; of AVX2, by lanes.
func (x *x86) loadMasked(m mem, k reg.OpmaskVirtual, dst vec) {
	f := x.VMOVUPD_Z
	if x.single {
		f = x.VMOVUPS_Z
	}
	f(x.op(m), k, x.op(dst))
}

func (x *x86) storeMasked(src vec, k reg.OpmaskVirtual, m mem) {
	f := x.VMOVUPD
	if x.single {
		f = x.VMOVUPS
	}
	f(x.op(src), k, x.op(m))
}

func (x *x86) loadByLanes(m mem, mask, dst vec)  { x.pick3(x.VMASKMOVPD, x.VMASKMOVPS)(m, mask, dst) }
func (x *x86) storeByLanes(src, mask vec, m mem) { x.pick3(x.VMASKMOVPD, x.VMASKMOVPS)(src, mask, m) }

// subElement is dst = a − the element at m, which AVX-512 broadcasts within the
// subtraction.
func (x *x86) subElement(a vec, m mem, dst vec) {
	x.pick(x.VSUBPD_BCST, x.VSUBPS_BCST)(m, a, dst)
}

// choose sets dst to the entries of a table of eight by the low bits of n.
func (x *x86) choose(table mem, n, dst vec) { x.do(x.VPERMPD, table, n, dst) }

// scale sets dst = p·2^n for whole n, rounded down.
func (x *x86) scale(p, n, dst vec) { x.pick(x.VSCALEFPD, x.VSCALEFPS)(n, p, dst) }

// multiplyByHalves sets dst = p·2^n for n plus the rounder.
func (x *x86) multiplyByHalves(p, n, dst vec, rounder, one mem) {
	e, half := x.vec(), x.vec()
	shift := 23
	if x.single {
		x.subInt(n, rounder, e)
	} else { // the integer into the high half of the lane
		x.shiftLeft(32, n, e)
		shift = 20
	}
	x.do(x.VPSRAD, 1, e, half)
	x.do(x.VPSLLD, shift, half, half)
	x.do(x.VPSLLD, shift, e, e)
	x.subInt(e, half, e)
	for _, power := range []vec{half, e} { // products, so that NaN stays NaN
		x.do(x.VPADDD, one, power, power)
		x.mul(p, power, p)
	}
	x.move(p, dst)
}

// subInt is dst = a − b in integers of 32 bits.
func (x *x86) subInt(a vec, b arg, dst vec) { x.do(x.VPSUBD, b, a, dst) }

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
