package kernelgen

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// BenchmarkTile reports nanoseconds for each entry of a 256×200 tile.
func BenchmarkTile(b *testing.B) {
	for _, text := range []string{"rbf(gamma=1)", "0.5*rbf(gamma=1) + 2*matern32(length=1)", "laplace(gamma=1)", "linear()", "cosine()"} {
		for _, d := range []int{3, 20, 128} {
			b.Run(fmt.Sprintf("%s/d=%d", text, d), func(b *testing.B) {
				k, x, y := mustParse(b, text), benchRows(256, d), benchRows(200, d)
				p, dst := k.Pack(y), benchRows(256, 200)
				var w Workspace
				for b.Loop() {
					k.Fill(dst, x, p, &w)
				}
				perEntry(b)
			})
		}
	}
}

// BenchmarkGonumTile is the same RBF tile by gonum's Gemm and math.Exp.
func BenchmarkGonumTile(b *testing.B) {
	for _, d := range []int{3, 20, 128} {
		b.Run(fmt.Sprintf("d=%d", d), func(b *testing.B) {
			x, y, dst := benchRows(256, d), benchRows(200, d), benchRows(256, 200)
			for b.Loop() {
				blas64.Gemm(blas.NoTrans, blas.Trans, 1, x, y, 0, dst)
				for i := range dst.Rows {
					xx := inner(row(x, i), row(x, i))
					for j, v := range row(dst, i) {
						row(dst, i)[j] = math.Exp(-max(0, xx+1-2*v))
					}
				}
			}
			perEntry(b)
		})
	}
}

func benchRows(n, d int) blas64.General {
	return normal(rand.New(rand.NewPCG(1, 2)), n, d, 0)
}

func perEntry(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(256*200), "ns/entry")
}
