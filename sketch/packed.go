package sketch

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

// triangle is an upper trapezoidal matrix stored without the zeros below its diagonal. A pass holds
// many partial accumulators, and the zeros would double their size.
type triangle struct {
	rows, cols int // rows ≤ cols
	data       []float64
}

// resize changes the number of rows. The entries are then undefined.
func (t *triangle) resize(rows int) {
	n := rows*t.cols - rows*(rows-1)/2
	if n > cap(t.data) {
		t.data = make([]float64, n)
	}
	t.rows, t.data = rows, t.data[:n]
}

// tail returns row i from the diagonal on. It shares memory with t.
func (t triangle) tail(i int) []float64 {
	return t.data[i*t.cols-i*(i-1)/2:][:t.cols-i]
}

// copyRow fills dst with row i, padded with zeros.
func (t triangle) copyRow(dst []float64, i int) {
	clear(dst[:i])
	clear(dst[i+copy(dst[i:], t.tail(i)):])
}

// copyTo fills r with the triangle, padded with zeros. r has the same columns and at least as many
// rows.
func (t triangle) copyTo(r blas64.General) {
	for i := range r.Rows {
		if i < t.rows {
			t.copyRow(matrix.Row(r, i), i)
		} else {
			clear(matrix.Row(r, i))
		}
	}
}

// unpack returns the triangle with explicit zeros, in scratch memory.
func (s *scratch) unpack(t triangle) blas64.General {
	m := matrix.Reuse(&s.unpacked, t.rows, t.cols)
	t.copyTo(m)
	return m
}
