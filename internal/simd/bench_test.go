package simd

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
)

func BenchmarkExp(b *testing.B) {
	src, dst := make([]float64, 1024), make([]float64, 1024)
	for i := range src {
		src[i] = -20 * float64(i) / 1024
	}
	perValue := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1024, "ns/value")
	}
	b.Run("simd.Exp", func(b *testing.B) {
		for b.Loop() {
			ScaledExp.Apply(dst, src, 1)
		}
		perValue(b)
	})
	b.Run("math.Exp", func(b *testing.B) {
		for b.Loop() {
			for i, v := range src {
				dst[i] = math.Exp(v)
			}
		}
		perValue(b)
	})
}

// randomMatrix has normal entries and pad unused values after each row.
func randomMatrix(rng *rand.Rand, rows, cols, pad int) blas64.General {
	m := blas64.General{Rows: rows, Cols: cols, Stride: cols + pad}
	m.Data = make([]float64, rows*m.Stride)
	for i := range m.Data {
		m.Data[i] = rng.NormFloat64()
	}
	return m
}
