// Package pivoted is partial Cholesky factorisation with pivoting (Higham 2002, "Accuracy and
// stability of numerical algorithms", §10.3) of positive semidefinite matrices whose columns are
// computed when they become pivots. The caller chooses the pivots: the largest remaining diagonal
// entry, or a random row.
package pivoted

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

// Residual is the diagonal of K − F·Fᵀ, optionally relative to the diagonal of K. No entry is
// negative.
type Residual struct {
	Left     []float64 // 0 at rounding level
	Floor    []float64 // the rounding level
	diagonal []float64 // the diagonal of K if Left is relative to it; else nil
}

// NewResidual returns the residual before the first pivot: the diagonal of K, which it overwrites.
// tolerance is the rounding level relative to an entry.
func NewResidual(diagonal []float64, tolerance float64) *Residual {
	r := &Residual{Left: diagonal, Floor: make([]float64, len(diagonal))}
	for i, v := range diagonal {
		r.Left[i] = math.Max(0, v)
		r.Floor[i] = r.Left[i] * tolerance
	}
	return r
}

// NewRelative returns the residual relative to the diagonal of K, which it keeps: 1 for every
// nonzero entry. It prevents a few large rows from outweighing the others.
func NewRelative(diagonal []float64, tolerance float64) *Residual {
	ones := make([]float64, len(diagonal))
	for i, v := range diagonal {
		if v > 0 {
			ones[i] = 1
		}
	}
	r := NewResidual(ones, tolerance)
	r.diagonal = diagonal
	return r
}

// at returns entry i of the diagonal of K − F·Fᵀ.
func (r *Residual) at(i int) float64 {
	if r.diagonal == nil {
		return r.Left[i]
	}
	return r.Left[i] * r.diagonal[i]
}

// Subtract subtracts square from entry i of the diagonal of K − F·Fᵀ.
func (r *Residual) Subtract(i int, square float64) {
	if r.Left[i] == 0 {
		return
	}
	if r.diagonal != nil {
		square /= r.diagonal[i]
	}
	r.Left[i] -= square
	if r.Left[i] <= r.Floor[i] {
		r.Left[i] = 0
	}
}

// Cholesky is a factorisation K ≈ F·Fᵀ with one column of F per pivot, exact in the rows and
// columns of the pivots. Memory: F and two numbers per row.
type Cholesky struct {
	*Residual
	Pivots  []int
	columns [][]float64 // of F
}

// New returns a factorisation without pivots, F = 0.
func New(r *Residual) *Cholesky { return &Cholesky{Residual: r} }

// Take makes row i, whose residual must be positive, the next pivot. column is column i of K; the
// factorisation keeps and overwrites it. Cost: 2·n·r flops after r pivots of n rows.
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

// Lower returns the lower triangular L such that L·Lᵀ is the submatrix of K at the pivots.
func (c *Cholesky) Lower() blas64.General {
	l := matrix.New(len(c.Pivots), len(c.Pivots))
	for p, i := range c.Pivots {
		for q := range p + 1 {
			matrix.Row(l, p)[q] = c.columns[q][i]
		}
	}
	return l
}
