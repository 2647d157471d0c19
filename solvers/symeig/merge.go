package symeig

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// part tells which half of its coordinates a vector has.
type part uint8

const (
	first part = iota
	both
	second
)

// merge decomposes diag(D) + ρ·z·zᵀ in the basis of the vectors of two halves, D
// their eigenvalues and z the components of w = (e_last, sign·e_first).
func (t *tridiagonal) merge(lo, mid, hi int, rho, sign float64) {
	n := hi - lo
	z := make([]float64, n)
	parts := make([]part, n)
	for i := range n {
		// w has the norm √2, which goes into ρ.
		if row := t.q.row(lo + i); lo+i < mid {
			z[i] = row[mid-1] / math.Sqrt2
		} else {
			z[i], parts[i] = sign*row[mid]/math.Sqrt2, second
		}
	}
	rho *= 2
	kept, rest := t.deflate(lo, hi, rho, z, parts)
	m := newSecular(rho, t.d[lo:hi], z, kept)
	// Vectors by the part they have, so that zeros are not multiplied.
	grouped := numbered(len(kept))
	slices.SortStableFunc(grouped, func(i, j int) int { return cmp.Compare(parts[kept[i]], parts[kept[j]]) })
	values := m.solve(rows(t.mix.block(0, len(kept), 0, len(kept))), grouped)
	t.combine(lo, mid, hi, grouped, kept, rest, parts, values)
}

// deflate finds the eigenvalues that stay what they are to rounding, because z has
// no part in their vector, or because after a rotation with the vector of a close
// eigenvalue it has none (Gu & Eisenstat 1995, Section 4). The others are kept, in
// ascending order.
func (t *tridiagonal) deflate(lo, hi int, rho float64, z []float64, parts []part) (kept, rest []int) {
	d := t.d[lo:hi]
	order := numbered(len(d))
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(d[i], d[j]) })
	most := 0.0
	for i := range d {
		most = math.Max(most, math.Max(math.Abs(d[i]), math.Abs(z[i])))
	}
	limit := 8 * epsilon * most
	last := -1
	for _, i := range order {
		if rho*math.Abs(z[i]) <= limit {
			rest = append(rest, i)
			continue
		}
		if last >= 0 {
			norm := math.Hypot(z[i], z[last])
			c, s := z[i]/norm, -z[last]/norm
			if math.Abs((d[i]-d[last])*c*s) <= limit {
				z[i], z[last] = norm, 0
				rotate(t.q.row(lo + last)[lo:hi], t.q.row(lo + i)[lo:hi], c, s)
				d[last], d[i] = d[last]*c*c+d[i]*s*s, d[last]*s*s+d[i]*c*c
				if parts[i] != parts[last] {
					parts[i], parts[last] = both, both
				}
				rest = append(rest, last)
			} else {
				kept = append(kept, last)
			}
		}
		last = i
	}
	if last >= 0 {
		kept = append(kept, last)
	}
	return kept, rest
}

// rotate is x, y ← c·x + s·y, c·y − s·x.
func rotate(x, y []float64, c, s float64) {
	for i, v := range x {
		x[i], y[i] = c*v+s*y[i], c*y[i]-s*v
	}
}

// combine puts the vectors that t.mix makes of the kept ones in the first rows of
// the block, and those of the rest, which do not change, behind them.
func (t *tridiagonal) combine(lo, mid, hi int, grouped, kept, rest []int, parts []part, values []float64) {
	k := len(kept)
	var count [second + 1]int
	for at, i := range grouped {
		copy(t.held.row(at)[lo:hi], t.q.row(lo + kept[i])[lo:hi])
		count[parts[kept[i]]]++
	}
	d := values
	for at, i := range rest {
		copy(t.held.row(k + at)[lo:hi], t.q.row(lo + i)[lo:hi])
		d = append(d, t.d[lo+i])
	}
	copy(t.d[lo:hi], d)
	for at := range rest {
		copy(t.q.row(lo + k + at)[lo:hi], t.held.row(k + at)[lo:hi])
	}
	t.product(lo, k, 0, count[first]+count[both], lo, mid-lo)
	t.product(lo, k, count[first], count[both]+count[second], mid, hi-mid)
}

// product makes some columns of the first k vectors of a block from held ones, the
// only ones that have a part there.
func (t *tridiagonal) product(lo, k, from, vectors, col, cols int) {
	if k == 0 {
		return
	}
	out := t.q.block(lo, k, col, cols)
	if vectors == 0 {
		for i := range k {
			clear(t.q.row(lo + i)[col : col+cols])
		}
		return
	}
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, t.mix.block(0, k, from, vectors), t.held.block(from, vectors, col, cols), 0, out)
}
