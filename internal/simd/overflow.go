package simd

import "math"

// overflowed reports whether s is infinite or NaN.
func overflowed[T Float](s T) bool { return s-s != 0 }

// repairProducts recomputes the entries of a tile of inner products that
// overflowed, where ∞ − ∞ may have turned a representable sum into NaN.
func repairProducts[T Float](dst, x Matrix[T], p PackedRows[T], base Base) {
	if base != Product {
		return
	}
	for i := range dst.Rows {
		for j, s := range dst.row(i) {
			if overflowed(s) {
				repairProduct(dst, x, p, i, j)
			}
		}
	}
}

func repairProduct[T Float](dst, x Matrix[T], p PackedRows[T], i, j int) {
	y := make([]T, p.cols)
	p.copyRow(y, j)
	dst.row(i)[j] = T(scaledDot(x.row(i), y))
}

// scaledDot returns the inner product of rows scaled by powers of two to a largest
// entry in [½, 1), scaled back at the end.
func scaledDot[T Float](x, y []T) (s float64) {
	ex, ey := exponent(x), exponent(y)
	for k, a := range x {
		s += float64(math.Ldexp(float64(a), -ex) * math.Ldexp(float64(y[k]), -ey))
	}
	return math.Ldexp(s, ex+ey)
}

// exponent returns the e for which the largest |x_k| is in [2^(e-1), 2^e); 0 if
// the row is zero or not finite.
func exponent[T Float](x []T) int {
	_, e := math.Frexp(largest(x))
	return e
}

func largest[T Float](x []T) (m float64) {
	for _, v := range x {
		m = max(m, math.Abs(float64(v)))
	}
	return m
}
