package dense

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

// PickRows returns a copy of the rows of m with the given numbers, in that order.
func PickRows(m blas64.General, numbers []int) blas64.General {
	c := matrix.New(len(numbers), m.Cols)
	for i, k := range numbers {
		copy(matrix.Row(c, i), matrix.Row(m, k))
	}
	return c
}

// PickColumns returns a copy of the columns of m with the given numbers, in that order.
func PickColumns(m blas64.General, numbers []int) blas64.General {
	c := matrix.New(m.Rows, len(numbers))
	for i := range m.Rows {
		row := matrix.Row(m, i)
		for j, k := range numbers {
			c.Data[i*c.Stride+j] = row[k]
		}
	}
	return c
}

// SymmetricPart returns (a + aᵀ)/2, for a square matrix.
func SymmetricPart(a blas64.General) blas64.General {
	s := matrix.Clone(a)
	Symmetrise(s)
	return s
}

// Symmetrise replaces a square matrix by its symmetric part, (a + aᵀ)/2.
func Symmetrise(a blas64.General) {
	for i := range a.Rows {
		for j := range i + 1 {
			v := a.Data[i*a.Stride+j]/2 + a.Data[j*a.Stride+i]/2
			a.Data[i*a.Stride+j], a.Data[j*a.Stride+i] = v, v
		}
	}
}

// Add sets y = alpha·x + y.
func Add(alpha float64, x, y blas64.General) {
	for i := range y.Rows {
		matrix.Axpy(alpha, matrix.Row(x, i), matrix.Row(y, i))
	}
}

// Scale sets m = s·m.
func Scale(s float64, m blas64.General) {
	for i := range m.Rows {
		blas64.Scal(s, Vector(matrix.Row(m, i)))
	}
}

// ScaleRows sets m = diag(w)·m.
func ScaleRows(m blas64.General, w []float64) {
	for i := range m.Rows {
		row := matrix.Row(m, i)
		for j := range row {
			row[j] *= w[i]
		}
	}
}

// ScaleColumns sets m = m·diag(w).
func ScaleColumns(m blas64.General, w []float64) {
	for i := range m.Rows {
		row := matrix.Row(m, i)
		for j := range row {
			row[j] *= w[j]
		}
	}
}

// CenterColumns subtracts from each column its mean.
func CenterColumns(m blas64.General) {
	mean := ColumnMeans(m)
	for i := range m.Rows {
		row := matrix.Row(m, i)
		for j := range row {
			row[j] -= mean[j]
		}
	}
}

// ColumnMeans returns the means of the columns, 0 if there are no rows.
func ColumnMeans(m blas64.General) []float64 {
	mean := make([]float64, m.Cols)
	for i := range m.Rows {
		for j, v := range matrix.Row(m, i) {
			mean[j] += v
		}
	}
	for j := range mean {
		mean[j] /= float64(max(1, m.Rows))
	}
	return mean
}
