// Package pivoted is partial Cholesky factorisation with pivoting (Higham 2002, "Accuracy
// and stability of numerical algorithms", §10.3) of positive semi-definite matrices whose
// columns are computed when they become pivots. Who takes part as a pivot is the caller's
// choice: the row of which most is left, or one drawn at random.
package pivoted

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

// Residual is the diagonal of K − F·Fᵀ, or its entries relative to those of K. None is
// negative.
type Residual struct {
	Left  []float64 // 0 where it is rounding
	Floor []float64 // what is rounding
	whole []float64 // what Left is relative to; nil for 1
}

// NewResidual returns what is left before the first pivot: the diagonal of K, which it
// overwrites. tolerance says what is rounding, relative to an entry.
func NewResidual(diagonal []float64, tolerance float64) *Residual {
	r := &Residual{Left: diagonal, Floor: make([]float64, len(diagonal))}
	for i, v := range diagonal {
		r.Left[i] = math.Max(0, v)
		r.Floor[i] = r.Left[i] * tolerance
	}
	return r
}

// NewRelative returns what is left relative to the diagonal of K, which it keeps: 1 for
// every entry that is not 0. With it a few large rows do not outweigh the others.
func NewRelative(diagonal []float64, tolerance float64) *Residual {
	ones := make([]float64, len(diagonal))
	for i, v := range diagonal {
		if v > 0 {
			ones[i] = 1
		}
	}
	r := NewResidual(ones, tolerance)
	r.whole = diagonal
	return r
}

// at returns entry i of the diagonal of K − F·Fᵀ.
func (r *Residual) at(i int) float64 {
	if r.whole == nil {
		return r.Left[i]
	}
	return r.Left[i] * r.whole[i]
}

// Subtract takes a square from entry i of the diagonal of K − F·Fᵀ.
func (r *Residual) Subtract(i int, square float64) {
	if r.Left[i] == 0 {
		return
	}
	if r.whole != nil {
		square /= r.whole[i]
	}
	r.Left[i] -= square
	if r.Left[i] <= r.Floor[i] {
		r.Left[i] = 0
	}
}

// Cholesky is a factorisation K ≈ F·Fᵀ with one column of F for each pivot, exact in the
// rows and columns of the pivots. Its memory is F and two numbers for each row.
type Cholesky struct {
	*Residual
	Pivots  []int
	columns [][]float64 // of F
}

// New returns a factorisation without pivots.
func New(r *Residual) *Cholesky { return &Cholesky{Residual: r} }

// Take makes row i, of which something is left, the next pivot. column is that of K,
// which the factorisation keeps and overwrites. Cost: 2·n·r flops after r pivots of n
// rows.
func (c *Cholesky) Take(i int, column []float64) {
	for _, before := range c.columns {
		matrix.Axpy(-before[i], before, column)
	}
	root := math.Sqrt(c.at(i))
	for j := range column {
		column[j] /= root
		c.Subtract(j, column[j]*column[j])
	}
	c.Left[i] = 0
	c.Pivots = append(c.Pivots, i)
	c.columns = append(c.columns, column)
}

// Lower returns L, lower triangular, with L·Lᵀ the part of K between the pivots.
func (c *Cholesky) Lower() blas64.General {
	l := matrix.New(len(c.Pivots), len(c.Pivots))
	for p, i := range c.Pivots {
		for q := range p + 1 {
			matrix.Row(l, p)[q] = c.columns[q][i]
		}
	}
	return l
}
