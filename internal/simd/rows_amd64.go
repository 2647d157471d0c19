//go:build !noasm

package simd

// whole processes rounds of eight columns, beginning at column from; from 0 on sums start at zero.
// (The calls are written out, since a function value would move the product to the heap.)
func (p *rowProduct) whole(from, rounds int) {
	a, x, y, stride := &p.a[from], place(p.x, from), place(p.y, from), 8*p.stride
	switch {
	case active == AVX512 && p.rows == 4:
		switch {
		case !p.add:
			dotRows4F64AVX512(a, stride, x, y, rounds, from, &p.t, &p.sums)
		case !p.dot:
			addRows4F64AVX512(a, stride, x, y, rounds, from, &p.t, &p.sums)
		default:
			bothRows4F64AVX512(a, stride, x, y, rounds, from, &p.t, &p.sums)
		}
	case active == AVX512:
		switch {
		case !p.add:
			dotRows1F64AVX512(a, stride, x, y, rounds, from, &p.t, &p.sums)
		case !p.dot:
			addRows1F64AVX512(a, stride, x, y, rounds, from, &p.t, &p.sums)
		default:
			bothRows1F64AVX512(a, stride, x, y, rounds, from, &p.t, &p.sums)
		}
	case p.rows == 4:
		switch {
		case !p.add:
			dotRows4F64AVX2(a, stride, x, y, rounds, from, &p.t, &p.sums)
		case !p.dot:
			addRows4F64AVX2(a, stride, x, y, rounds, from, &p.t, &p.sums)
		default:
			bothRows4F64AVX2(a, stride, x, y, rounds, from, &p.t, &p.sums)
		}
	default:
		switch {
		case !p.add:
			dotRows1F64AVX2(a, stride, x, y, rounds, from, &p.t, &p.sums)
		case !p.dot:
			addRows1F64AVX2(a, stride, x, y, rounds, from, &p.t, &p.sums)
		default:
			bothRows1F64AVX2(a, stride, x, y, rounds, from, &p.t, &p.sums)
		}
	}
}
