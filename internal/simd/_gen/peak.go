package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Calibration: what the micro-kernel does to its sums, in a loop that touches
// nothing but registers and the constants. The profiles are emitted by the very
// functions the micro-kernel uses.
//
// The job gives the registers' first values and takes their last ones (dst),
// the number of rounds (tiles), and the parameters (a, b, c, power).

// emitPeaks emits the calibration of one instruction set and type.
func emitPeaks(l *lanes) {
	emitPeak(l, "peakSums", peakSums[l.isa], (*micro).repeatSums)
	emitPeak(l, "peakProfile", peakProfile[l.isa], (*micro).repeatProfile)
}

// How many registers are worked on, by instruction set: enough to hide the
// latency of every instruction, and as many as the others leave.
var (
	peakSums    = [...]int{avx2: 12, avx512: 24}
	peakProfile = [...]int{avx2: 10, avx512: 24}
)

func emitPeak(l *lanes, name string, registers int, body func(m *micro)) {
	m := &micro{lanes: l}
	m.Function(name + l.suffix() + l.isa.String())
	m.Attributes(nosplit)
	m.SignatureExpr("func(j *uint64)")
	m.Pragma("noescape")
	m.Doc("repeats a step of the micro-kernel on registers; see peak.go in _gen.")
	m.used = 0
	m.job = m.Load(m.Param("j"), m.GP64()).(reg.GPVirtual)
	m.acc = [][]vec{m.vecs(registers)}
	values := m.get(fieldDst)
	for i, a := range m.acc[0] {
		m.move(operand.Mem{Base: values, Disp: i * m.width()}, a)
	}
	body(m)
	for i, a := range m.acc[0] {
		m.move(a, operand.Mem{Base: values, Disp: i * m.width()})
	}
	m.VZEROUPPER()
	m.RET()
}

// repeat runs a body as often as the job says, at least once.
func (m *micro) repeat(body func()) {
	loop, left := m.label("repeat"), m.get(fieldTiles)
	m.Label(loop)
	m.scope(body)
	m.DECQ(left)
	m.JNE(operand.LabelRef(loop))
}

// repeatSums is s = a·s + b for base 0, and s = 1·|a − s| + b otherwise: the
// instructions of a step of the base, each fed by the round before.
func (m *micro) repeatSums() {
	absolutes, done := m.label("absolutes"), m.label("done")
	a, b, ones, clearSign := m.vec(), m.vec(), m.vec(), m.vec()
	m.broadcast(m.field(fieldA), a)
	m.broadcast(m.field(fieldB), b)
	m.set(m.value(1), ones)
	m.set(m.withoutSign(), clearSign)
	m.CMPQ(m.field(fieldBase), operand.U8(0))
	m.JNE(operand.LabelRef(absolutes))
	m.repeat(func() {
		for _, s := range m.acc[0] {
			m.multiplyAdd(s, a, b)
		}
	})
	m.JMP(operand.LabelRef(done))
	m.Label(absolutes)
	m.repeat(func() {
		for _, s := range m.acc[0] {
			m.sub(a, s, s)
			m.and(s, clearSign, s)
			m.multiplyAdd(s, ones, b)
		}
	})
	m.Label(done)
}

// multiplyAdd is s = s·a + b.
func (m *micro) multiplyAdd(s, a, b vec) { m.pick(m.VFMADD213PD, m.VFMADD213PS)(b, a, s) }

// repeatProfile is s = f(s).
func (m *micro) repeatProfile() {
	root, power, done := m.label("root"), m.label("power"), m.label("done")
	m.CMPQ(m.field(fieldProfile), operand.U8(2))
	m.JE(operand.LabelRef(root))
	m.JA(operand.LabelRef(power))
	m.repeat(func() { m.inChunks(m.chunk(), m.exp) })
	m.JMP(operand.LabelRef(done))
	m.Label(root)
	m.repeat(func() { m.inChunks(max(1, m.chunk()/2), m.expOfRoot) })
	m.JMP(operand.LabelRef(done))
	m.Label(power)
	m.repeat(func() { m.inChunks(max(1, m.chunk()/2), m.raise) })
	m.Label(done)
}
