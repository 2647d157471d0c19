package simd

// goSums is how many numbers the calibration in plain Go works on: as many as
// hide the latency of the additions and stay in peakRegisters.
const goSums = 8

// repeatSumsGo is the calibration in plain Go.
func repeatSumsGo[T Float](base Base, a, b T, n int, s *[goSums]T) {
	if base == Absolute {
		repeatAbsoluteGo(a, b, n, s)
		return
	}
	repeatProductGo(a, b, n, s)
}

func repeatProductGo[T Float](a, b T, n int, s *[goSums]T) {
	s0, s1, s2, s3, s4, s5, s6, s7 := s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]
	for range n {
		s0 = T(a*s0) + b
		s1 = T(a*s1) + b
		s2 = T(a*s2) + b
		s3 = T(a*s3) + b
		s4 = T(a*s4) + b
		s5 = T(a*s5) + b
		s6 = T(a*s6) + b
		s7 = T(a*s7) + b
	}
	*s = [goSums]T{s0, s1, s2, s3, s4, s5, s6, s7}
}

// repeatAbsoluteGo is s = s + |a − p| for the numbers p that s begins with, and
// a = a + b: fed by the sum alone it would wait for three operations. It works
// on four sums at a time, for the reason given in tile_go.go.
func repeatAbsoluteGo[T Float](a, b T, n int, s *[goSums]T) {
	for i := 0; i < goSums; i += stripLanes {
		repeatAbsoluteStripGo(a, b, n, (*[stripLanes]T)(s[i:]))
	}
}

func repeatAbsoluteStripGo[T Float](a, b T, n int, s *[stripLanes]T) {
	p0, p1, p2, p3 := s[0], s[1], s[2], s[3]
	s0, s1, s2, s3 := p0, p1, p2, p3
	for range n {
		s0 += magnitude(a - p0)
		s1 += magnitude(a - p1)
		s2 += magnitude(a - p2)
		s3 += magnitude(a - p3)
		a += b
	}
	*s = [stripLanes]T{s0, s1, s2, s3}
}
