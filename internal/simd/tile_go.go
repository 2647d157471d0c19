package simd

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

// The reference in plain Go. A strip computes the entries of one row against four rows of a group.
// The four sums are independent, which hides the latency of additions, and each runs over the
// columns in order. Strips of two rows were half as fast: the compiler runs out of registers and
// spills a sum.

// stripLanes is the number of packed rows in a strip.
const stripLanes = 4

type strip func(x, group []float64) (s0, s1, s2, s3 float64)

// fillGo sets dst[i,j] = Σ_k base(x_ik, p_jk).
func fillGo(dst, x blas64.General, p Packed, base Base) {
	f := [...]strip{Product: productStrip, Square: squareStrip, Absolute: absoluteStrip}[base]
	for i := range x.Rows {
		if p.cols == 0 {
			clear(matrix.Row(dst, i))
			continue
		}
		fillRowGo(matrix.Row(dst, i), matrix.Row(x, i), p, f)
	}
}

func fillRowGo(dst, x []float64, p Packed, f strip) {
	for j := 0; j < len(dst); j += stripLanes {
		s0, s1, s2, s3 := f(x, p.group(j / Lanes)[j%Lanes:])
		sums := [stripLanes]float64{s0, s1, s2, s3}
		copy(dst[j:], sums[:])
	}
}

func productStrip(x, group []float64) (s0, s1, s2, s3 float64) {
	for k, a := range x {
		q := group[k*Lanes : k*Lanes+stripLanes : k*Lanes+stripLanes]
		s0 += float64(a * q[0])
		s1 += float64(a * q[1])
		s2 += float64(a * q[2])
		s3 += float64(a * q[3])
	}
	return
}

func squareStrip(x, group []float64) (s0, s1, s2, s3 float64) {
	for k, a := range x {
		q := group[k*Lanes : k*Lanes+stripLanes : k*Lanes+stripLanes]
		d0, d1, d2, d3 := a-q[0], a-q[1], a-q[2], a-q[3]
		s0 += float64(d0 * d0)
		s1 += float64(d1 * d1)
		s2 += float64(d2 * d2)
		s3 += float64(d3 * d3)
	}
	return
}

func absoluteStrip(x, group []float64) (s0, s1, s2, s3 float64) {
	for k, a := range x {
		q := group[k*Lanes : k*Lanes+stripLanes : k*Lanes+stripLanes]
		s0 += math.Abs(a - q[0])
		s1 += math.Abs(a - q[1])
		s2 += math.Abs(a - q[2])
		s3 += math.Abs(a - q[3])
	}
	return
}
