package main

// emitPeak emits the loop that measures the multiply-add peak of an instruction set: independent
// accumulators, s += a·s in each, and nothing in memory. The accumulators hide the latency of an
// instruction; AVX2 has 16 registers, the others 32.
//
// The caller passes a, followed by the first values of all lanes, and finds their last values there.
func emitPeak(l *lanes) {
	accumulators := [...]int{avx2: 12, avx512: 24, neon: 24}[l.isa]
	l.function("peakF64", "func(a *float64, rounds int)", "repeats s += a·s on registers; see peak.go in _gen.")
	values, rounds := l.parameter("a"), l.parameter("rounds")
	factor, sums := l.vec(), l.vecs(accumulators)
	l.broadcast(mem{base: values}, factor)
	place := func(i int) mem { return mem{base: values, disp: 8 + i*l.width()} }
	for i, s := range sums {
		l.move(place(i), s)
	}
	loop := l.label("loop")
	l.mark(loop)
	for _, s := range sums {
		l.fma(factor, s, s)
	}
	l.countDown(rounds, loop)
	for i, s := range sums {
		l.move(s, place(i))
	}
	l.leave()
}
