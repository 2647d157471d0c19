package simd

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

// SquaredNorms sets dst[i] to the inner product of row i of x with itself, with the same bits and
// the same treatment of overflow as an entry of [Fill]. Four rows are processed together, since
// each addition waits for the previous one of its sum. It panics unless dst has x.Rows elements.
func SquaredNorms(dst []float64, x blas64.General) {
	if len(dst) != x.Rows {
		panic(fmt.Sprintf("simd: norms of %d rows into %d values", x.Rows, len(dst)))
	}
	i := 0
	if active != Go {
		for ; i+4 <= x.Rows; i += 4 {
			fourNorms(dst[i:], matrix.Row(x, i), matrix.Row(x, i+1), matrix.Row(x, i+2), matrix.Row(x, i+3))
		}
	}
	for ; i < x.Rows; i++ {
		dst[i] = dot(matrix.Row(x, i), matrix.Row(x, i))
	}
	for i, s := range dst {
		if overflowed(s) {
			dst[i] = scaledDot(matrix.Row(x, i), matrix.Row(x, i))
		}
	}
}

// fourNorms computes four squared norms, rounded as in the micro-kernels.
func fourNorms(dst, a, b, c, d []float64) {
	b, c, d = b[:len(a)], c[:len(a)], d[:len(a)]
	var s0, s1, s2, s3 float64
	for k, v := range a {
		s0 = math.FMA(v, v, s0)
		s1 = math.FMA(b[k], b[k], s1)
		s2 = math.FMA(c[k], c[k], s2)
		s3 = math.FMA(d[k], d[k], s3)
	}
	dst[0], dst[1], dst[2], dst[3] = s0, s1, s2, s3
}
