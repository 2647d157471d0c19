package simd

import (
	"testing"
	"time"
)

// BenchmarkPeak reports the multiply-add peak of each path.
func BenchmarkPeak(b *testing.B) {
	for _, p := range Available() {
		b.Run(p.String(), func(b *testing.B) {
			best := 0.0
			for b.Loop() {
				best = max(best, peakOf(p))
			}
			b.ReportMetric(best, "GF/s")
		})
	}
}

// peakOf returns the multiply-add peak of a path in 1e9 operations per second: the best of 20 slices
// of about 50 µs. A multiply-add is two operations.
func peakOf(p Path) float64 {
	s, operations := &peakSums{a: -2, sums: [peakLanes]float64{1}}, 0
	took := leastOf(20, func() { operations = 2 * peakRounds * s.repeat(p, peakRounds) })
	return float64(operations) / took
}

// leastOf returns the least time of n runs in nanoseconds, which other work on the machine inflates least.
func leastOf(n int, run func()) float64 {
	var least time.Duration
	for i := range n {
		began := time.Now()
		run()
		if took := time.Since(began); i == 0 || took < least {
			least = took
		}
	}
	return float64(least.Nanoseconds())
}
