package ism

import "gonum.org/v1/gonum/blas/blas64"

// room hands out parts of a vector, in a fixed order.
type room struct {
	v    []float64
	size int // of all that was handed out
}

func (r *room) matrix(rows, cols int) blas64.General {
	m := blas64.General{Rows: rows, Cols: cols, Stride: max(1, cols)}
	if r.v != nil {
		m.Data = r.v[r.size : r.size+rows*cols]
	}
	r.size += rows * cols
	return m
}
