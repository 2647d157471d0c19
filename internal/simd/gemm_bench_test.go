package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/nystream/nystream/internal/matrix"
)

// BenchmarkGemm reports the rate of products of m×k and k×n, and the largest error of sampled entries relative
// to the sum of magnitudes.
func BenchmarkGemm(b *testing.B) {
	shapes := [][3]int{{1024, 1024, 1024}, {4096, 784, 4096}, {256, 50, 50}, {256, 200, 200}, {1024, 50, 50},
		{100, 10000, 100}, {10000, 100, 100}, {64, 64, 64}, {500, 500, 500}}
	for _, path := range Available() {
		for _, s := range shapes {
			for _, t := range []string{"NN", "NT", "TN", "TT"} {
				for _, threads := range []int{1, 2} {
					b.Run(fmt.Sprintf("%v/%dx%dx%d/%s/threads=%d", path, s[0], s[1], s[2], t, threads), func(b *testing.B) {
						defer Use(path)()
						ta, tb := blas.Transpose(t[0]), blas.Transpose(t[1])
						benchmarkGemm(b, s, ta, tb, func(x, y, c blas64.General) {
							GemmThreads(threads, ta, tb, 1, x, y, 0, c)
						})
					})
				}
			}
		}
	}
	b.Run("gonum/1024x1024x1024/NN", func(b *testing.B) { // on all threads
		benchmarkGemm(b, shapes[0], blas.NoTrans, blas.NoTrans, func(x, y, c blas64.General) {
			gonum.Implementation{}.Dgemm(blas.NoTrans, blas.NoTrans, c.Rows, c.Cols, x.Cols, 1, x.Data, x.Stride, y.Data, y.Stride, 0, c.Data, c.Stride)
		})
	})
}

// benchmarkGemm reports the rate in 1e9 operations per second, of the fastest product.
func benchmarkGemm(b *testing.B, s [3]int, ta, tb blas.Transpose, product func(x, y, c blas64.General)) {
	rng := rand.New(rand.NewPCG(1, 2))
	x, y := storedFor(rng, ta, s[0], s[1], 0), storedFor(rng, tb, s[1], s[2], 0)
	c := randomMatrix(rng, s[0], s[2], 0)
	least := math.Inf(1)
	b.ReportAllocs()
	for b.Loop() {
		began := time.Now()
		product(x, y, c)
		least = min(least, float64(time.Since(began)))
	}
	b.ReportMetric(2*float64(s[0])*float64(s[1])*float64(s[2])/least, "GF/s")
	b.ReportMetric(gemmError(x, y, c, ta, tb, s[1])/epsilon, "max-err/ε")
}

// gemmError returns the largest error of sampled entries of c = x·y, relative to |x|·|y|.
func gemmError(x, y, c blas64.General, ta, tb blas.Transpose, inner int) (worst float64) {
	for n := range 64 {
		i, j := n*101%c.Rows, n*37%c.Cols
		var sum twofold
		size := 0.0
		for k := range inner {
			a, b := at(ta, x, i, k), at(tb, y, k, j)
			sum.add(a, b)
			size += math.Abs(a * b)
		}
		worst = max(worst, math.Abs(matrix.Row(c, i)[j]-(sum.sum+sum.rest))/size)
	}
	return worst
}

// storedFor returns a random matrix whose transpose under t is rows×cols.
func storedFor(rng *rand.Rand, t blas.Transpose, rows, cols, pad int) blas64.General {
	if t != blas.NoTrans {
		rows, cols = cols, rows
	}
	return randomMatrix(rng, rows, cols, pad)
}
