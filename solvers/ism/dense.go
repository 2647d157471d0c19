package ism

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/solvers/symeig"
	"github.com/nystream/nystream/stream"
)

// Small dense algebra.

func rowOf(m blas64.General, i int) []float64 { return m.Data[i*m.Stride : i*m.Stride+m.Cols] }

func clearMatrix(m blas64.General) {
	for i := range m.Rows {
		clear(rowOf(m, i))
	}
}

func cloneOf(m blas64.General) blas64.General {
	c := stream.NewMatrix(m.Rows, m.Cols)
	for i := range m.Rows {
		copy(rowOf(c, i), rowOf(m, i))
	}
	return c
}

func maxAbs(m blas64.General) float64 {
	worst := 0.0
	for i := range m.Rows {
		for _, v := range rowOf(m, i) {
			worst = math.Max(worst, math.Abs(v))
		}
	}
	return worst
}

// frobenius is ‖m‖_F.
func frobenius(m blas64.General) float64 {
	norm := 0.0
	for i := range m.Rows {
		norm = math.Hypot(norm, blas64.Nrm2(vector(rowOf(m, i))))
	}
	return norm
}

func finite(m blas64.General) bool {
	for i := range m.Rows {
		for _, v := range rowOf(m, i) {
			if v-v != 0 {
				return false
			}
		}
	}
	return true
}

func mul(ta, tb blas.Transpose, a, b blas64.General) blas64.General {
	rows, cols := a.Rows, b.Cols
	if ta == blas.Trans {
		rows = a.Cols
	}
	if tb == blas.Trans {
		cols = b.Rows
	}
	c := stream.NewMatrix(rows, cols)
	if rows > 0 && cols > 0 {
		blas64.Gemm(ta, tb, 1, a, b, 0, c)
	}
	return c
}

func vector(v []float64) blas64.Vector { return blas64.Vector{N: len(v), Inc: 1, Data: v} }

func dot(x, y []float64) float64 {
	return blas64.Dot(vector(x), vector(y))
}

// columnsOf shares n columns of m from the given one on.
func columnsOf(m blas64.General, first, n int) blas64.General {
	return blas64.General{Rows: m.Rows, Cols: n, Stride: m.Stride, Data: m.Data[min(first, len(m.Data)):]}
}

// symmetrise makes m the mean of itself and its transpose.
func symmetrise(m blas64.General) {
	for i := range m.Rows {
		for j := range i {
			v := (m.Data[i*m.Stride+j] + m.Data[j*m.Stride+i]) / 2
			m.Data[i*m.Stride+j], m.Data[j*m.Stride+i] = v, v
		}
	}
}

// eigen is the decomposition of a symmetric matrix: eigenvalues descending, vectors in
// the columns.
type eigen struct {
	values  []float64
	vectors blas64.General
}

// newEigen decomposes a symmetric matrix completely.
func newEigen(a blas64.General) (*eigen, error) {
	values, vectors, err := symeig.Decompose(a)
	return &eigen{values, vectors}, err
}

// first keeps the first k pairs.
func (e *eigen) first(k int) *eigen {
	k = min(k, len(e.values))
	return &eigen{e.values[:k], cloneOf(columnsOf(e.vectors, 0, k))}
}
