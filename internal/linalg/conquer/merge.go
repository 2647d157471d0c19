package conquer

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// Part is the set of nonzero coordinates of a vector: one half or both.
type Part uint8

const (
	First Part = iota
	Both
	Second
)

// Merge is diag(D) + Rho·Z·Zᵀ in the basis of the vectors of two halves. Vector i has its nonzeros
// in Parts[i]. Deflate separates the vectors that enter the secular equation, in ascending order of
// D, from the rest.
type Merge struct {
	Rho        float64
	D, Z       []float64
	Parts      []Part
	Kept, Rest []int
}

// Ascending returns the indices of D in ascending order of its values.
func (m *Merge) Ascending() []int {
	order := Numbered(len(m.D))
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(m.D[i], m.D[j]) })
	return order
}

// Deflate finds the vectors that are unchanged to rounding: their component of z vanishes, or does
// so after a rotation with the vector of a close d (Gu & Eisenstat 1995, Section 4). It visits the
// vectors in the given ascending order. rotate must apply x, y ← c·x + s·y, c·y − s·x to the
// vectors x and y.
func (m *Merge) Deflate(order []int, limit float64, rotate func(x, y int, c, s float64)) {
	d, z := m.D, m.Z
	last := -1
	for _, i := range order {
		if m.Rho*math.Abs(z[i]) <= limit {
			m.Rest = append(m.Rest, i)
			continue
		}
		if last >= 0 {
			norm := math.Hypot(z[i], z[last])
			c, s := z[i]/norm, -z[last]/norm
			if math.Abs((d[i]-d[last])*c*s) <= limit {
				z[i], z[last] = norm, 0
				rotate(last, i, c, s)
				d[last], d[i] = d[last]*c*c+d[i]*s*s, d[last]*s*s+d[i]*c*c
				m.Mixed(i, last)
				m.Rest = append(m.Rest, last)
			} else {
				m.Kept = append(m.Kept, last)
			}
		}
		last = i
	}
	if last >= 0 {
		m.Kept = append(m.Kept, last)
	}
}

// Mixed records a rotation of vectors i and j.
func (m *Merge) Mixed(i, j int) {
	if m.Parts[i] != m.Parts[j] {
		m.Parts[i], m.Parts[j] = Both, Both
	}
}

// Secular returns the equation of the kept vectors.
func (m *Merge) Secular() *Secular {
	s := &Secular{Rho: m.Rho, D: make([]float64, len(m.Kept)), Z: make([]float64, len(m.Kept))}
	for i, k := range m.Kept {
		s.D[i], s.Z[i] = m.D[k], m.Z[k]
	}
	return s
}

// Grouped returns the indices of Kept ordered by Parts, so that zeros are not multiplied.
func (m *Merge) Grouped() []int {
	grouped := Numbered(len(m.Kept))
	slices.SortStableFunc(grouped, func(i, j int) int { return cmp.Compare(m.Parts[m.Kept[i]], m.Parts[m.Kept[j]]) })
	return grouped
}

// Replace sets D to the values of the kept vectors, followed by those of the rest.
func (m *Merge) Replace(values []float64) {
	for _, i := range m.Rest {
		values = append(values, m.D[i])
	}
	copy(m.D, values)
}

// Vectors combines the vectors in rows lo + i of q, whose halves have the coordinates lo to mid and
// mid to end. Row j of mix holds the coefficients of the kept vectors, in the order of Grouped, and
// the combination becomes row lo + j. The rest follow, unchanged. held is overwritten.
func (m *Merge) Vectors(q, held, mix Rows, lo, mid, end int) {
	k := len(m.Kept)
	var count [Second + 1]int
	for at, i := range m.Grouped() {
		copy(held.Row(at)[lo:end], q.Row(lo + m.Kept[i])[lo:end])
		count[m.Parts[m.Kept[i]]]++
	}
	for at, i := range m.Rest {
		copy(held.Row(k + at)[lo:end], q.Row(lo + i)[lo:end])
	}
	for at := range m.Rest {
		copy(q.Row(lo + k + at)[lo:end], held.Row(k + at)[lo:end])
	}
	product := func(from, vectors, col, cols int) {
		switch {
		case k == 0:
		case vectors == 0:
			for i := range k {
				clear(q.Row(lo + i)[col : col+cols])
			}
		default:
			blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, mix.Block(0, k, from, vectors), held.Block(from, vectors, col, cols), 0, q.Block(lo, k, col, cols))
		}
	}
	product(0, count[First]+count[Both], lo, mid-lo)
	product(count[First], count[Both]+count[Second], mid, end-mid)
}
