package simd

import (
	"math"
	"unsafe"
)

// A job is the argument of a micro-kernel: tiles of rows, from top to bottom of one column of up to
// three groups. Assembly reads the fields, in the layout of _gen/micro.go; strides are in bytes.
type job struct {
	x            unsafe.Pointer
	xRow, xStep  uintptr
	p            unsafe.Pointer
	pGroup       uintptr
	pStep        uintptr
	dst          unsafe.Pointer
	dstRow       uintptr
	steps, tiles int
	xAt, dstAt   uintptr // offsets of the current tile
	base         uint64
	profile      uint64
	add          uint64  // 1: sums start from dst
	mask         uint64  // lanes of the last group
	a, b, c      float64 // parameters of the profile
	power        uint64
	bits         uint64
	whole        uint64 // 1: the last group has all its lanes
	flags        [8]uint64
	lanes        [8]uint64 // mask, one word per lane
}

// A sweep computes a whole tile: rows of x against lanes of p. Strides are in bytes. Every group of
// p must be readable completely, 64 bytes per step.
type sweep struct {
	x           unsafe.Pointer
	xRow, xStep uintptr
	p           unsafe.Pointer
	pGroup      uintptr
	pStep       uintptr
	dst         unsafe.Pointer
	dstRow      uintptr
	rows, cols  int
	steps       int
	base        Base
	profile     Profile
	add         bool
}

// stepsAtATime bounds the steps of one call: assembly cannot be preempted, and the panel of three
// groups should stay in the second-level cache.
const stepsAtATime = 1024

// workAtATime bounds rows times steps of one call, to about 50 µs.
const workAtATime = 1 << 14

// geometry returns the size of the tiles of a path, in rows and groups of lanes.
func (p Path) geometry() (rows, groups int) {
	if p == AVX512 {
		return 8, 3
	}
	return 4, 1
}

// run computes the tile, and reports whether all sums of products are finite.
func (s *sweep) run() (finite bool) {
	if s.rows == 0 || s.cols == 0 {
		return true
	}
	var j job
	s.fillIn(&j)
	for done := 0; ; {
		steps := min(stepsAtATime, s.steps-done)
		last := done+steps == s.steps
		j.steps, j.profile = steps, 0
		if last {
			j.profile = uint64(s.profile.kind)
		}
		s.runSteps(&j)
		done += steps
		if last {
			return j.flags == [8]uint64{}
		}
		j.x = unsafe.Add(s.x, uintptr(done)*s.xStep)
		j.p = unsafe.Add(s.p, uintptr(done)*s.pStep)
		j.add = 1
	}
}

// fillIn sets the fields that are constant within the sweep.
func (s *sweep) fillIn(j *job) {
	*j = job{x: s.x, xRow: s.xRow, xStep: s.xStep, p: s.p, pGroup: s.pGroup, pStep: s.pStep,
		dst: s.dst, dstRow: s.dstRow, base: uint64(s.base)}
	if s.add {
		j.add = 1
	}
	j.a, j.b, j.c = s.profile.a, s.profile.b, s.profile.c
	j.power, j.bits = s.profile.exponent()
}

// runSteps runs the sweep over all rows and groups.
func (s *sweep) runSteps(j *job) {
	_, most := active.geometry()
	groups := (s.cols + Lanes - 1) / Lanes
	strip := s.stripRows(j.steps)
	for first := 0; first < s.rows; first += strip {
		rows := min(strip, s.rows-first)
		for g := 0; g < groups; {
			n := split(groups-g, most)
			j.setMask(min(s.cols, (g+n)*Lanes) - (g+n-1)*Lanes)
			s.runColumn(j, first, rows, g, n)
			g += n
		}
	}
}

// stripRows returns the number of rows that are swept over all groups before the next ones: as many
// as stay in cache.
func (s *sweep) stripRows(steps int) int {
	return max(16, workAtATime/max(64, steps)&^7)
}

// split returns the number of groups of the next column of tiles, of left remaining ones. It avoids
// leaving a single group, since narrow tiles are slower.
func split(left, most int) int {
	if left == most+1 && most > 1 {
		return most - 1
	}
	return min(left, most)
}

// runColumn runs full tiles down a column of n groups, and then single rows.
func (s *sweep) runColumn(j *job, first, rows, g, n int) {
	high, _ := active.geometry()
	p, dst, x := j.p, j.dst, j.x
	j.p = unsafe.Add(p, uintptr(g)*s.pGroup)
	j.dst = unsafe.Add(dst, g*groupBytes)
	j.xAt, j.dstAt = uintptr(first)*s.xRow, uintptr(first)*s.dstRow
	if j.tiles = rows / high; j.tiles > 0 {
		j.run(active, high, n)
	}
	if j.tiles = rows % high; j.tiles > 0 {
		j.run(active, 1, n)
	}
	j.p, j.dst, j.x = p, dst, x
}

// setMask sets the number of lanes in the last group.
func (j *job) setMask(lanes int) {
	j.mask, j.whole = 1<<lanes-1, 0
	if lanes == Lanes {
		j.whole = 1
		return
	}
	fillLaneMask(&j.lanes, lanes)
}

// fillLaneMask sets all bits of the first lanes and clears the others.
func fillLaneMask(mask *[8]uint64, lanes int) {
	*mask = [8]uint64{}
	for i := range lanes {
		mask[i] = math.MaxUint64
	}
}
