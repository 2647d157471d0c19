package dense

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/simd"
)

// Trace returns the sum of the diagonal of a square matrix.
func Trace(m blas64.General) float64 {
	sum := 0.0
	for i := range m.Rows {
		sum += m.Data[i*m.Stride+i]
	}
	return sum
}

// Frobenius returns ‖m‖_F without intermediate overflow.
func Frobenius(m blas64.General) float64 {
	norm := 0.0
	for i := range m.Rows {
		norm = math.Hypot(norm, Norm(matrix.Row(m, i)))
	}
	return norm
}

// MaxAbs returns the largest magnitude of the entries, NaN if m has a NaN and no infinity.
func MaxAbs(m blas64.General) float64 {
	worst := 0.0
	for i := range m.Rows {
		for _, v := range matrix.Row(m, i) {
			worst = math.Max(worst, math.Abs(v))
		}
	}
	return worst
}

// ColumnNorms returns the Euclidean norm of each column.
func ColumnNorms(m blas64.General) []float64 {
	v := make([]float64, m.Cols)
	for c := range v {
		v[c] = Norm(MulVector(blas.NoTrans, matrix.Columns(m, c, 1), []float64{1}))
	}
	return v
}

// NotFinite returns the position of the first entry, row by row, that is NaN or infinite; found is
// false if there is none.
func NotFinite(m blas64.General) (row, column int, found bool) { return simd.NotFinite(m) }

// Finite reports whether no entry is NaN or infinite.
func Finite(m blas64.General) bool {
	_, _, found := NotFinite(m)
	return !found
}
