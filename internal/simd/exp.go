package simd

import "fmt"

// Exp sets dst[i] = e^(scale·src[i]), within 1 ulp of the exponential of the
// rounded product. Products above 709.78 give +Inf, below −745.13 zero, and NaN
// gives NaN. It panics unless the lengths agree; dst and src may be the same
// slice.
func Exp(dst, src []float64, scale float64) {
	if len(dst) != len(src) {
		panic(fmt.Sprintf("simd: Exp of %d values into %d", len(src), len(dst)))
	}
	if active == Go {
		expGo(dst, src, scale)
		return
	}
	ScaledExp.Apply(dst, src, scale)
}
