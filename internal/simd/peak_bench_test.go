package simd

import (
	"testing"
)

// BenchmarkPeak prints the rates that bound the tiles, in 1e9 a second.
func BenchmarkPeak(b *testing.B) {
	for _, p := range Available() {
		b.Run(p.String()+"/float64", func(b *testing.B) { benchmarkPeaks[float64](b, p) })
		b.Run(p.String()+"/float32", func(b *testing.B) { benchmarkPeaks[float32](b, p) })
	}
}

func benchmarkPeaks[T Float](b *testing.B, p Path) {
	const rounds = 1000
	peaks := map[string]func() int{
		"fma":      func() int { return PeakFMA[T](p, rounds) },
		"absolute": func() int { return PeakAbsolute[T](p, rounds) },
	}
	for name, f := range calibrated {
		peaks[name] = func() int { return PeakProfile[T](p, f, rounds) }
	}
	for name, run := range peaks {
		b.Run(name, func(b *testing.B) {
			done := 0
			for b.Loop() {
				done += run()
			}
			b.ReportMetric(float64(done)/float64(b.Elapsed().Nanoseconds()), "1e9/s")
		})
	}
}
