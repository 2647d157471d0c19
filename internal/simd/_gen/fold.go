package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The fold sums vectors of a row with signs:
//
//	dst[i][j] = scale · Σ_t sign[t][j]·tile[i][t·cols + j],
//
// slots t in ascending order. Rows go together by fours, so that a vector of
// signs is loaded once for four of them; what is left goes row by row.

// Fields of a fold job, eight bytes each up to the mask, as in fold.go.
const (
	foldTile    = 8 * iota // address
	foldTileRow            // bytes between rows
	foldSign               // address
	foldDst                // address
	foldDstRow             // bytes between rows
	foldSlot               // bytes between slots, of tile and of sign
	foldSlots              // number of slots, at least 1
	foldGroups             // number of groups of rows, at least 1; counted down
	foldVectors            // number of whole vectors
	foldScale              // as bits
	foldTail               // not 0 if a part of a vector follows: its bits
	foldLanes              // 64 bytes: the same by lanes
)

// fold emits one function.
type fold struct {
	*lanes
	job      reg.GPVirtual
	slot, at reg.GPVirtual
	scale    vec
	sign     vec
	load     vec
	sums     []vec // by row
	mask     reg.OpmaskVirtual
	laneMask vec
}

func (f *fold) get(field int) reg.GPVirtual {
	r := f.GP64()
	f.MOVQ(operand.Mem{Base: f.job, Disp: field}, r)
	return r
}

func emitFold(l *lanes, rows int) {
	l.used = 0
	f := &fold{lanes: l}
	f.Function(fmt.Sprintf("fold%d%s%s", rows, l.suffix(), l.isa))
	f.Attributes(nosplit)
	f.SignatureExpr("func(j *uint64)")
	f.Pragma("noescape")
	f.Doc("folds rows; see fold.go in _gen.")
	f.job = f.Load(f.Param("j"), f.GP64()).(reg.GPVirtual)
	f.scale, f.sign, f.load, f.sums = f.vec(), f.vec(), f.vec(), f.vecs(rows)
	f.broadcast(operand.Mem{Base: f.job, Disp: foldScale}, f.scale)
	f.setMask()
	f.slot = f.get(foldSlot)
	tile, dst := f.get(foldTile), f.get(foldDst)
	next, vector, tail, done := f.label("rows"), f.label("vector"), f.label("tail"), f.label("done")
	f.Label(next)
	f.at = f.GP64()
	f.XORQ(f.at, f.at)
	vectors := f.get(foldVectors)
	f.TESTQ(vectors, vectors)
	f.JE(operand.LabelRef(tail))
	f.Label(vector)
	f.column(tile, dst, false)
	f.ADDQ(operand.U8(f.width()), f.at)
	f.DECQ(vectors)
	f.JNE(operand.LabelRef(vector))
	f.Label(tail)
	f.CMPQ(operand.Mem{Base: f.job, Disp: foldTail}, operand.U8(0))
	f.JE(operand.LabelRef(done))
	f.column(tile, dst, true)
	f.Label(done)
	for _, step := range []struct {
		field int
		p     reg.GPVirtual
	}{{foldTileRow, tile}, {foldDstRow, dst}} {
		by := f.get(step.field)
		f.IMUL3Q(operand.U8(rows), by, by)
		f.ADDQ(by, step.p)
	}
	f.DECQ(operand.Mem{Base: f.job, Disp: foldGroups})
	f.JNE(operand.LabelRef(next))
	f.VZEROUPPER()
	f.RET()
}

// setMask prepares the mask of the tail.
func (f *fold) setMask() {
	if f.isa == avx512 {
		bits := f.GP32()
		f.mask = f.K()
		f.MOVL(operand.Mem{Base: f.job, Disp: foldTail}, bits)
		f.KMOVW(bits, f.mask)
		return
	}
	f.laneMask = f.vec()
	f.move(operand.Mem{Base: f.job, Disp: foldLanes}, f.laneMask)
}

// column folds one vector of columns of the rows at hand.
func (f *fold) column(tile, dst reg.GPVirtual, masked bool) {
	for _, s := range f.sums {
		f.zero(s)
	}
	sign, stride, slots := f.get(foldSign), f.get(foldTileRow), f.get(foldSlots)
	low, high := f.GP64(), f.GP64()
	f.LEAQ(operand.Mem{Base: tile, Index: f.at, Scale: 1}, low)
	f.LEAQ(operand.Mem{Base: low, Index: stride, Scale: 2}, high)
	f.ADDQ(f.at, sign)
	next := f.label("slot")
	f.Label(next)
	f.part(operand.Mem{Base: sign}, f.sign, masked)
	for r, s := range f.sums {
		mem := rowOf(low, high, stride, r)
		if masked {
			f.part(mem, f.load, true)
			f.fma(f.sign, f.load, s)
		} else {
			f.fma(f.sign, mem, s)
		}
	}
	f.ADDQ(f.slot, sign)
	f.ADDQ(f.slot, low)
	f.ADDQ(f.slot, high)
	f.DECQ(slots)
	f.JNE(operand.LabelRef(next))
	out := f.get(foldDstRow)
	f.LEAQ(operand.Mem{Base: dst, Index: f.at, Scale: 1}, low)
	f.LEAQ(operand.Mem{Base: low, Index: out, Scale: 2}, high)
	for r, s := range f.sums {
		f.mul(s, f.scale, s)
		f.keep(s, rowOf(low, high, out, r), masked)
	}
}

// rowOf is row r ≤ 3, rows 2 and 3 from a base of their own.
func rowOf(low, high, stride reg.GPVirtual, r int) operand.Mem {
	mem := operand.Mem{Base: [2]reg.GPVirtual{low, high}[r/2]}
	if r%2 == 1 {
		mem.Index, mem.Scale = stride, 1
	}
	return mem
}

// part loads a vector, or the part of one that is there.
func (f *fold) part(mem operand.Mem, dst vec, masked bool) {
	switch {
	case !masked:
		f.move(mem, dst)
	case f.isa == avx512:
		f.pick3(f.VMOVUPD_Z, f.VMOVUPS_Z)(mem, f.mask, dst)
	default:
		f.pick3(f.VMASKMOVPD, f.VMASKMOVPS)(mem, f.laneMask, dst)
	}
}

// keep stores it.
func (f *fold) keep(src vec, mem operand.Mem, masked bool) {
	switch {
	case !masked:
		f.move(src, mem)
	case f.isa == avx512:
		f.pick(f.VMOVUPD, f.VMOVUPS)(src, f.mask, mem)
	default:
		f.pick3(f.VMASKMOVPD, f.VMASKMOVPS)(src, f.laneMask, mem)
	}
}
