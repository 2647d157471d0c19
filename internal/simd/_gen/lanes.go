package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// An isa is an instruction set.
type isa int

const (
	avx2 isa = iota // with FMA
	avx512
)

func (i isa) String() string { return [...]string{"AVX2", "AVX512"}[i] }

// lanes emits vector instructions of one instruction set on one type of
// element, so that an algorithm is written once. Results come last, as in Go's
// assembly; operands are in the order of the formula in the comment.
type lanes struct {
	*build.Context
	isa    isa
	single bool // float32
	consts *constants
	tables map[string]bool
	labels int
	used   int // vector registers in use
}

// vec is a vector register. They are handed out in order and taken back by
// scope, since the hot loops use nearly all of them.
type vec = reg.VecPhysical

// vec is a register for the present scope.
func (l *lanes) vec() vec {
	all := [...][]vec{ymm, zmm}[l.isa]
	if l.used == len(all) {
		panic("out of vector registers")
	}
	l.used++
	return all[l.used-1]
}

// scope runs f and takes back the registers it used.
func (l *lanes) scope(f func()) {
	used := l.used
	f()
	l.used = used
}

// width is the size of a register in bytes.
func (l *lanes) width() int { return [...]int{32, 64}[l.isa] }

// size is the size of an element in bytes.
func (l *lanes) size() int {
	if l.single {
		return 4
	}
	return 8
}

// suffix names the element type in function names.
func (l *lanes) suffix() string {
	if l.single {
		return "F32"
	}
	return "F64"
}

// label is a new label that begins with the given word.
func (l *lanes) label(word string) string {
	l.labels++
	return fmt.Sprintf("%s%d", word, l.labels)
}

// emit is an instruction of any number of operands, as avo has them.
type emit func(ops ...operand.Op)

// pick chooses the instruction for the element type.
func (l *lanes) pick(double, single emit) emit {
	if l.single {
		return single
	}
	return double
}

// dst = src, a register or memory.
func (l *lanes) move(src, dst operand.Op) { l.pick(l.VMOVUPD, l.VMOVUPS)(src, dst) }

// dst = the element at src, in every lane.
func (l *lanes) broadcast(src operand.Mem, dst vec) { l.pick(l.VBROADCASTSD, l.VBROADCASTSS)(src, dst) }

func (l *lanes) zero(dst vec) {
	if l.isa == avx512 {
		l.VPXORQ(dst, dst, dst)
		return
	}
	l.VXORPD(dst, dst, dst)
}

// dst = a + b, a − b, a·b, a/b; b may be memory.
func (l *lanes) add(a vec, b operand.Op, dst vec) { l.pick(l.VADDPD, l.VADDPS)(b, a, dst) }
func (l *lanes) sub(a vec, b operand.Op, dst vec) { l.pick(l.VSUBPD, l.VSUBPS)(b, a, dst) }
func (l *lanes) mul(a vec, b operand.Op, dst vec) { l.pick(l.VMULPD, l.VMULPS)(b, a, dst) }
func (l *lanes) div(a vec, b operand.Op, dst vec) { l.pick(l.VDIVPD, l.VDIVPS)(b, a, dst) }

// dst = √a.
func (l *lanes) sqrt(a operand.Op, dst vec) { l.pick(l.VSQRTPD, l.VSQRTPS)(a, dst) }

// acc += a·b and acc −= a·b, rounded once.
func (l *lanes) fma(a vec, b operand.Op, acc vec)  { l.pick(l.VFMADD231PD, l.VFMADD231PS)(b, a, acc) }
func (l *lanes) fnma(a vec, b operand.Op, acc vec) { l.pick(l.VFNMADD231PD, l.VFNMADD231PS)(b, a, acc) }

// dst = the larger, or the smaller, of limit and x; NaN if x is NaN.
func (l *lanes) atLeast(limit vec, x operand.Op, dst vec) { l.pick(l.VMAXPD, l.VMAXPS)(x, limit, dst) }
func (l *lanes) atMost(limit vec, x operand.Op, dst vec)  { l.pick(l.VMINPD, l.VMINPS)(x, limit, dst) }

// dst = a AND b, a OR b, by bits.
func (l *lanes) and(a vec, b operand.Op, dst vec) { l.pick(l.VANDPD, l.VANDPS)(b, a, dst) }
func (l *lanes) or(a vec, b operand.Op, dst vec)  { l.pick(l.VORPD, l.VORPS)(b, a, dst) }

// p = p·x + c for a constant c.
func (l *lanes) horner(p, x vec, c constant) {
	l.withConst(c, l.pick(l.VFMADD213PD, l.VFMADD213PS), l.pick(l.VFMADD213PD_BCST, l.VFMADD213PS_BCST), x, p)
}

// dst = c in every lane.
func (l *lanes) set(c constant, dst vec) { l.broadcast(l.at(c), dst) }

// vecs is n registers.
func (l *lanes) vecs(n int) []vec {
	v := make([]vec, n)
	for i := range v {
		v[i] = l.vec()
	}
	return v
}

// withConst emits an instruction whose first operand is a constant in memory,
// by the form of the instruction set: plain, or with a broadcast.
func (l *lanes) withConst(c constant, plain, broadcast emit, rest ...operand.Op) {
	if l.isa == avx512 {
		plain = broadcast
	}
	plain(append([]operand.Op{l.at(c)}, rest...)...)
}

// acc += a·c, acc −= a·c, dst = a − c, dst = a + c, dst = a·c for a constant c.
func (l *lanes) fmaConst(a vec, c constant, acc vec) {
	l.withConst(c, l.pick(l.VFMADD231PD, l.VFMADD231PS), l.pick(l.VFMADD231PD_BCST, l.VFMADD231PS_BCST), a, acc)
}

func (l *lanes) fnmaConst(a vec, c constant, acc vec) {
	l.withConst(c, l.pick(l.VFNMADD231PD, l.VFNMADD231PS), l.pick(l.VFNMADD231PD_BCST, l.VFNMADD231PS_BCST), a, acc)
}

func (l *lanes) subConst(a vec, c constant, dst vec) {
	l.withConst(c, l.pick(l.VSUBPD, l.VSUBPS), l.pick(l.VSUBPD_BCST, l.VSUBPS_BCST), a, dst)
}

func (l *lanes) addConst(a vec, c constant, dst vec) {
	l.withConst(c, l.pick(l.VADDPD, l.VADDPS), l.pick(l.VADDPD_BCST, l.VADDPS_BCST), a, dst)
}

func (l *lanes) mulConst(a vec, c constant, dst vec) {
	l.withConst(c, l.pick(l.VMULPD, l.VMULPS), l.pick(l.VMULPD_BCST, l.VMULPS_BCST), a, dst)
}

var ymm = []vec{
	reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7,
	reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15,
}

var zmm = []vec{
	reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7,
	reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
	reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23,
	reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31,
}
