package simd

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func BenchmarkFill(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, path := range Available() {
		if path == Go { continue }
		for _, c := range []struct{ name string; base Base; f Profile }{{"prod", Product, Profile{}}, {"sq", Square, Profile{}}, {"rbf", Square, Exponential(-1)}, {"lap", Absolute, Exponential(-1)}, {"m52", Square, ExponentialOfRoot(-2, -1, 1.0/3)}, {"poly3", Product, Power(1, 1, 3)}} {
			for _, d := range []int{3, 8, 20, 128, 784, 3072} {
				b.Run(fmt.Sprintf("%v/%s/d=%d", path, c.name, d), func(b *testing.B) {
					defer Use(path)()
					x, p := randomMatrix(rng, 64, d, 0), Pack(randomMatrix(rng, 200, d, 0))
					dst := randomMatrix(rng, 64, 200, 0)
					for b.Loop() {
						Fill(Matrix[float64](dst), Matrix[float64](x), p, c.base, c.f)
					}
					ns := float64(b.Elapsed().Nanoseconds()) / float64(b.N) / (64 * 200)
					b.ReportMetric(ns, "ns/entry")
					b.ReportMetric(2*float64(d)/ns, "GF")
				})
			}
		}
	}
}
