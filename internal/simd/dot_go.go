package simd

func dotGo(x, y []float64) (s float64) {
	y = y[:len(x)]
	for k, a := range x {
		s += float64(a * y[k])
	}
	return s
}
