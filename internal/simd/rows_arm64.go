//go:build !noasm

package simd

// whole processes rounds of eight columns, beginning at column from; from 0 on sums start at zero.
func (p *rowProduct) whole(from, rounds int) {
	a, x, y, stride := &p.a[from], place(p.x, from), place(p.y, from), 8*p.stride
	switch {
	case p.rows == 4 && !p.add:
		dotRows4F64NEON(a, stride, x, y, rounds, from, &p.t, &p.sums)
	case p.rows == 4 && !p.dot:
		addRows4F64NEON(a, stride, x, y, rounds, from, &p.t, &p.sums)
	case p.rows == 4:
		bothRows4F64NEON(a, stride, x, y, rounds, from, &p.t, &p.sums)
	case !p.add:
		dotRows1F64NEON(a, stride, x, y, rounds, from, &p.t, &p.sums)
	case !p.dot:
		addRows1F64NEON(a, stride, x, y, rounds, from, &p.t, &p.sums)
	default:
		bothRows1F64NEON(a, stride, x, y, rounds, from, &p.t, &p.sums)
	}
}
