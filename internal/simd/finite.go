package simd

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

// NotFinite returns the position of the first entry of m, row by row, that is NaN or infinite;
// found is false if there is none. Cost: less than reading m from memory.
func NotFinite(m blas64.General) (row, column int, found bool) {
	if m.Stride == m.Cols && finite(m.Data[:m.Rows*m.Cols]) {
		return 0, 0, false
	}
	for i := range m.Rows {
		if j := FirstNotFinite(matrix.Row(m, i)); j >= 0 {
			return i, j, true
		}
	}
	return 0, 0, false
}

// FirstNotFinite returns the index of the first NaN or infinity in x, or -1.
func FirstNotFinite(x []float64) int {
	if len(x) > minScan && finite(x) {
		return -1
	}
	for j, v := range x {
		if !matrix.IsFinite(v) {
			return j
		}
	}
	return -1
}

// minScan is the length up to which a plain loop is as fast as finite.
const minScan = 32

// finite reports whether x holds neither NaN nor an infinity.
func finite(x []float64) bool { return matrix.IsFinite(MaxAbs(x)) }
