package ism

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/stream"
)

// gamma is Γ = Σ_s G_s·T_s·G_sᵀ. It is zero without parts.
type gamma struct {
	n     int
	parts []*part
}

// part is G·T·Gᵀ with T symmetric and G one-hot (codes) or dense.
type part struct {
	codes []int32
	g     blas64.General // n×k, or nothing with codes
	k     int
	table blas64.General // T, k×k
	sums  []float64      // Gᵀ1
}

// centred returns weight·H·G·Gᵀ·H of a response. It is centred in the table where G is
// one-hot, and in a copy of G otherwise.
func (r *Response) centred(weight float64) *part {
	n, k := r.Rows(), r.classes
	p := &part{codes: r.codes, g: r.factors, k: k, table: stream.NewMatrix(k, k)}
	if r.codes == nil {
		p.g = centredColumns(r.factors)
		for a := range k {
			p.table.Data[a*k+a] = weight
		}
		p.sum()
		return p
	}
	p.sum()
	square := 0.0
	for _, s := range p.sums {
		square += s / float64(n) * s / float64(n)
	}
	for a := range k {
		for b := range k {
			v := square - p.sums[a]/float64(n) - p.sums[b]/float64(n)
			if a == b {
				v++
			}
			p.table.Data[a*k+b] = weight * v
		}
	}
	return p
}

// sum works out Gᵀ1.
func (p *part) sum() {
	p.sums = make([]float64, p.k)
	for _, c := range p.codes {
		p.sums[c]++
	}
	for i := range p.g.Rows {
		for a, v := range dense.Row(p.g, i) {
			p.sums[a] += v
		}
	}
}

// ofFactors returns G with T = weight·I.
func ofFactors(g blas64.General, weight float64) *part {
	p := &part{g: g, k: g.Cols, table: stream.NewMatrix(g.Cols, g.Cols)}
	for a := range p.k {
		p.table.Data[a*p.k+a] = weight
	}
	p.sum()
	return p
}

// centredColumns returns m without the means of its columns, in new memory. Columns that are
// constant are 0.
func centredColumns(m blas64.General) blas64.General {
	c := stream.NewMatrix(m.Rows, m.Cols)
	mean := make([]float64, m.Cols)
	varies := make([]bool, m.Cols)
	for i := range m.Rows {
		for j, v := range dense.Row(m, i) {
			mean[j] += v / float64(m.Rows)
			varies[j] = varies[j] || v != m.Data[j]
		}
	}
	for i := range m.Rows {
		for j, v := range dense.Row(m, i) {
			if varies[j] {
				c.Data[i*c.Stride+j] = v - mean[j]
			}
		}
	}
	return c
}

// tile puts Γ between the rows from i on and those from j on into dst, or adds it.
// room has at least dst.Rows·k numbers.
func (g *gamma) tile(dst blas64.General, i, j int, room []float64) {
	if len(g.parts) == 0 {
		dense.Clear(dst)
	}
	for s, p := range g.parts {
		p.tile(dst, i, j, room, s > 0)
	}
}

func (p *part) tile(dst blas64.General, i, j int, room []float64, add bool) {
	if p.codes == nil {
		// G_i·T first, T being diagonal or small.
		gi := stream.RowSlice(p.g, i, dst.Rows)
		t := blas64.General{Rows: dst.Rows, Cols: p.k, Stride: p.k, Data: room[:dst.Rows*p.k]}
		blas64.Gemm(noTrans, noTrans, 1, gi, p.table, 0, t)
		beta := 0.0
		if add {
			beta = 1
		}
		blas64.Gemm(noTrans, trans, 1, t, stream.RowSlice(p.g, j, dst.Cols), beta, dst)
		return
	}
	for a := range dst.Rows {
		row, from := dense.Row(dst, a), dense.Row(p.table, int(p.codes[i+a]))
		for b, c := range p.codes[j : j+dst.Cols] {
			if add {
				row[b] += from[c]
			} else {
				row[b] = from[c]
			}
		}
	}
}

// centred reports whether Γ1 = 0, but for rounding.
func (g *gamma) centred() bool {
	for _, p := range g.parts {
		for _, v := range mulVector(p.table, p.sums) {
			if math.Abs(v) > 1e-9*dense.MaxAbs(p.table)*math.Max(1, dense.MaxAbs(p.g)*math.Sqrt(float64(g.n))) {
				return false
			}
		}
	}
	return true
}

// maxColumns returns the largest number of columns of the parts.
func (g *gamma) maxColumns() int {
	k := 1
	for _, p := range g.parts {
		k = max(k, p.k)
	}
	return k
}

// check returns an error unless Γ asks for something.
func (g *gamma) check(what string) error {
	for _, p := range g.parts {
		for a, s := range p.sums {
			if s-s != 0 {
				return fmt.Errorf("ism: column %d of %s adds up to %v: scale it down", a, what, s)
			}
		}
		if !p.zero() {
			return nil
		}
	}
	return fmt.Errorf("ism: %s is the same for all rows, so that every W depends on it alike; give at least two classes or values", what)
}

// zero reports whether the part is zero, as that of one class is.
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

// norm returns ‖G·T·Gᵀ‖_F.
func (p *part) norm() float64 {
	if p.codes == nil {
		g := dense.Mul(trans, p.g, noTrans, p.g)
		return p.table.Data[0] * dense.Frobenius(g)
	}
	sum := 0.0
	for a, na := range p.sums {
		for b, nb := range p.sums {
			v := p.table.Data[a*p.table.Stride+b]
			sum += v * v * na * nb
		}
	}
	return math.Sqrt(sum)
}
