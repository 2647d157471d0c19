package sketch

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

// triangle is an upper trapezoidal matrix that is held without the zeros below its diagonal:
// partial accumulators of a pass are many, and half of each would be zeros.
type triangle struct {
	rows, cols int // rows ≤ cols
	data       []float64
}

// resize gives the triangle so many rows, whose entries may be anything.
func (t *triangle) resize(rows int) {
	n := rows*t.cols - rows*(rows-1)/2
	if n > cap(t.data) {
		t.data = make([]float64, n)
	}
	t.rows, t.data = rows, t.data[:n]
}

// tail returns row i from the diagonal on, without copying.
func (t triangle) tail(i int) []float64 {
	return t.data[i*t.cols-i*(i-1)/2:][:t.cols-i]
}

// rowInto fills dst with row i and zeros after it.
func (t triangle) rowInto(dst []float64, i int) {
	clear(dst[:i])
	clear(dst[i+copy(dst[i:], t.tail(i)):])
}

// into fills r, which has no fewer rows and as many columns, with the triangle and zeros.
func (t triangle) into(r blas64.General) {
	for i := range r.Rows {
		if i < t.rows {
			t.rowInto(matrix.Row(r, i), i)
		} else {
			clear(matrix.Row(r, i))
		}
	}
}

// unpack returns the triangle with its zeros, in the memory of s.
func (s *scratch) unpack(t triangle) blas64.General {
	m := matrix.Reuse(&s.unpacked, t.rows, t.cols)
	t.into(m)
	return m
}
