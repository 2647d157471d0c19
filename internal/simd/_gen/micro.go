package main

import (
	"fmt"
	"iter"
)

// The micro-kernel computes, for R rows x_r and V groups of lanes p_v,
//
//	acc[r][v] = Σ_k f(x_r[k], p_v[k]),   f(x, p) = x·p, (x−p)² or |x−p|,
//
// with all R·V sums in registers and k in ascending order. It applies a profile to the sums in
// registers, stores them, and continues with the next rows of the job. The strides of x, p and the
// result are arbitrary, so that tiles, matrix products, Gram matrices and triangular solves use the
// same code.

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
	fieldXAt                // bytes from x to the current tile
	fieldDstAt              // bytes from dst to the current tile
	fieldBase               // 0 products, 1 squares, 2 absolute differences
	fieldProfile            // 0 none, 1 exp, 2 exp of a root, 3 power
	fieldAdd                // 1 if sums start from the result
	fieldMask               // bits of the lanes of the last group
	fieldA                  // parameters of the profile
	fieldB
	fieldC
	fieldPower                   // bits of the exponent below the leading one, left-aligned
	fieldBits                    // number of these bits
	fieldWhole                   // 1 if all lanes of the last group are stored
	fieldFlags                   // 64 bytes: not zero if a product was not finite
	fieldLanes = fieldFlags + 64 // 64 bytes: the mask by lanes
)

// micro emits one micro-kernel.
type micro struct {
	*lanes
	rows, groups int
	job          gp
	acc          [][]vec // by row, by register
}

// registers returns the number of registers for the groups, of 64 bytes each.
func (m *micro) registers() int { return m.groups * 64 / m.width() }

func (m *micro) field(offset int) mem { return mem{base: m.job, disp: offset} }

func (m *micro) get(offset int) gp { return m.loaded(m.field(offset)) }

func emitMicro(l *lanes, rows, groups int) {
	m := &micro{lanes: l, rows: rows, groups: groups}
	m.function(fmt.Sprintf("micro%dx%dF64", rows, groups), "func(j *uint64)",
		fmt.Sprintf("A tile is %d × %d: rows by groups of lanes; see micro.go in _gen.", rows, groups))
	m.job = m.parameter("j")
	for range rows {
		m.acc = append(m.acc, m.vecs(m.registers()))
	}
	next := m.label("tile")
	m.mark(next)
	m.scope(m.begin)
	m.scope(m.sums)
	m.scope(m.finish)
	m.scope(func() { m.advance(next) })
	m.leave()
}

// advance moves on to the next tile of rows.
func (m *micro) advance(next string) {
	for _, at := range [][2]int{{fieldXRow, fieldXAt}, {fieldDstRow, fieldDstAt}} {
		step := m.get(at[0])
		m.times(m.rows, step)
		m.addTo(step, m.field(at[1]))
	}
	m.countDown(m.field(fieldTiles), next)
}

// A place addresses R rows with a given stride: on x86 by two registers and two multiples of the
// stride, on arm64 by a register per row.
type place struct {
	low, high, stride, triple gp
	each                      []gp
}

// place returns the addresses of the rows of x or of the result in the current tile.
func (m *micro) place(base, at, stride int) *place {
	p := &place{low: m.get(base), stride: m.get(stride)}
	m.addTo(m.field(at), p.low)
	if m.isa == neon {
		p.each = []gp{p.low}
		for r := 1; r < m.rows; r++ {
			p.each = append(p.each, m.scalar())
			m.address(mem{base: p.each[r-1], index: p.stride, scale: 1}, p.each[r])
		}
		return p
	}
	if m.rows > 1 {
		p.triple = m.scalar()
		m.address(mem{base: p.stride, index: p.stride, scale: 2}, p.triple)
	}
	if m.rows > 4 {
		p.high = m.scalar()
		m.address(mem{base: p.low, index: p.stride, scale: 4}, p.high)
	}
	return p
}

func (p *place) row(r int) mem {
	if p.each != nil {
		return mem{base: p.each[r]}
	}
	base := p.low
	if r >= 4 {
		base, r = p.high, r-4
	}
	switch r {
	case 0:
		return mem{base: base}
	case 1:
		return mem{base: base, index: p.stride, scale: 1}
	case 2:
		return mem{base: base, index: p.stride, scale: 2}
	default:
		return mem{base: base, index: p.triple, scale: 1}
	}
}

// begin initialises the sums to zero, or to the result.
func (m *micro) begin() {
	load, done := m.label("load"), m.label("begun")
	m.compare(m.field(fieldAdd), 0)
	m.jump(ifNotEqual, load)
	for _, row := range m.acc {
		for _, a := range row {
			m.zero(a)
		}
	}
	m.jump(always, done)
	m.mark(load)
	dst := m.place(fieldDst, fieldDstAt, fieldDstRow)
	m.eachStored(dst, loading)
	m.mark(done)
}

// sums runs the loop over the steps.
func (m *micro) sums() {
	end, squares, absolutes := m.label("summed"), m.label("squares"), m.label("absolutes")
	s := steps{left: m.get(fieldSteps), x: m.place(fieldX, fieldXAt, fieldXRow)}
	s.xStep = m.get(fieldXStep)
	s.p = m.get(fieldP)
	s.pGroup, s.pStep = m.get(fieldPGroup), m.get(fieldPStep)
	m.compareZero(s.left)
	m.jump(ifEqual, end)
	base := m.get(fieldBase)
	m.compare(base, 1)
	m.jump(ifEqual, squares)
	m.jump(ifAbove, absolutes)
	m.loop(s, m.label("products"), m.product, true)
	m.jump(always, end)
	m.loop(s, squares, m.square, false)
	m.jump(always, end)
	ones, clearSign := m.vec(), m.vec()
	m.mark(absolutes)
	m.set(m.value(1), ones)
	m.set(withoutSign, clearSign)
	m.loop(s, m.label("absolute"), func(p []vec, x mem, acc []vec) { m.absolute(p, x, acc, ones, clearSign) }, false)
	m.mark(end)
}

// steps holds the registers of the loop over the steps.
type steps struct {
	left, xStep      gp
	x                *place
	p, pGroup, pStep gp
}

// loop emits the loop of one base. factors reports whether elements of x are used as factors.
func (m *micro) loop(s steps, name string, body func(p []vec, x mem, acc []vec), factors bool) {
	m.scope(func() {
		element, advance := m.elements(s, factors)
		m.mark(name)
		panel := m.vecs(m.registers())
		m.loadPanel(s, panel)
		for r := range m.rows {
			body(panel, element(r), m.acc[r])
		}
		advance()
		m.addTo(s.pStep, s.p)
		m.countDown(s.left, name)
	})
}

// elements returns the operand of the element of a row, and a function that advances to the next
// step. On NEON factors are read at a common offset, and other elements by pointers that the load
// increments.
func (m *micro) elements(s steps, factors bool) (element func(r int) mem, advance func()) {
	switch {
	case m.isa != neon:
		return s.x.row, func() {
			m.addTo(s.xStep, s.x.low)
			if m.rows > 4 {
				m.addTo(s.xStep, s.x.high)
			}
		}
	case factors:
		at := m.scalar()
		m.clear(at)
		return func(r int) mem { return mem{base: s.x.each[r], index: at, scale: 1} }, func() { m.addTo(s.xStep, at) }
	}
	return func(r int) mem { return mem{base: s.x.each[r], index: s.xStep, then: true} }, func() {}
}

// loadPanel loads one step of the groups, 64 bytes each.
func (m *micro) loadPanel(s steps, panel []vec) {
	per := 64 / m.width()
	for g := range m.groups {
		from := mem{base: s.p}
		if g > 0 {
			from.index, from.scale = s.pGroup, g
		}
		m.loadRun(from, panel[g*per:(g+1)*per])
	}
}

func (m *micro) product(p []vec, x mem, acc []vec) {
	m.scope(func() {
		b := m.vec()
		m.factor(x, b)
		for v := range p {
			m.fmaFactor(b, p[v], acc[v])
		}
	})
}

// square adds the squared difference, which does not cancel when rows are far from the origin and
// close to each other. On Zen the subtraction runs in parallel with the multiplications and is
// free.
func (m *micro) square(p []vec, x mem, acc []vec) {
	m.scope(func() {
		for v, t := range m.differences(p, x) {
			m.fma(t, t, acc[v])
		}
	})
}

// absolute adds by a multiply-add with one, which leaves the adders to the subtraction. NEON has an
// instruction for the absolute difference.
func (m *micro) absolute(p []vec, x mem, acc []vec, ones, clearSign vec) {
	m.scope(func() {
		if m.isa == neon {
			b, t := m.vec(), m.vecs(min(len(p), 3))
			m.broadcast(x, b)
			for v := range p {
				m.arm().absoluteDifference(p[v], b, t[v%len(t)])
				m.add(acc[v], t[v%len(t)], acc[v])
			}
			return
		}
		for v, t := range m.differences(p, x) {
			m.and(t, clearSign, t)
			m.fma(t, ones, acc[v])
		}
	})
}

// differences yields p[v] − x. AVX-512 broadcasts x within the subtraction, which measured a third
// faster than broadcasting it once for all v.
func (m *micro) differences(p []vec, x mem) iter.Seq2[int, vec] {
	var b vec
	if m.isa != avx512 {
		b = m.vec()
		m.broadcast(x, b)
	}
	t := m.vecs(min(len(p), 3))
	return func(yield func(int, vec) bool) {
		for v := range p {
			d := t[v%len(t)]
			if m.isa == avx512 {
				m.x86().subElement(p[v], x, d)
			} else {
				m.sub(p[v], b, d)
			}
			if !yield(v, d) {
				return
			}
		}
	}
}

// finish applies the profile and stores the tile.
func (m *micro) finish() {
	m.flagProducts()
	plain, root, power := m.label("plain"), m.label("root"), m.label("power")
	dst := m.place(fieldDst, fieldDstAt, fieldDstRow)
	profile := m.get(fieldProfile)
	m.compare(profile, 1)
	m.jump(ifBelow, plain)
	m.jump(ifAbove, root)
	m.inChunks(m.chunk(), m.exp)
	m.jump(always, plain)
	m.mark(root)
	m.compare(profile, 2)
	m.jump(ifNotEqual, power)
	m.inChunks(max(1, m.chunk()/2), m.expOfRoot)
	m.jump(always, plain)
	m.mark(power)
	m.inChunks(max(1, m.chunk()/2), m.raise)
	m.mark(plain)
	m.eachStored(dst, storing)
}

// chunk returns the number of sums processed at a time, limited by registers.
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

// exp sets s = e^(a·s).
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

// expOfRoot sets s = (1 + b·z + c·z²)·e^z with z = a·√s, a ≤ 0.
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

// raise sets s = (a·s + b)^power for a power of at least one, by squaring and multiplying from its
// leading bit down.
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
	m.compareZero(left)
	m.jump(ifEqual, end)
	m.mark(loop)
	for i := range s {
		m.mul(s[i], s[i], s[i])
	}
	m.shiftOut(bits, even)
	for i := range s {
		m.mul(s[i], t[i], s[i])
	}
	m.mark(even)
	m.countDown(left, loop)
	m.mark(end)
}

// flagProducts records sums of products that are not finite: an intermediate ∞ − ∞ may have
// corrupted them, and a profile would hide it.
func (m *micro) flagProducts() {
	done := m.label("flagged")
	m.compare(m.field(fieldBase), 0)
	m.jump(ifNotEqual, done)
	m.scope(func() {
		flags, t := m.vec(), m.vec()
		m.move(m.field(fieldFlags), flags)
		for _, row := range m.acc {
			for _, a := range row {
				m.sub(a, a, t)
				m.or(flags, t, flags)
			}
		}
		m.move(flags, m.field(fieldFlags))
	})
	m.mark(done)
}
