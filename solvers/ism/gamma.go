package ism

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
)

// gamma is Γ, the sum of its parts: zero without parts.
type gamma struct {
	n     int
	parts []*part
}

// part is weight·G·Gᵀ. G is dense, or H·Y for the one-hot matrix Y of class codes.
type part struct {
	weight  float64
	codes   []int32        // the class of each row; nil for a dense G
	g       blas64.General // G, n×k
	k       int            // columns of G
	sums    []float64      // Gᵀ1, or Yᵀ1: the sizes of the classes
	centred bool           // Gᵀ1 = 0 up to rounding
}

// centred returns weight·H·K_Y·H.
func (r *Response) centred(weight float64) *part {
	if r.codes == nil {
		return centredFactors(r.factors, weight)
	}
	p := &part{weight: weight, codes: r.codes, k: r.classes, sums: make([]float64, r.classes), centred: true}
	for _, c := range p.codes {
		p.sums[c]++
	}
	return p
}

// newPart returns weight·G·Gᵀ.
func newPart(g blas64.General, weight float64) *part {
	p := &part{weight: weight, g: g, k: g.Cols, sums: make([]float64, g.Cols)}
	for i := range g.Rows {
		matrix.Axpy(1, matrix.Row(g, i), p.sums)
	}
	return p
}

// centredFactors returns weight·H·G·Gᵀ·H. Constant columns become 0.
func centredFactors(g blas64.General, weight float64) *part {
	c := matrix.Clone(g)
	for i := range c.Rows {
		matrix.Axpy(-1, matrix.Row(g, 0), matrix.Row(c, i))
	}
	dense.CenterColumns(c)
	p := newPart(c, weight)
	p.centred = true
	return p
}

// centre turns sums over Y into sums over G. sums has a block of rows for each column of G.
func (p *part) centre(sums blas64.General) {
	if p.codes == nil {
		return
	}
	rows := sums.Rows / p.k
	total := matrix.New(rows, sums.Cols)
	for a := range p.k {
		dense.Add(1, matrix.Rows(sums, a*rows, rows), total)
	}
	for a, size := range p.sums {
		dense.Add(-size/float64(len(p.codes)), total, matrix.Rows(sums, a*rows, rows))
	}
}

// addSums adds Gᵀ·c, or Yᵀ·c, for rows starting at number i.
func (p *part) addSums(sums, c blas64.General, i int) {
	if p.codes == nil {
		blas64.Gemm(trans, noTrans, 1, matrix.Rows(p.g, i, c.Rows), c, 1, sums)
		return
	}
	for b, a := range p.codes[i : i+c.Rows] {
		matrix.Axpy(1, matrix.Row(c, b), matrix.Row(sums, int(a)))
	}
}

// factors returns left and right with Γ = left·rightᵀ.
func (g *gamma) factors() (left, right blas64.General) {
	k := 0
	for _, p := range g.parts {
		k += p.k
	}
	left, right = matrix.New(g.n, k), matrix.New(g.n, k)
	k = 0
	for _, p := range g.parts {
		for i := range g.n {
			row := matrix.Row(right, i)[k : k+p.k]
			if p.codes == nil {
				copy(row, matrix.Row(p.g, i))
			} else {
				matrix.Axpy(-1/float64(g.n), p.sums, row)
				row[p.codes[i]]++
			}
			matrix.Axpy(p.weight, row, matrix.Row(left, i)[k:k+p.k])
		}
		k += p.k
	}
	return left, right
}

// centred reports whether Γ1 = 0 up to rounding.
func (g *gamma) centred() bool {
	for _, p := range g.parts {
		if !p.centred {
			return false
		}
	}
	return true
}

// check returns an error if Γ is zero or overflows.
func (g *gamma) check(what string) error {
	for _, p := range g.parts {
		for a, s := range p.sums {
			if !matrix.IsFinite(s) {
				return fmt.Errorf("column %d of %s adds up to %v: scale it down", a, what, s)
			}
		}
		if !p.zero() {
			return nil
		}
	}
	return fmt.Errorf("%s is the same for all rows, so that every W depends on it alike; give at least two classes or values", what)
}

// zero reports whether the part is zero, as for a single class.
func (p *part) zero() bool {
	if p.codes == nil {
		return dense.MaxAbs(p.g) == 0
	}
	present := 0
	for _, s := range p.sums {
		if s > 0 {
			present++
		}
	}
	return present < 2
}

// norm returns ‖G·Gᵀ‖_F.
func (p *part) norm() float64 {
	if p.codes == nil {
		return dense.Frobenius(dense.Mul(trans, p.g, noTrans, p.g))
	}
	gram := matrix.New(p.k, p.k) // diag(sizes) − sizes·sizesᵀ/n
	for a, size := range p.sums {
		matrix.Axpy(-size/float64(len(p.codes)), p.sums, matrix.Row(gram, a))
		gram.Data[a*p.k+a] += size
	}
	return dense.Frobenius(gram)
}
