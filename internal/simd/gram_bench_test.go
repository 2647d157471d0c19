package simd

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func BenchmarkGramAndSolve(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range [][2]int{{256, 50}, {512, 50}, {160, 200}, {1024, 50}, {1024, 200}} {
		x, g, r := paddedOf(randomMatrix(rng, c[0], c[1], 0)), new(Padded), paddedOf(randomTriangle(rng, c[1]))
		g.Reset(c[1], c[1])
		rate := func(b *testing.B) {
			b.ReportMetric(float64(c[0]*c[1]*c[1])*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GF/s")
		}
		b.Run(fmt.Sprintf("Gram/%dx%d", c[0], c[1]), func(b *testing.B) {
			for b.Loop() {
				Gram(g, x, false)
			}
			rate(b)
		})
		var s UpperSolver
		b.Run(fmt.Sprintf("Prepare/%d", c[1]), func(b *testing.B) {
			for b.Loop() {
				s.Prepare(r)
			}
		})
		b.Run(fmt.Sprintf("Solve/%dx%d", c[0], c[1]), func(b *testing.B) {
			for b.Loop() {
				s.Solve(x)
			}
			rate(b)
		})
	}
}
