package symeig

import (
	"math"

	"github.com/nystream/nystream/internal/linalg/conquer"
)

// merge decomposes diag(D) + ρ·z·zᵀ in the basis of the vectors of two halves, where D holds their
// eigenvalues and z the components of w = (e_last, sign·e_first).
func (t *tridiagonal) merge(lo, mid, hi int, rho, sign float64) {
	n := hi - lo
	// The norm √2 of w is moved to ρ.
	m := &conquer.Merge{Rho: 2 * rho, D: t.d[lo:hi], Z: make([]float64, n), Parts: make([]conquer.Part, n)}
	most := 0.0
	for i := range n {
		if row := t.q.Row(lo + i); lo+i < mid {
			m.Z[i] = row[mid-1] / math.Sqrt2
		} else {
			m.Z[i], m.Parts[i] = sign*row[mid]/math.Sqrt2, conquer.Second
		}
		most = math.Max(most, math.Max(math.Abs(m.D[i]), math.Abs(m.Z[i])))
	}
	m.Deflate(m.Ascending(), 8*conquer.Epsilon*most, func(i, j int, c, s float64) {
		conquer.Rotate(t.q.Row(lo + i)[lo:hi], t.q.Row(lo + j)[lo:hi], c, s)
	})
	k := len(m.Kept)
	values := m.Secular().Solve(conquer.Rows(t.mix.Block(0, k, 0, k)), m.Grouped(), nil)
	m.Vectors(t.q, t.held, t.mix, lo, mid, hi)
	m.Replace(values)
}
