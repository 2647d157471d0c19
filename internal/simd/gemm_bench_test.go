package simd

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// BenchmarkGemm reports billions of operations a second, for products of m×k
// and k×n.
func BenchmarkGemm(b *testing.B) {
	shapes := [][3]int{{1024, 1024, 1024}, {4096, 784, 4096}, {256, 50, 50}, {256, 200, 200}, {1024, 50, 50},
		{100, 10000, 100}, {10000, 100, 100}, {64, 64, 64}, {500, 500, 500}}
	for _, path := range Available() {
		for _, s := range shapes {
			for _, t := range []string{"NN", "NT", "TN", "TT"} {
				for _, threads := range []int{1, 2} {
					b.Run(fmt.Sprintf("%v/%dx%dx%d/%s/threads=%d", path, s[0], s[1], s[2], t, threads), func(b *testing.B) {
						defer Use(path)()
						benchmarkGemm(b, threads, s, blas.Transpose(t[0]), blas.Transpose(t[1]))
					})
				}
			}
		}
	}
}

func benchmarkGemm(b *testing.B, threads int, s [3]int, ta, tb blas.Transpose) {
	rng := rand.New(rand.NewPCG(1, 2))
	x, y := storedFor(rng, ta, s[0], s[1], 0), storedFor(rng, tb, s[1], s[2], 0)
	c := randomMatrix(rng, s[0], s[2], 0)
	b.ReportAllocs()
	for b.Loop() {
		GemmThreads(threads, ta, tb, 1, Matrix[float64](x), Matrix[float64](y), 0, Matrix[float64](c))
	}
	perCall := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
	b.ReportMetric(2*float64(s[0])*float64(s[1])*float64(s[2])/perCall, "GF")
}

// storedFor returns a random matrix which, under t, is rows × cols.
func storedFor(rng *rand.Rand, t blas.Transpose, rows, cols, pad int) blas64.General {
	if t != blas.NoTrans {
		rows, cols = cols, rows
	}
	return randomMatrix(rng, rows, cols, pad)
}
