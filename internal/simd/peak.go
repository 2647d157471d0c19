package simd

import (
	"fmt"
	"unsafe"
)

// Calibration: the rates that bound a tile, measured by repeating the steps of
// the micro-kernels on values that stay in registers. A tile of d columns cannot
// take less than its d steps at the rate of [PeakFMA] (of [PeakAbsolute] for L1
// distances) and one profile at the rate of [PeakProfile]. The functions take
// the path as an argument, so threads may calibrate different ones at a time.

// peakRegisters is the contents of the vector registers.
type peakRegisters [32 * groupBytes / 8]uint64

// Rounds of one call of the assembly, which cannot be preempted: below 50 µs.
const (
	sumRounds     = 4096
	profileRounds = 128
)

// PeakFMA does n multiply-adds in every lane of the registers and returns how
// many operations that was, two for each. On the Go path the product is rounded
// before the addition, as in the reference of the tiles. n must be at least 1.
func PeakFMA[T Float](p Path, n int) (operations int) {
	var r peakRegisters
	fillPeakRegisters[T](&r, 0.5)
	return 2 * repeatSums[T](p, Product, 0.5, 0.25, n, &r)
}

// PeakAbsolute adds n absolute differences in every lane of the registers and
// returns how many that was. n must be at least 1.
func PeakAbsolute[T Float](p Path, n int) (terms int) {
	var r peakRegisters
	fillPeakRegisters[T](&r, 0.5)
	return repeatSums[T](p, Absolute, 1, 0.25, n, &r)
}

// PeakProfile applies f to every lane of the registers n times, each time to
// the value before, and returns how many values that was. The rate depends on
// the kind of f and on the degree of a power; f should map ½ into [0, 1] and its
// values again, lest subnormal numbers slow the loop down. n must be at least 1,
// and f not the identity.
func PeakProfile[T Float](p Path, f Profile, n int) (values int) {
	var r peakRegisters
	fillPeakRegisters[T](&r, 0.5)
	return repeatProfile[T](p, f, n, &r)
}

// fillPeakRegisters sets all lanes to v.
func fillPeakRegisters[T Float](r *peakRegisters, v T) {
	lanes := peakLanes[T](r)
	for i := range lanes {
		lanes[i] = v
	}
}

// peakLanes returns the registers as elements.
func peakLanes[T Float](r *peakRegisters) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(r)), len(r)*8/int(sizeOf[T]()))
}

func sizeOf[T Float]() uintptr {
	var e T
	return unsafe.Sizeof(e)
}

// repeatSums sets every lane s that the path works on to a·s + b (Product) or
// |a − s| + b (Absolute; the Go path has a formula of its own), n times, and
// returns the number of times and lanes.
func repeatSums[T Float](p Path, base Base, a, b float64, n int, r *peakRegisters) int {
	checkRounds(n)
	if p == Go {
		repeatSumsGo(base, T(a), T(b), n, (*[goSums]T)(peakLanes[T](r)))
		return n * goSums
	}
	j := peakJob[T](Profile{a: a, b: b}, r)
	j.base = uint64(base)
	return n * j.repeat(p, sumRounds, n, sizeOf[T]() == 4)
}

// repeatProfile sets every lane that the path works on to f of it, n times, and
// returns the number of times and lanes.
func repeatProfile[T Float](p Path, f Profile, n int, r *peakRegisters) int {
	checkRounds(n)
	if f.kind == identity {
		panic("simd: the identity is no profile to calibrate")
	}
	if p == Go {
		lanes := peakLanes[T](r)[:goSums]
		for range n {
			applyGo(f, lanes)
		}
		return n * goSums
	}
	j := peakJob[T](f, r)
	return n * j.repeat(p, profileRounds, n, sizeOf[T]() == 4)
}

func checkRounds(n int) {
	if n < 1 {
		panic(fmt.Sprintf("simd: calibration of %d rounds", n))
	}
}

// peakJob returns a job on the registers with the parameters of f.
func peakJob[T Float](f Profile, r *peakRegisters) (j job) {
	s := sweep{single: sizeOf[T]() == 4, profile: f}
	s.fillIn(&j)
	j.dst, j.profile = unsafe.Pointer(r), uint64(f.kind)
	return j
}

// repeat runs a calibration for n rounds and returns the number of lanes that
// took part.
func (j *job) repeat(p Path, atATime, n int, single bool) (lanes int) {
	for left := n; left > 0; left -= atATime {
		j.tiles = min(left, atATime)
		lanes = j.peak(p, single)
	}
	return lanes
}
