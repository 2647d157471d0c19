package dense

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/stream"
)

// Row returns row i of m, sharing its memory; nil if m has no columns.
func Row(m blas64.General, i int) []float64 {
	if m.Cols == 0 {
		return nil
	}
	return m.Data[i*m.Stride : i*m.Stride+m.Cols]
}

// Columns returns the matrix of n columns of m from the given one on, sharing its memory.
func Columns(m blas64.General, first, n int) blas64.General {
	if m.Rows > 0 && n > 0 {
		m.Data = m.Data[first:]
	}
	m.Cols = n
	return m
}

// PickRows returns a copy of the rows of m with the given numbers, in that order.
func PickRows(m blas64.General, numbers []int) blas64.General {
	c := stream.NewMatrix(len(numbers), m.Cols)
	for i, k := range numbers {
		copy(Row(c, i), Row(m, k))
	}
	return c
}

// PickColumns returns a copy of the columns of m with the given numbers, in that order.
func PickColumns(m blas64.General, numbers []int) blas64.General {
	c := stream.NewMatrix(m.Rows, len(numbers))
	for i := range m.Rows {
		row := Row(m, i)
		for j, k := range numbers {
			c.Data[i*c.Stride+j] = row[k]
		}
	}
	return c
}

// Clone returns a copy of m without gaps between its rows.
func Clone(m blas64.General) blas64.General {
	c := stream.NewMatrix(m.Rows, m.Cols)
	for i := range m.Rows {
		copy(Row(c, i), Row(m, i))
	}
	return c
}

// Clear makes all entries 0.
func Clear(m blas64.General) {
	for i := range m.Rows {
		clear(Row(m, i))
	}
}

// Transpose returns mᵀ.
func Transpose(m blas64.General) blas64.General {
	t := stream.NewMatrix(m.Cols, m.Rows)
	for i := range m.Rows {
		for j, v := range Row(m, i) {
			t.Data[j*t.Stride+i] = v
		}
	}
	return t
}

// SymmetricPart returns (a + aᵀ)/2, for a square matrix.
func SymmetricPart(a blas64.General) blas64.General {
	s := stream.NewMatrix(a.Rows, a.Rows)
	for i := range a.Rows {
		for j := range a.Rows {
			s.Data[i*s.Stride+j] = a.Data[i*a.Stride+j]/2 + a.Data[j*a.Stride+i]/2
		}
	}
	return s
}

// Add makes y alpha·x + y.
func Add(alpha float64, x, y blas64.General) {
	for i := range y.Rows {
		Axpy(alpha, Row(x, i), Row(y, i))
	}
}

// Scale multiplies the entries of m by s.
func Scale(s float64, m blas64.General) {
	for i := range m.Rows {
		blas64.Scal(s, Vector(Row(m, i)))
	}
}

// ScaleRows makes m diag(w)·m.
func ScaleRows(m blas64.General, w []float64) {
	for i := range m.Rows {
		row := Row(m, i)
		for j := range row {
			row[j] *= w[i]
		}
	}
}

// ScaleColumns makes m m·diag(w).
func ScaleColumns(m blas64.General, w []float64) {
	for i := range m.Rows {
		row := Row(m, i)
		for j := range row {
			row[j] *= w[j]
		}
	}
}

// CentreColumns takes the mean of each column away from it.
func CenterColumns(m blas64.General) {
	mean := ColumnMeans(m)
	for i := range m.Rows {
		row := Row(m, i)
		for j := range row {
			row[j] -= mean[j]
		}
	}
}

// ColumnMeans returns the means of the columns, 0 if there are no rows.
func ColumnMeans(m blas64.General) []float64 {
	mean := make([]float64, m.Cols)
	for i := range m.Rows {
		for j, v := range Row(m, i) {
			mean[j] += v
		}
	}
	for j := range mean {
		mean[j] /= float64(max(1, m.Rows))
	}
	return mean
}
