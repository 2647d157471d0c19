package kernelgen

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/simd"
)

// BenchmarkTile reports nanoseconds per entry of a 256×200 tile.
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

// everyKernel holds each built-in kernel, and weights, sums and products.
var everyKernel = []string{
	"linear()", "poly(degree=3, gamma=0.1)", "rbf(gamma=0.1)", "laplace(gamma=0.1)", "exponential(gamma=0.1)",
	"matern12(length=2)", "matern32(length=2)", "matern52(length=2)", "rq(alpha=1, length=2)", "rq(alpha=1.5, length=2)",
	"cauchy(length=2)", "multiquadric(length=2)", "imq(length=2)", "csrbf(sigma2=40, theta=9, v=11)",
	"csrbf(sigma2=40, theta=9, v=10.5)", "sigmoid(gamma=0.1)", "cosine()", "expdot(scale=0.1)", "relu()",
	"0.5*rbf(gamma=0.1)", "0.5*rbf(gamma=0.1) + 2*matern32(length=2)", "rbf(gamma=0.1)*poly(degree=2, gamma=1)",
}

// BenchmarkKernels reports nanoseconds per entry of a 256×200 tile of rows of length 20.
func BenchmarkKernels(b *testing.B) {
	for _, path := range simd.Available() {
		for _, text := range everyKernel {
			b.Run(fmt.Sprintf("%v/%s", path, text), func(b *testing.B) {
				defer simd.Use(path)()
				k, x, y := mustParse(b, text), benchRows(256, 20), benchRows(200, 20)
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

// BenchmarkDiag reports nanoseconds per row of 256.
func BenchmarkDiag(b *testing.B) {
	for _, text := range []string{"rbf(gamma=0.1)", "matern52(length=2)", "rq(alpha=1.5, length=2)", "csrbf(sigma2=40, theta=9, v=11)",
		"linear()", "cosine()", "0.5*rbf(gamma=0.1) + 2*matern32(length=2)"} {
		for _, d := range []int{3, 20, 128, 784} {
			b.Run(fmt.Sprintf("%s/d=%d", text, d), func(b *testing.B) {
				k, x, dst := mustParse(b, text), benchRows(256, d), make([]float64, 256)
				b.ReportAllocs()
				for b.Loop() {
					k.Diag(dst, x)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/256, "ns/row")
			})
		}
	}
}

// BenchmarkMap reports nanoseconds per value of 1024.
func BenchmarkMap(b *testing.B) {
	src, dst := benchRows(1, 1024).Data, make([]float64, 1024)
	for _, name := range ElementMapNames() {
		b.Run(name, func(b *testing.B) {
			m, err := ParseElementMap(name)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				m.Apply(dst, src)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1024, "ns/value")
		})
	}
}

// BenchmarkGonumTile computes the same RBF tile by gonum's Gemm and math.Exp.
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

// benchRows returns n random rows of length d.
func benchRows(n, d int) blas64.General {
	return normal(rand.New(rand.NewPCG(1, 2)), n, d, 0)
}

// perEntry reports nanoseconds per entry instead of per operation.
func perEntry(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(256*200), "ns/entry")
}
