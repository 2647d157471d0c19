package simd

import "math"

// The reference in plain Go. A strip computes the entries of one row against
// four of the rows of a group. The four sums are independent, which hides the
// latency of the additions, and each of them runs over the columns in order.
// Strips of two rows were half as fast: the compiler runs out of registers and
// spills a sum.

// stripLanes is how many packed rows a strip takes.
const stripLanes = 4

type strip[T Float] func(x, group []T, lanes int) (s0, s1, s2, s3 T)

// fillGo sets dst[i,j] = Σ_k base(x_ik, p_jk).
func fillGo[T Float](dst, x Matrix[T], p PackedRows[T], base Base) {
	f := [...]strip[T]{Product: productStrip[T], Square: squareStrip[T], Absolute: absoluteStrip[T]}[base]
	for i := range x.Rows {
		if p.cols == 0 {
			clear(dst.row(i))
			continue
		}
		fillRowGo(dst.row(i), x.row(i), p, f)
	}
}

func fillRowGo[T Float](dst, x []T, p PackedRows[T], f strip[T]) {
	n := p.lanes()
	for j := 0; j < len(dst); j += stripLanes {
		s0, s1, s2, s3 := f(x, p.group(j / n)[j%n:], n)
		sums := [stripLanes]T{s0, s1, s2, s3}
		copy(dst[j:], sums[:])
	}
}

func productStrip[T Float](x, group []T, lanes int) (s0, s1, s2, s3 T) {
	for k, a := range x {
		q := group[k*lanes : k*lanes+stripLanes : k*lanes+stripLanes]
		s0 += T(a * q[0])
		s1 += T(a * q[1])
		s2 += T(a * q[2])
		s3 += T(a * q[3])
	}
	return
}

func squareStrip[T Float](x, group []T, lanes int) (s0, s1, s2, s3 T) {
	for k, a := range x {
		q := group[k*lanes : k*lanes+stripLanes : k*lanes+stripLanes]
		d0, d1, d2, d3 := a-q[0], a-q[1], a-q[2], a-q[3]
		s0 += T(d0 * d0)
		s1 += T(d1 * d1)
		s2 += T(d2 * d2)
		s3 += T(d3 * d3)
	}
	return
}

func absoluteStrip[T Float](x, group []T, lanes int) (s0, s1, s2, s3 T) {
	for k, a := range x {
		q := group[k*lanes : k*lanes+stripLanes : k*lanes+stripLanes]
		s0 += magnitude(a - q[0])
		s1 += magnitude(a - q[1])
		s2 += magnitude(a - q[2])
		s3 += magnitude(a - q[3])
	}
	return
}

// magnitude returns |v|.
func magnitude[T Float](v T) T { return T(math.Abs(float64(v))) }
