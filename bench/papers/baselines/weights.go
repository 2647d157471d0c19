package baselines

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/bench/papers/lab"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// fitWeights fits the squares of the weights to the kernel entries between rows:
// weight·Σ_j w_j²·φ_j(x)·φ_j(y) against k(x, y), by least squares, none negative. Entries
// on the diagonal count as they occur among n rows.
func (m *tensorMap) fitWeights(weight float64, k kernelgen.Kernel, rows blas64.General, n int64) {
	z := stream.NewMatrix(rows.Rows, m.Columns())
	m.Applier()(z, rows)
	target := lab.Kernel(k, rows, rows)
	target.Scale(1/weight, target)
	all := []*mat.Dense{target} // and the products of pairs of rows in each degree
	at := 0
	for _, d := range m.degrees {
		part := lab.Dense(z).Slice(0, rows.Rows, at, at+d.columns)
		var products mat.Dense
		products.Mul(part, part.T())
		all = append(all, &products)
		at += d.columns
	}
	onDiagonal := math.Sqrt(float64(max(1, rows.Rows-1)) / float64(max(1, n-1)))
	flat := make([][]float64, len(all))
	for j, a := range all {
		for i := range rows.Rows {
			a.Set(i, i, onDiagonal*a.At(i, i))
		}
		flat[j] = a.RawMatrix().Data
	}
	for j, factor := range nonNegative(flat[1:], flat[0]) {
		m.degrees[j].weight *= math.Sqrt(factor)
	}
}

// nonNegative minimises ‖Σ_j x_j·parts_j − target‖ over x ≥ 0 by coordinates in turn, from
// x = 1 (Franc, Hlaváč & Navara 2005).
func nonNegative(parts [][]float64, target []float64) []float64 {
	x, gram, right := make([]float64, len(parts)), make([][]float64, len(parts)), make([]float64, len(parts))
	for j, a := range parts {
		x[j], right[j] = 1, floats.Dot(a, target)
		for _, b := range parts {
			gram[j] = append(gram[j], floats.Dot(a, b))
		}
	}
	for range 2000 {
		change := 0.0
		for j, row := range gram {
			if !(row[j] > 0) {
				continue
			}
			next := max(0, x[j]+(right[j]-floats.Dot(row, x))/row[j])
			change = max(change, math.Abs(next-x[j]))
			x[j] = next
		}
		if change < 1e-9 {
			break
		}
	}
	return x
}
