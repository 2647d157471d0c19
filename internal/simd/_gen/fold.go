package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The fold sums vectors of a row with signs:
//
//	dst[i][j] = scale · Σ_t sign[t][j]·tile[i][t·cols + j],
//
// slots t in ascending order, for a whole number of vectors j. What is left of
// a row is for the caller.

// Fields of a fold job, eight bytes each, as in fold.go.
const (
	foldTile    = 8 * iota // address
	foldTileRow            // bytes between rows
	foldSign               // address
	foldDst                // address
	foldDstRow             // bytes between rows
	foldSlot               // bytes between slots, of tile and of sign
	foldSlots              // number of slots, at least 1
	foldRows               // number of rows, at least 1; counted down
	foldVectors            // number of vectors, at least 1
	foldScale              // as bits
)

func emitFold(l *lanes) {
	l.used = 0
	l.Function("fold" + l.suffix() + l.isa.String())
	l.Attributes(nosplit)
	l.SignatureExpr("func(j *uint64)")
	l.Pragma("noescape")
	l.Doc("folds rows; see fold.go in _gen.")
	job := l.Load(l.Param("j"), l.GP64()).(reg.GPVirtual)
	get := func(field int) reg.GPVirtual {
		r := l.GP64()
		l.MOVQ(operand.Mem{Base: job, Disp: field}, r)
		return r
	}
	tile, dst, slot := get(foldTile), get(foldDst), get(foldSlot)
	scale, sum, sign := l.vec(), l.vec(), l.vec()
	l.broadcast(operand.Mem{Base: job, Disp: foldScale}, scale)
	row, vector, next := l.label("row"), l.label("vector"), l.label("slot")
	l.Label(row)
	at := l.GP64()
	l.XORQ(at, at)
	vectors := get(foldVectors)
	l.Label(vector)
	s, e, slots := get(foldSign), l.GP64(), get(foldSlots)
	l.MOVQ(tile, e)
	l.zero(sum)
	l.Label(next)
	l.move(operand.Mem{Base: s, Index: at, Scale: 1}, sign)
	l.fma(sign, operand.Mem{Base: e, Index: at, Scale: 1}, sum)
	l.ADDQ(slot, s)
	l.ADDQ(slot, e)
	l.DECQ(slots)
	l.JNE(operand.LabelRef(next))
	l.mul(sum, scale, sum)
	l.move(sum, operand.Mem{Base: dst, Index: at, Scale: 1})
	l.ADDQ(operand.U8(l.width()), at)
	l.DECQ(vectors)
	l.JNE(operand.LabelRef(vector))
	l.ADDQ(operand.Mem{Base: job, Disp: foldTileRow}, tile)
	l.ADDQ(operand.Mem{Base: job, Disp: foldDstRow}, dst)
	l.DECQ(operand.Mem{Base: job, Disp: foldRows})
	l.JNE(operand.LabelRef(row))
	l.VZEROUPPER()
	l.RET()
}
