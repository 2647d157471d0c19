package kernelgen

import (
	"fmt"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"
)

// BenchmarkSingleTile is BenchmarkTile in float32, from rows of float64.
func BenchmarkSingleTile(b *testing.B) {
	for _, text := range []string{"rbf(gamma=1)", "0.5*rbf(gamma=1) + 2*matern32(length=1)", "laplace(gamma=1)", "linear()", "cosine()"} {
		for _, d := range []int{3, 20, 128} {
			b.Run(fmt.Sprintf("%s/d=%d", text, d), func(b *testing.B) {
				k, x := mustParse(b, text), benchRows(256, d)
				p := k.PackSingle(benchRows(200, d), make([]float64, d))
				dst := blas32.General{Rows: 256, Cols: 200, Stride: 200, Data: make([]float32, 256*200)}
				var w Workspace
				for b.Loop() {
					k.FillSingle(dst, x, p, &w)
				}
				perEntry(b)
			})
		}
	}
}
