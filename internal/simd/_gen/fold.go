package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/reg"
)

// The fold sums vectors of a row with signs:
//
//	dst[i][j] = scale · Σ_t sign[t][j]·tile[i][t·cols + j],
//
// with slots t in ascending order. Four rows are processed together, so that a vector of signs is
// loaded once for all of them; remaining rows follow one by one.

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

// fold emits one fold function.
type fold struct {
	*lanes
	job      gp
	slot, at gp
	scale    vec
	sign     vec
	load     vec
	sums     []vec             // by row
	mask     reg.OpmaskVirtual // AVX-512
	laneMask vec               // AVX2
	bits     gp                // NEON
}

func (f *fold) field(offset int) mem { return mem{base: f.job, disp: offset} }

func (f *fold) get(field int) gp { return f.loaded(f.field(field)) }

func emitFold(l *lanes, rows int) {
	f := &fold{lanes: l}
	f.function(fmt.Sprintf("fold%dF64", rows), "func(j *uint64)", "folds rows; see fold.go in _gen.")
	f.job = f.parameter("j")
	f.scale, f.sign, f.load, f.sums = f.vec(), f.vec(), f.vec(), f.vecs(rows)
	f.broadcast(f.field(foldScale), f.scale)
	f.setMask()
	f.slot = f.get(foldSlot)
	tile, dst := f.get(foldTile), f.get(foldDst)
	next, vector, tail, done := f.label("rows"), f.label("vector"), f.label("tail"), f.label("done")
	f.mark(next)
	f.at = f.scalar()
	f.clear(f.at)
	vectors := f.get(foldVectors)
	f.compareZero(vectors)
	f.jump(ifEqual, tail)
	f.mark(vector)
	f.column(tile, dst, false)
	f.addTo(f.width(), f.at)
	f.countDown(vectors, vector)
	f.mark(tail)
	f.compare(f.field(foldTail), 0)
	f.jump(ifEqual, done)
	f.column(tile, dst, true)
	f.mark(done)
	for _, step := range []struct {
		field int
		p     gp
	}{{foldTileRow, tile}, {foldDstRow, dst}} {
		by := f.get(step.field)
		f.times(rows, by)
		f.addTo(by, step.p)
	}
	f.countDown(f.field(foldGroups), next)
	f.leave()
}

// setMask prepares the mask of the tail.
func (f *fold) setMask() {
	switch f.isa {
	case avx512:
		f.mask = f.x86().opmask(f.field(foldTail))
	case avx2:
		f.laneMask = f.vec()
		f.move(f.field(foldLanes), f.laneMask)
	case neon:
		f.bits = f.get(foldTail)
	}
}

// column folds one vector of columns of the current rows.
func (f *fold) column(tile, dst gp, masked bool) {
	f.scope(func() { f.foldColumn(tile, dst, masked) })
}

func (f *fold) foldColumn(tile, dst gp, masked bool) {
	for _, s := range f.sums {
		f.zero(s)
	}
	sign, stride, slots := f.get(foldSign), f.get(foldTileRow), f.get(foldSlots)
	in := f.rowsAt(tile, stride)
	f.addTo(f.at, sign)
	next := f.label("slot")
	f.mark(next)
	f.part(mem{base: sign}, f.sign, masked)
	for r, s := range f.sums {
		if masked {
			f.part(in.row(r), f.load, true)
			f.fma(f.sign, f.load, s)
		} else {
			f.fma(f.sign, in.row(r), s)
		}
	}
	f.addTo(f.slot, sign)
	for _, p := range in.pointers() {
		f.addTo(f.slot, p)
	}
	f.countDown(slots, next)
	stride = f.get(foldDstRow)
	out := f.rowsFrom(in, dst, stride)
	for r, s := range f.sums {
		f.mul(s, f.scale, s)
		f.keep(s, out.row(r), masked)
	}
}

// foldRows addresses up to four rows. On x86 rows 2 and 3 share a second base register; on arm64
// each row has one.
type foldRows struct {
	base   []gp
	stride gp
	each   bool
}

// rowsAt returns the rows of p from the current column on.
func (f *fold) rowsAt(p, stride gp) *foldRows {
	rows := &foldRows{each: f.isa == neon, stride: stride}
	n := 2
	if rows.each {
		n = len(f.sums)
	}
	for range n {
		rows.base = append(rows.base, f.scalar())
	}
	return f.rowsFrom(rows, p, stride)
}

// rowsFrom redirects the same registers to the rows of p.
func (f *fold) rowsFrom(rows *foldRows, p, stride gp) *foldRows {
	rows.stride = stride
	f.address(mem{base: p, index: f.at, scale: 1}, rows.base[0])
	apart := 2
	if rows.each {
		apart = 1
	}
	for i := 1; i < len(rows.base); i++ {
		f.address(mem{base: rows.base[i-1], index: stride, scale: apart}, rows.base[i])
	}
	return rows
}

func (r *foldRows) pointers() []gp { return r.base }

func (r *foldRows) row(i int) mem {
	if r.each {
		return mem{base: r.base[i]}
	}
	m := mem{base: r.base[i/2]}
	if i%2 == 1 {
		m.index, m.scale = r.stride, 1
	}
	return m
}

// part loads a vector, or the masked part of one.
func (f *fold) part(m mem, dst vec, masked bool) {
	switch {
	case !masked:
		f.move(m, dst)
	case f.isa == avx512:
		f.x86().loadMasked(m, f.mask, dst)
	case f.isa == avx2:
		f.x86().loadByLanes(m, f.laneMask, dst)
	default:
		f.arm().loadSome(f.bits, 0, []mem{m}, []vec{dst})
	}
}

// keep stores a vector, or the masked part of one.
func (f *fold) keep(src vec, m mem, masked bool) {
	switch {
	case !masked:
		f.move(src, m)
	case f.isa == avx512:
		f.x86().storeMasked(src, f.mask, m)
	case f.isa == avx2:
		f.x86().storeByLanes(src, f.laneMask, m)
	default:
		f.arm().storeSome(f.bits, 0, []vec{src}, []mem{m})
	}
}
