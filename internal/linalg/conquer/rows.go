package conquer

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

// Rows is a set of vectors, stored as rows of a matrix.
type Rows blas64.General

// NewRows allocates n vectors of length n.
func NewRows(n int) Rows { return Rows(matrix.New(n, n)) }

// Row returns vector i.
func (q Rows) Row(i int) []float64 { return q.Data[i*q.Stride : i*q.Stride+q.Cols] }

// Block returns a submatrix, sharing memory.
func (q Rows) Block(row, nrows, col, ncols int) blas64.General {
	return matrix.Block(blas64.General(q), row, col, nrows, ncols)
}

// Columns copies the vectors, in the given order, to the columns of m. Rows of m beyond their
// length are unchanged.
func (q Rows) Columns(order []int, m blas64.General) {
	for j, from := range order {
		for i, v := range q.Row(from) {
			m.Data[i*m.Stride+j] = v
		}
	}
}

// Rotate sets x, y ← c·x + s·y, c·y − s·x.
func Rotate(x, y []float64, c, s float64) {
	for i, v := range x {
		x[i], y[i] = c*v+s*y[i], c*y[i]-s*v
	}
}

// Numbered returns the numbers from 0 to n−1.
func Numbered(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// PowerOfTwo returns a power of two such that division by it brings the magnitude most near 1. The
// division does not round, and squares do not overflow.
func PowerOfTwo(most float64) float64 {
	if most == 0 {
		return 1
	}
	_, exponent := math.Frexp(most)
	return math.Ldexp(1, max(exponent, -1021))
}
