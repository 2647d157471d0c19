package simd

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// A block computes the entries of one row against one group of packed rows. The
// four sums are independent, which hides the latency of the additions, and each
// of them runs over the columns in order. Blocks of 2×4 were half as fast: the
// compiler runs out of registers and spills a sum.
type block func(x []float64, p [][Lanes]float64) (s0, s1, s2, s3 float64)

func productsGo(dst, x blas64.General, p Packed)         { sweep(dst, x, p, productBlock) }
func squaredDistancesGo(dst, x blas64.General, p Packed) { sweep(dst, x, p, squareBlock) }
func l1DistancesGo(dst, x blas64.General, p Packed)      { sweep(dst, x, p, absoluteBlock) }

// sweep runs f over all rows and all groups.
func sweep(dst, x blas64.General, p Packed, f block) {
	for i := range x.Rows {
		sweepRow(Row(dst, i), Row(x, i), p, f)
	}
}

func sweepRow(dst, x []float64, p Packed, f block) {
	for j := 0; j < len(dst); j += Lanes {
		s0, s1, s2, s3 := f(x, p.group(j/Lanes))
		if j+Lanes > len(dst) {
			sums := [Lanes]float64{s0, s1, s2, s3}
			copy(dst[j:], sums[:])
			return
		}
		out := dst[j : j+Lanes : j+Lanes]
		out[0], out[1], out[2], out[3] = s0, s1, s2, s3
	}
}

func productBlock(x []float64, p [][Lanes]float64) (s0, s1, s2, s3 float64) {
	x = x[:len(p)]
	for k := range p {
		a, q := x[k], &p[k]
		s0 += float64(a * q[0])
		s1 += float64(a * q[1])
		s2 += float64(a * q[2])
		s3 += float64(a * q[3])
	}
	return
}

func squareBlock(x []float64, p [][Lanes]float64) (s0, s1, s2, s3 float64) {
	x = x[:len(p)]
	for k := range p {
		a, q := x[k], &p[k]
		d0, d1, d2, d3 := a-q[0], a-q[1], a-q[2], a-q[3]
		s0 += float64(d0 * d0)
		s1 += float64(d1 * d1)
		s2 += float64(d2 * d2)
		s3 += float64(d3 * d3)
	}
	return
}

func absoluteBlock(x []float64, p [][Lanes]float64) (s0, s1, s2, s3 float64) {
	x = x[:len(p)]
	for k := range p {
		a, q := x[k], &p[k]
		s0 += math.Abs(a - q[0])
		s1 += math.Abs(a - q[1])
		s2 += math.Abs(a - q[2])
		s3 += math.Abs(a - q[3])
	}
	return
}
