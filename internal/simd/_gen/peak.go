package main

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
	peakSums    = [...]int{avx2: 12, avx512: 24, neon: 24}
	peakProfile = [...]int{avx2: 10, avx512: 24, neon: 16}
)

func emitPeak(l *lanes, name string, registers int, body func(m *micro)) {
	m := &micro{lanes: l}
	m.function(name+l.suffix(), "func(j *uint64)", "repeats a step of the micro-kernel on registers; see peak.go in _gen.")
	m.job = m.parameter("j")
	m.acc = [][]vec{m.vecs(registers)}
	values := m.get(fieldDst)
	for i, a := range m.acc[0] {
		m.move(mem{base: values, disp: i * m.width()}, a)
	}
	body(m)
	for i, a := range m.acc[0] {
		m.move(a, mem{base: values, disp: i * m.width()})
	}
	m.leave()
}

// repeat runs a body as often as the job says, at least once.
func (m *micro) repeat(body func()) {
	loop, left := m.label("repeat"), m.get(fieldTiles)
	m.mark(loop)
	m.scope(body)
	m.countDown(left, loop)
}

// repeatSums is s = a·s + b for base 0 (s = s + a·b on NEON), and s = |a − s| + b
// otherwise: the instructions of a step of the base, each fed by the round
// before.
func (m *micro) repeatSums() {
	absolutes, done := m.label("absolutes"), m.label("done")
	a, b, ones, clearSign := m.vec(), m.vec(), m.vec(), m.vec()
	m.broadcast(m.field(fieldA), a)
	m.broadcast(m.field(fieldB), b)
	m.set(m.value(1), ones)
	m.set(m.withoutSign(), clearSign)
	m.compare(m.field(fieldBase), 0)
	m.jump(ifNotEqual, absolutes)
	m.repeat(func() {
		for _, s := range m.acc[0] {
			if m.isa == neon { // which overwrites the addend
				m.fma(a, b, s)
			} else {
				m.multiplyAdd(s, a, b)
			}
		}
	})
	m.jump(always, done)
	m.mark(absolutes)
	m.repeat(func() {
		for _, s := range m.acc[0] {
			if m.isa == neon {
				m.arm().absoluteDifference(a, s, s)
				m.add(s, b, s)
				continue
			}
			m.sub(a, s, s)
			m.and(s, clearSign, s)
			m.multiplyAdd(s, ones, b)
		}
	})
	m.mark(done)
}

// repeatProfile is s = f(s).
func (m *micro) repeatProfile() {
	root, power, done := m.label("root"), m.label("power"), m.label("done")
	m.compare(m.field(fieldProfile), 2)
	m.jump(ifEqual, root)
	m.jump(ifAbove, power)
	m.repeat(func() { m.inChunks(m.chunk(), m.exp) })
	m.jump(always, done)
	m.mark(root)
	m.repeat(func() { m.inChunks(max(1, m.chunk()/2), m.expOfRoot) })
	m.jump(always, done)
	m.mark(power)
	m.repeat(func() { m.inChunks(max(1, m.chunk()/2), m.raise) })
	m.mark(done)
}
