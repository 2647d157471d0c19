package simd

import "unsafe"

// multiplyGo is the reference of multiply in plain Go: a row of x against four
// columns of a group, like the strips of tile_go.go.
func (p *panel[T]) multiplyGo(c, x operand[T]) {
	var row [panelSteps]T
	for i := range c.rows {
		xs := row[:p.steps]
		for k := range xs {
			xs[k] = x.data[i*x.row+k*x.col]
		}
		p.multiplyRowGo(c.data[i*c.row:][:c.cols], xs)
	}
}

func (p *panel[T]) multiplyRowGo(dst, x []T) {
	var e T
	n := groupBytes / int(unsafe.Sizeof(e))
	for j := 0; j < len(dst); j += stripLanes {
		var sums [stripLanes]T
		if p.add {
			copy(sums[:], dst[j:])
		}
		p.addProducts(&sums, x, j/n*p.group+j%n)
		copy(dst[j:], sums[:])
	}
}

// addProducts adds x_k times four columns of the panel, in ascending k.
func (p *panel[T]) addProducts(sums *[stripLanes]T, x []T, at int) {
	s0, s1, s2, s3 := sums[0], sums[1], sums[2], sums[3]
	for k, a := range x {
		q := p.data[at+k*p.step:][:stripLanes:stripLanes]
		s0 += T(a * q[0])
		s1 += T(a * q[1])
		s2 += T(a * q[2])
		s3 += T(a * q[3])
	}
	*sums = [stripLanes]T{s0, s1, s2, s3}
}
