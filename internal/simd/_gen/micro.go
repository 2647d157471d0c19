package main

import (
	"fmt"
	"iter"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The micro-kernel computes, for R rows x_r and V groups of lanes p_v,
//
//	acc[r][v] = Σ_k f(x_r[k], p_v[k]),   f(x, p) = x·p, (x−p)² or |x−p|,
//
// with all R·V sums in registers and k in ascending order, applies a profile to
// the sums while they are there, and stores them. It goes through all rows of a
// job. The strides of x, p and the result are free, so that tiles, products of
// matrices, Gram matrices and triangular solves use the same code.

// Fields of the job, as in micro_amd64.go: eight bytes each up to the masks.
const (
	fieldX       = 8 * iota // address of x at row 0, step 0
	fieldXRow               // bytes between rows of x
	fieldXStep              // bytes between steps of x
	fieldP                  // address of group 0, step 0
	fieldPGroup             // bytes between groups
	fieldPStep              // bytes between steps of a group
	fieldDst                // address of the result
	fieldDstRow             // bytes between rows of the result
	fieldSteps              // number of steps
	fieldTiles              // number of row tiles, counted down
	fieldXAt                // bytes from x to the present tile
	fieldDstAt              // likewise of the result
	fieldBase               // 0 products, 1 squares, 2 absolute differences
	fieldProfile            // 0 none, 1 exp, 2 exp of a root, 3 power
	fieldAdd                // 1 if sums begin with what is in the result
	fieldMask               // bits of the lanes of the last group
	fieldA                  // parameters of the profile
	fieldB
	fieldC
	fieldPower                   // exponent, as bits below the leading one, from the top
	fieldBits                    // how many of them
	fieldWhole                   // 1 if all lanes of the last group are stored
	fieldFlags                   // 64 bytes: not zero where a product was not finite
	fieldLanes = fieldFlags + 64 // 64 bytes: the mask by lanes
)

// micro emits one micro-kernel.
type micro struct {
	*lanes
	rows, groups int
	job          reg.GPVirtual
	acc          [][]vec // by row, by register
	mask         reg.OpmaskVirtual
}

// registers is how many registers a group of 64 bytes takes.
func (m *micro) registers() int { return m.groups * 64 / m.width() }

func (m *micro) field(offset int) operand.Mem { return operand.Mem{Base: m.job, Disp: offset} }

func (m *micro) get(offset int) reg.GPVirtual {
	r := m.GP64()
	m.MOVQ(m.field(offset), r)
	return r
}

func emitMicro(l *lanes, rows, groups int) {
	m := &micro{lanes: l, rows: rows, groups: groups}
	m.Function(fmt.Sprintf("micro%dx%d%s%s", rows, groups, l.suffix(), l.isa))
	m.Attributes(nosplit)
	m.SignatureExpr("func(j *uint64)")
	m.Pragma("noescape")
	m.Doc("computes tiles of " + fmt.Sprint(rows) + " rows and " + fmt.Sprint(groups) + " groups of lanes; see micro.go in _gen.")
	m.used = 0
	m.job = m.Load(m.Param("j"), m.GP64()).(reg.GPVirtual)
	for range rows {
		m.acc = append(m.acc, m.vecs(m.registers()))
	}
	next := m.label("tile")
	m.Label(next)
	m.begin()
	m.sums()
	m.finish()
	m.advance(next)
	m.VZEROUPPER()
	m.RET()
}

// advance moves on to the next tile of rows.
func (m *micro) advance(next string) {
	for _, at := range [][2]int{{fieldXRow, fieldXAt}, {fieldDstRow, fieldDstAt}} {
		step := m.get(at[0])
		m.IMUL3Q(operand.U8(m.rows), step, step)
		m.ADDQ(step, m.field(at[1]))
	}
	m.DECQ(m.field(fieldTiles))
	m.JNE(operand.LabelRef(next))
}

// A place addresses R rows with a given stride by two registers and two
// multiples of the stride.
type place struct {
	low, high, stride, triple reg.GPVirtual
}

// place points to the rows of x or of the result in the present tile.
func (m *micro) place(base, at, stride int) *place {
	p := &place{low: m.get(base), stride: m.get(stride)}
	m.ADDQ(m.field(at), p.low)
	if m.rows > 1 {
		p.triple = m.GP64()
		m.LEAQ(operand.Mem{Base: p.stride, Index: p.stride, Scale: 2}, p.triple)
	}
	if m.rows > 4 {
		p.high = m.GP64()
		m.LEAQ(operand.Mem{Base: p.low, Index: p.stride, Scale: 4}, p.high)
	}
	return p
}

func (p *place) row(r int) operand.Mem {
	base := p.low
	if r >= 4 {
		base, r = p.high, r-4
	}
	switch r {
	case 0:
		return operand.Mem{Base: base}
	case 1:
		return operand.Mem{Base: base, Index: p.stride, Scale: 1}
	case 2:
		return operand.Mem{Base: base, Index: p.stride, Scale: 2}
	default:
		return operand.Mem{Base: base, Index: p.triple, Scale: 1}
	}
}

// begin sets the sums to zero, or to what is in the result.
func (m *micro) begin() {
	load, done := m.label("load"), m.label("begun")
	m.CMPQ(m.field(fieldAdd), operand.U8(0))
	m.JNE(operand.LabelRef(load))
	for _, row := range m.acc {
		for _, a := range row {
			m.zero(a)
		}
	}
	m.JMP(operand.LabelRef(done))
	m.Label(load)
	dst := m.place(fieldDst, fieldDstAt, fieldDstRow)
	m.eachStored(dst, m.loadWhole, m.loadMasked)
	m.Label(done)
}

// sums runs the loop over the steps.
func (m *micro) sums() {
	end, squares, absolutes := m.label("summed"), m.label("squares"), m.label("absolutes")
	steps := m.get(fieldSteps)
	x := m.place(fieldX, fieldXAt, fieldXRow)
	xStep := m.get(fieldXStep)
	p := m.get(fieldP)
	pGroup, pStep := m.get(fieldPGroup), m.get(fieldPStep)
	m.TESTQ(steps, steps)
	m.JE(operand.LabelRef(end))
	base := m.get(fieldBase)
	m.CMPQ(base, operand.U8(1))
	m.JE(operand.LabelRef(squares))
	m.JA(operand.LabelRef(absolutes))
	loop := func(name string, body func(p []vec, x operand.Mem, acc []vec)) {
		used := m.used
		m.Label(name)
		panel := m.vecs(m.registers())
		for v := range panel {
			m.move(m.panelAt(p, pGroup, v), panel[v])
		}
		for r := range m.rows {
			body(panel, x.row(r), m.acc[r])
		}
		m.ADDQ(xStep, x.low)
		if m.rows > 4 {
			m.ADDQ(xStep, x.high)
		}
		m.ADDQ(pStep, p)
		m.DECQ(steps)
		m.JNE(operand.LabelRef(name))
		m.used = used
	}
	loop(m.label("products"), m.product)
	m.JMP(operand.LabelRef(end))
	loop(squares, m.square)
	m.JMP(operand.LabelRef(end))
	ones, clearSign := m.vec(), m.vec()
	m.Label(absolutes)
	m.set(m.value(1), ones)
	m.set(m.withoutSign(), clearSign)
	loop(m.label("absolute"), func(p []vec, x operand.Mem, acc []vec) { m.absolute(p, x, acc, ones, clearSign) })
	m.Label(end)
	m.used -= 2
}

// panelAt is register v of the groups at p.
func (m *micro) panelAt(p, pGroup reg.GPVirtual, v int) operand.Mem {
	per := 64 / m.width()
	mem := operand.Mem{Base: p, Disp: v % per * m.width()}
	if g := v / per; g > 0 {
		mem.Index, mem.Scale = pGroup, uint8(g)
	}
	return mem
}

func (m *micro) product(p []vec, x operand.Mem, acc []vec) {
	m.scope(func() {
		b := m.vec()
		m.broadcast(x, b)
		for v := range p {
			m.fma(b, p[v], acc[v])
		}
	})
}

// square adds the square of the difference, which loses nothing when rows are
// far from the origin and near each other. On Zen the subtraction runs beside
// the multiplications and is free.
func (m *micro) square(p []vec, x operand.Mem, acc []vec) {
	m.scope(func() {
		for v, t := range m.differences(p, x) {
			m.fma(t, t, acc[v])
		}
	})
}

// absolute adds by a multiplication with one, which leaves the units that add
// to the subtraction.
func (m *micro) absolute(p []vec, x operand.Mem, acc []vec, ones, clearSign vec) {
	m.scope(func() {
		for v, t := range m.differences(p, x) {
			m.and(t, clearSign, t)
			m.fma(t, ones, acc[v])
		}
	})
}

// differences yields p[v] − x. AVX-512 broadcasts x within the subtraction,
// which measured a third faster than to broadcast it once for all v.
func (m *micro) differences(p []vec, x operand.Mem) iter.Seq2[int, vec] {
	var b vec
	if m.isa == avx2 {
		b = m.vec()
		m.broadcast(x, b)
	}
	t := m.vecs(min(len(p), 3))
	return func(yield func(int, vec) bool) {
		for v := range p {
			if m.isa == avx2 {
				m.sub(p[v], b, t[v])
			} else {
				m.pick(m.VSUBPD_BCST, m.VSUBPS_BCST)(x, p[v], t[v])
			}
			if !yield(v, t[v]) {
				return
			}
		}
	}
}

// withoutSign has all bits set but the sign.
func (l *lanes) withoutSign() constant {
	if l.single {
		return 1<<31 - 1
	}
	return 1<<63 - 1
}

// finish applies the profile and stores the tile.
func (m *micro) finish() {
	m.flagProducts()
	plain, root, power := m.label("plain"), m.label("root"), m.label("power")
	dst := m.place(fieldDst, fieldDstAt, fieldDstRow)
	profile := m.get(fieldProfile)
	m.CMPQ(profile, operand.U8(1))
	m.JB(operand.LabelRef(plain))
	m.JA(operand.LabelRef(root))
	m.inChunks(m.chunk(), m.exp)
	m.JMP(operand.LabelRef(plain))
	m.Label(root)
	m.CMPQ(profile, operand.U8(2))
	m.JNE(operand.LabelRef(power))
	m.inChunks(max(1, m.chunk()/2), m.expOfRoot)
	m.JMP(operand.LabelRef(plain))
	m.Label(power)
	m.inChunks(max(1, m.chunk()/2), m.raise)
	m.Label(plain)
	m.eachStored(dst, m.storeWhole, m.storeMasked)
}

// chunk is how many sums are worked on at a time: as many as there are
// registers for.
func (m *micro) chunk() int {
	if m.isa == avx2 {
		return 2
	}
	return 4
}

func (m *micro) inChunks(n int, f func(x []vec)) {
	var all []vec
	for _, row := range m.acc {
		all = append(all, row...)
	}
	for len(all) > 0 {
		n = min(n, len(all))
		m.scope(func() { f(all[:n]) })
		all = all[n:]
	}
}

// exp is e^(a·s).
func (m *micro) exp(s []vec) {
	m.scope(func() {
		a, least, most := m.vec(), m.vec(), m.vec()
		m.broadcast(m.field(fieldA), a)
		zero, infinite := m.expLimits()
		m.set(zero, least)
		m.set(infinite, most)
		for i := range s {
			m.mul(a, s[i], s[i])
		}
		for i := range s {
			m.atLeast(least, s[i], s[i])
		}
		for i := range s {
			m.atMost(most, s[i], s[i])
		}
	})
	m.exponentials(s)
}

// expOfRoot is (1 + b·z + c·z²)·e^z with z = a·√s, a ≤ 0.
func (m *micro) expOfRoot(s []vec) {
	q := m.vecs(len(s))
	m.scope(func() {
		a, limit := m.vec(), m.vec()
		m.broadcast(m.field(fieldA), a)
		zero, _ := m.expLimits()
		m.set(zero, limit)
		for i := range s {
			m.sqrt(s[i], s[i])
			m.mul(a, s[i], s[i])
			m.atLeast(limit, s[i], s[i])
		}
		b, c := a, limit
		m.broadcast(m.field(fieldB), b)
		m.broadcast(m.field(fieldC), c)
		for i := range s {
			m.mul(s[i], c, q[i])
			m.add(q[i], b, q[i])
			m.horner(q[i], s[i], m.value(1))
		}
	})
	m.exponentials(s)
	for i := range s {
		m.mul(q[i], s[i], s[i])
	}
}

// raise is (a·s + b)^power for a power of at least one, by squaring and
// multiplying from its leading bit on.
func (m *micro) raise(s []vec) {
	a, t := m.vec(), m.vecs(len(s))
	m.broadcast(m.field(fieldA), a)
	for i := range s {
		m.broadcast(m.field(fieldB), t[i])
		m.fma(a, s[i], t[i])
		m.move(t[i], s[i])
	}
	bits, left := m.get(fieldPower), m.get(fieldBits)
	loop, even, end := m.label("bit"), m.label("even"), m.label("raised")
	m.TESTQ(left, left)
	m.JE(operand.LabelRef(end))
	m.Label(loop)
	for i := range s {
		m.mul(s[i], s[i], s[i])
	}
	m.SHLQ(operand.U8(1), bits)
	m.JCC(operand.LabelRef(even))
	for i := range s {
		m.mul(s[i], t[i], s[i])
	}
	m.Label(even)
	m.DECQ(left)
	m.JNE(operand.LabelRef(loop))
	m.Label(end)
}

// flagProducts notes sums of products that are not finite: ∞ − ∞ on the way may
// have spoiled them, and a profile would hide it.
func (m *micro) flagProducts() {
	done := m.label("flagged")
	m.CMPQ(m.field(fieldBase), operand.U8(0))
	m.JNE(operand.LabelRef(done))
	flags, t := m.vec(), m.vec()
	m.move(m.field(fieldFlags), flags)
	for _, row := range m.acc {
		for _, a := range row {
			m.sub(a, a, t)
			m.or(flags, t, flags)
		}
	}
	m.move(flags, m.field(fieldFlags))
	m.Label(done)
	m.used -= 2
}

// eachStored goes through the registers and their places in the result; the
// lanes of the last group may be fewer.
func (m *micro) eachStored(p *place, whole, masked func(a vec, mem operand.Mem, part int)) {
	if m.isa == avx512 {
		bits := m.GP32()
		m.mask = m.K()
		m.MOVL(m.field(fieldMask), bits)
		m.KMOVW(bits, m.mask)
	}
	visit := func(last func(a vec, mem operand.Mem, part int)) {
		per := 64 / m.width()
		for r, row := range m.acc {
			for v, a := range row {
				mem := p.row(r).Offset(v * m.width())
				if v/per == m.groups-1 {
					last(a, mem, v%per)
				} else {
					whole(a, mem, v%per)
				}
			}
		}
	}
	if m.isa == avx512 {
		visit(masked)
		return
	}
	partial, done := m.label("partial"), m.label("moved")
	m.CMPQ(m.field(fieldWhole), operand.U8(0))
	m.JE(operand.LabelRef(partial))
	visit(whole)
	m.JMP(operand.LabelRef(done))
	m.Label(partial)
	visit(masked)
	m.Label(done)
}

func (m *micro) loadWhole(a vec, mem operand.Mem, _ int)  { m.move(mem, a) }
func (m *micro) storeWhole(a vec, mem operand.Mem, _ int) { m.move(a, mem) }

func (m *micro) loadMasked(a vec, mem operand.Mem, part int) {
	if m.isa == avx512 {
		m.pick3(m.VMOVUPD_Z, m.VMOVUPS_Z)(mem, m.mask, a)
		return
	}
	m.scope(func() { m.pick3(m.VMASKMOVPD, m.VMASKMOVPS)(mem, m.laneMask(part), a) })
}

func (m *micro) storeMasked(a vec, mem operand.Mem, part int) {
	if m.isa == avx512 {
		m.pick(m.VMOVUPD, m.VMOVUPS)(a, m.mask, mem)
		return
	}
	m.scope(func() { m.pick3(m.VMASKMOVPD, m.VMASKMOVPS)(a, m.laneMask(part), mem) })
}

func (m *micro) laneMask(part int) vec {
	v := m.vec()
	m.move(m.field(fieldLanes+part*m.width()), v)
	return v
}

// pick3 is pick for instructions of three operands.
func (l *lanes) pick3(double, single func(a, b, c operand.Op)) func(a, b, c operand.Op) {
	if l.single {
		return single
	}
	return double
}
