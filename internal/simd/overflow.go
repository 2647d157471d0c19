package simd

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

// overflowed reports whether s is infinite or NaN.
func overflowed(s float64) bool { return !matrix.IsFinite(s) }

// repairProducts recomputes the entries of a tile of inner products that
// overflowed, where ∞ − ∞ may have turned a representable sum into NaN.
func repairProducts(dst, x blas64.General, p Packed, base Base) {
	if base != Product {
		return
	}
	for i := range dst.Rows {
		for j, s := range matrix.Row(dst, i) {
			if overflowed(s) {
				repairProduct(dst, x, p, i, j)
			}
		}
	}
}

func repairProduct(dst, x blas64.General, p Packed, i, j int) {
	y := make([]float64, p.cols)
	p.copyRow(y, j)
	matrix.Row(dst, i)[j] = scaledDot(matrix.Row(x, i), y)
}

// scaledDot returns the inner product of rows scaled by powers of two to a largest
// entry in [½, 1), scaled back at the end.
func scaledDot(x, y []float64) (s float64) {
	ex, ey := exponent(x), exponent(y)
	for k, a := range x {
		s += float64(math.Ldexp(a, -ex) * math.Ldexp(y[k], -ey))
	}
	return math.Ldexp(s, ex+ey)
}

// exponent returns the e for which the largest |x_k| is in [2^(e-1), 2^e); 0 if
// the row is zero or not finite.
func exponent(x []float64) int {
	_, e := math.Frexp(largest(x))
	return e
}

func largest(x []float64) (m float64) {
	for _, v := range x {
		m = max(m, math.Abs(v))
	}
	return m
}
