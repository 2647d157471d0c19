package simd

import (
	"fmt"
	"unsafe"
)

// Narrow sets dst[i] = float32(src[i] − minus[i]), the difference in float64. It
// panics unless the lengths agree.
func Narrow(dst []float32, src, minus []float64) {
	if len(src) != len(dst) || len(minus) != len(dst) {
		panic(fmt.Sprintf("simd: Narrow of %d values less %d into %d", len(src), len(minus), len(dst)))
	}
	i := 0
	if n := len(dst) / active.doubles(); n > 0 {
		j := convertJob{dst: unsafe.Pointer(&dst[0]), src: unsafe.Pointer(&src[0]), minus: unsafe.Pointer(&minus[0]), vectors: n}
		j.run(active, true)
		i = n * active.doubles()
	}
	for ; i < len(dst); i++ {
		dst[i] = float32(src[i] - minus[i])
	}
}

// Widen sets dst[i] = scale·src[i] in float64. It panics unless the lengths
// agree.
func Widen(dst []float64, src []float32, scale float64) {
	if len(src) != len(dst) {
		panic(fmt.Sprintf("simd: Widen of %d values into %d", len(src), len(dst)))
	}
	i := 0
	if n := len(dst) / active.doubles(); n > 0 {
		j := convertJob{dst: unsafe.Pointer(&dst[0]), src: unsafe.Pointer(&src[0]), minus: unsafe.Pointer(&dst[0]), vectors: n, scale: scale}
		j.run(active, false)
		i = n * active.doubles()
	}
	for ; i < len(dst); i++ {
		dst[i] = scale * float64(src[i])
	}
}

// convertJob is laid out as in _gen/convert.go.
type convertJob struct {
	dst, src, minus unsafe.Pointer
	vectors         int
	scale           float64
}

// doubles returns the number of float64 in a register; on the Go path more than any
// slice has.
func (p Path) doubles() int {
	if p == Go {
		return 1 << 62
	}
	return p.vectorBytes() / 8
}
