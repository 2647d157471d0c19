package main

// Conversions between float64 and float32, of whole vectors of float64:
//
//	narrow: dst[i] = float32(src[i] − minus[i])
//	widen:  dst[i] = scale·float64(src[i])

// Fields of a conversion, eight bytes each, as in convert.go.
const (
	convertDst     = 8 * iota // address
	convertSrc                // address
	convertMinus              // address
	convertVectors            // number of vectors of float64, at least 1
	convertScale              // as bits
)

// emitConvert emits both; l is of float64.
func emitConvert(l *lanes) {
	l.convert("narrow", func(dst, src, minus mem, _ vec) {
		x := l.vec()
		l.move(src, x)
		l.sub(x, minus, x)
		l.storeNarrow(x, dst)
	}, 4, 8)
	l.convert("widen", func(dst, src, _ mem, scale vec) {
		x := l.vec()
		l.loadWiden(src, x)
		l.mul(x, scale, x)
		l.move(x, dst)
	}, 8, 4)
}

// convert emits a loop over vectors; dstSize and srcSize are those of elements.
func (l *lanes) convert(name string, body func(dst, src, minus mem, scale vec), dstSize, srcSize int) {
	l.function(name, "func(j *uint64)", name+"s a slice; see convert.go in _gen.")
	job := l.parameter("j")
	get := func(field int) gp { return l.loaded(mem{base: job, disp: field}) }
	dst, src, minus, n := get(convertDst), get(convertSrc), get(convertMinus), get(convertVectors)
	scale := l.vec()
	l.broadcast(mem{base: job, disp: convertScale}, scale)
	next := l.label("vector")
	l.mark(next)
	l.scope(func() { body(mem{base: dst}, mem{base: src}, mem{base: minus}, scale) })
	lanesOf := l.width() / 8
	l.addTo(lanesOf*dstSize, dst)
	l.addTo(lanesOf*srcSize, src)
	l.addTo(lanesOf*8, minus)
	l.countDown(n, next)
	l.leave()
}
