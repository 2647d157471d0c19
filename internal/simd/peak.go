package simd

import "fmt"

// peakLanes is the number of lanes of the widest peak loop: 24 registers of eight.
const peakLanes = 24 * 8

// peakRounds bounds a call of the assembly, which cannot be preempted, to about 50 µs.
const peakRounds = 4096

// peakSums are the operands of the peak loop, which the assembly reads in this order.
type peakSums struct {
	a    float64
	sums [peakLanes]float64
}

// repeat sets s to s + a·s in every lane of the path, n times, and returns the number of lanes.
// The assembly keeps the lanes in registers, so that the loop runs at the multiply-add peak: benchmarks
// compare the primitives with it. repeat panics if n is below 1.
func (s *peakSums) repeat(p Path, n int) (lanes int) {
	if n < 1 {
		panic(fmt.Sprintf("simd: peak loop of %d rounds", n))
	}
	if p == Go {
		return s.repeatGo(n)
	}
	for left := n; left > 0; left -= peakRounds {
		lanes = s.repeatAssembly(p, min(left, peakRounds))
	}
	return lanes
}

// repeatGo implements repeat in plain Go, on seven lanes: with their products they fill the registers
// of amd64. It rounds products, as the reference of the tiles does.
func (s *peakSums) repeatGo(n int) (lanes int) {
	a, sums := s.a, s.sums[:7]
	s0, s1, s2, s3, s4, s5, s6 := sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], sums[6]
	for range n {
		s0 += float64(a * s0)
		s1 += float64(a * s1)
		s2 += float64(a * s2)
		s3 += float64(a * s3)
		s4 += float64(a * s4)
		s5 += float64(a * s5)
		s6 += float64(a * s6)
	}
	sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], sums[6] = s0, s1, s2, s3, s4, s5, s6
	return len(sums)
}
