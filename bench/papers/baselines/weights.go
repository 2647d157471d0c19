package baselines

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// fitWeights fits the squares of the weights to the kernel entries between rows:
// weight·Σ_j w_j²·φ_j(x)·φ_j(y) against k(x, y), by least squares, none negative.
// Entries on the diagonal count as they occur among n rows.
func (f *tensorMap) fitWeights(weight float64, k kernelgen.Kernel, rows blas64.General, n int64) {
	gram, target := f.normalEquations(weight, k, rows, n)
	for j, factor := range nonNegative(gram, target) {
		f.degrees[j].weight *= math.Sqrt(factor)
	}
}

// normalEquations sums, over pairs of rows, the products of what degrees give for
// the pair with each other and with the kernel entry over weight.
func (f *tensorMap) normalEquations(weight float64, k kernelgen.Kernel, rows blas64.General, n int64) ([][]float64, []float64) {
	gram, target := make([][]float64, len(f.degrees)), make([]float64, len(f.degrees))
	for j := range gram {
		gram[j] = make([]float64, len(f.degrees))
	}
	parts := make([]float64, len(f.degrees))
	onDiagonal := float64(rows.Rows-1) / float64(max(1, n-1))
	if n == 1 {
		onDiagonal = 1
	}
	z, a := stream.NewMatrix(rows.Rows, f.Columns()), stream.NewMatrix(rows.Rows, rows.Rows)
	f.Applier()(z, rows)
	k.Fill(a, rows, k.Pack(rows), nil)
	for i := range rows.Rows {
		x := dense.Row(z, i)
		for l, v := range dense.Row(a, i)[:i+1] {
			y, at, count := dense.Row(z, l), 0, 2.0
			if l == i {
				count = onDiagonal
			}
			for j, d := range f.degrees {
				parts[j] = dense.Dot(x[at:at+d.columns], y[at:at+d.columns])
				at += d.columns
			}
			for j, p := range parts {
				target[j] += count * p * (v / weight)
				dense.Axpy(count*p, parts[:j+1], gram[j][:j+1])
			}
		}
	}
	for j := range gram {
		for l := range j {
			gram[l][j] = gram[j][l]
		}
	}
	return gram, target
}

// nonNegative minimises xᵀ·gram·x − 2·target·x over x ≥ 0 by coordinates in turn,
// from x = 1 (Franc, Hlaváč & Navara 2005).
func nonNegative(gram [][]float64, target []float64) []float64 {
	x := make([]float64, len(target))
	for j := range x {
		x[j] = 1
	}
	for range 2000 {
		change := 0.0
		for j, row := range gram {
			if !(row[j] > 0) {
				continue
			}
			next := max(0, x[j]+(target[j]-dense.Dot(row, x))/row[j])
			change = max(change, math.Abs(next-x[j]))
			x[j] = next
		}
		if change < 1e-9 {
			break
		}
	}
	return x
}
