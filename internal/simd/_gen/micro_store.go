package main

// Moves between sums and the result. The last group may have fewer lanes.

// A direction is loading to registers or storing to the result.
type direction int

const (
	loading direction = iota
	storing
)

// eachStored moves all sums.
func (m *micro) eachStored(p *place, to direction) {
	switch m.isa {
	case avx512:
		mask := m.x86().opmask(m.field(fieldMask))
		m.visit(p, to, func(a vec, at mem, _ int) {
			if to == loading {
				m.x86().loadMasked(at, mask, a)
			} else {
				m.x86().storeMasked(a, mask, at)
			}
		})
	case avx2:
		m.wholeOrPart(func() { m.visit(p, to, m.mover(to)) }, func() { m.visit(p, to, m.laneMover(to)) })
	case neon:
		m.wholeOrPart(func() { m.moveRuns(p, to) }, func() { m.moveSome(p, to) })
	}
}

// visit moves every register. Registers of the last group are passed to last, with their index in
// the group.
func (m *micro) visit(p *place, to direction, last func(a vec, at mem, part int)) {
	whole, per := m.mover(to), 64/m.width()
	for r, row := range m.acc {
		for v, a := range row {
			at := p.row(r).plus(v * m.width())
			if v/per == m.groups-1 {
				last(a, at, v%per)
			} else {
				whole(a, at, v%per)
			}
		}
	}
}

func (m *micro) mover(to direction) func(a vec, at mem, part int) {
	return func(a vec, at mem, _ int) {
		if to == loading {
			m.move(at, a)
		} else {
			m.move(a, at)
		}
	}
}

// laneMover moves the lanes of AVX2 that the mask of the job selects.
func (m *micro) laneMover(to direction) func(a vec, at mem, part int) {
	return func(a vec, at mem, part int) {
		m.scope(func() {
			mask := m.vec()
			m.move(m.field(fieldLanes+part*m.width()), mask)
			if to == loading {
				m.x86().loadByLanes(at, mask, a)
			} else {
				m.x86().storeByLanes(a, mask, at)
			}
		})
	}
}

// wholeOrPart emits a branch to whole if the last group has all lanes, else to part.
func (m *micro) wholeOrPart(whole, part func()) {
	partial, done := m.label("partial"), m.label("moved")
	m.compare(m.field(fieldWhole), 0)
	m.jump(ifEqual, partial)
	whole()
	m.jump(always, done)
	m.mark(partial)
	part()
	m.mark(done)
}

// moveRuns moves whole rows on NEON, whose tiles are one group wide.
func (m *micro) moveRuns(p *place, to direction) {
	for r, row := range m.acc {
		if to == loading {
			m.loadRun(p.row(r), row)
		} else {
			m.arm().storeRun(row, p.row(r))
		}
	}
}

// moveSome moves the lanes on NEON that the mask of the job selects, register by register for all
// rows.
func (m *micro) moveSome(p *place, to direction) {
	bits := m.get(fieldMask)
	for v := range m.acc[0] {
		var registers []vec
		var places []mem
		for r, row := range m.acc {
			registers = append(registers, row[v])
			places = append(places, p.row(r).plus(v*m.width()))
		}
		first := v * m.width() / 8
		if to == loading {
			m.arm().loadSome(bits, first, places, registers)
		} else {
			m.arm().storeSome(bits, first, registers, places)
		}
	}
}
