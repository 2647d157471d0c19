package svd

import (
	"math"

	"github.com/nystream/nystream/internal/linalg/conquer"
)

// merge decomposes a block in the basis of the vectors of its parts above and below row mid. In
// this basis the matrix has the row z at mid, and the singular values D of the parts on the rest of
// the diagonal. Its square is diag(D²) + z·zᵀ with D_mid = 0.
func (b *bidiagonal) merge(lo, mid, hi, wide int) {
	n, end := hi-lo, hi+wide
	m := &conquer.Merge{Rho: 1, D: b.d[lo:hi], Z: make([]float64, n), Parts: make([]conquer.Part, n)}
	upper, lower := b.d[mid], b.e[mid]
	for i := range n {
		if row := b.v.Row(lo + i); lo+i <= mid {
			m.Z[i] = upper * row[mid]
		} else {
			m.Z[i], m.Parts[i] = lower*row[mid+1], conquer.Second
		}
	}
	at := mid - lo
	m.D[at] = 0
	b.u.Row(mid)[mid] = 1
	if wide == 1 {
		// Both parts have a null vector. A rotation moves all of z to the first of them; the other
		// is the null vector of the block.
		z := lower * b.v.Row(hi)[mid+1]
		if norm := math.Hypot(m.Z[at], z); norm > b.limit {
			conquer.Rotate(b.v.Row(mid)[lo:end], b.v.Row(hi)[lo:end], m.Z[at]/norm, z/norm)
			m.Z[at], m.Parts[at] = norm, conquer.Both
		}
	}
	b.deflate(m, lo, mid, hi, end)
	k := len(m.Kept)
	block := func(q conquer.Rows) conquer.Rows { return conquer.Rows(q.Block(0, k, 0, k)) }
	equation := m.Secular()
	equation.Squares = true
	values := vectors(equation, block(b.mixU), block(b.mixV), m.Grouped())
	m.Vectors(b.u, b.held, b.mixU, lo, mid+1, hi)
	m.Vectors(b.v, b.held, b.mixV, lo, mid+1, end)
	m.Replace(values)
}

// deflate finds the vectors that are unchanged to rounding. The vector of row mid is always kept,
// as the first, since its D is 0. Vectors whose D is 0 to rounding are rotated so that it takes
// over their z.
func (b *bidiagonal) deflate(m *conquer.Merge, lo, mid, hi, end int) {
	at := mid - lo
	order := make([]int, 0, len(m.D))
	for _, i := range m.Ascending() {
		if i == at {
			continue
		}
		order = append(order, i)
		if m.D[i] <= b.limit && math.Abs(m.Z[i]) > b.limit {
			norm := math.Hypot(m.Z[at], m.Z[i])
			conquer.Rotate(b.v.Row(mid)[lo:end], b.v.Row(lo + i)[lo:end], m.Z[at]/norm, m.Z[i]/norm)
			m.Z[at], m.Z[i], m.D[i] = norm, 0, 0
			m.Mixed(at, i)
		}
	}
	m.Kept = append(m.Kept, at)
	m.Deflate(order, b.limit, func(i, j int, c, s float64) {
		conquer.Rotate(b.u.Row(lo + i)[lo:hi], b.u.Row(lo + j)[lo:hi], c, s)
		conquer.Rotate(b.v.Row(lo + i)[lo:end], b.v.Row(lo + j)[lo:end], c, s)
	})
	if math.Abs(m.Z[at]) <= b.limit {
		m.Z[at] = math.Copysign(b.limit, m.Z[at])
	}
}

// vectors solves the equation. Row j of right becomes (z_i/(d_i² − σ_j²))_i and row j of left
// (d_i·z_i/(d_i² − σ_j²))_i, with −1 in place of the first entry, which is 0. Both are normalised,
// with columns in the given order.
func vectors(equation *conquer.Secular, left, right conquer.Rows, order []int) []float64 {
	if len(order) == 1 {
		// z is zero here if the whole matrix is.
		left.Row(0)[0], right.Row(0)[0] = 1, math.Copysign(1, equation.Z[0])
		return []float64{math.Abs(equation.Z[0])}
	}
	return equation.Solve(right, order, func(j int, vector []float64) {
		for i, d := range equation.D {
			vector[i] *= d
		}
		vector[0] = -1
		conquer.Normalised(left.Row(j), vector, order)
	})
}
