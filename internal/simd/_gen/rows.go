package main

import "fmt"

// rows emits products of a few rows of a matrix with vectors: their inner products with x, the
// addition of t times the rows to y, or both in one sweep, as needed for a symmetric matrix. A
// round takes eight columns on every instruction set, so that sums use the same eight lanes and
// have the same bits.
type rows struct {
	*lanes
	dot, add bool
	a        []gp // a pointer into each row
	x, y     gp
	sums     [][]vec // by row, of a round
	t        []vec
}

func emitRows(l *lanes) {
	for _, n := range []int{4, 1} {
		emitRowsOf(l, n, "dot", "sets sums to partial sums of the products of rows with x.", true, false)
		emitRowsOf(l, n, "add", "adds the rows, multiplied by t, to y.", false, true)
		emitRowsOf(l, n, "both", "does both dot and add.", true, true)
	}
}

func emitRowsOf(l *lanes, n int, name, doc string, dot, add bool) {
	l.function(fmt.Sprintf("%sRows%dF64", name, n),
		"func(a *float64, stride int, x, y *float64, rounds, more int, t *[4]float64, sums *[32]float64)",
		doc+" stride is in bytes, and a round has eight columns. A nonzero more adds to sums instead.")
	r := &rows{lanes: l, dot: dot, add: add, a: []gp{l.parameter("a")}}
	stride := l.parameter("stride")
	for i := 1; i < n; i++ {
		next := l.scalar()
		l.address(mem{base: r.a[i-1], index: stride, scale: 1}, next)
		r.a = append(r.a, next)
	}
	rounds := l.parameter("rounds")
	r.begin(n)
	loop := l.label("loop")
	l.mark(loop)
	for i := range r.registers() {
		l.scope(func() { r.columns(i) })
	}
	for _, a := range r.a {
		l.addTo(64, a)
	}
	if dot {
		l.addTo(64, r.x)
	}
	if add {
		l.addTo(64, r.y)
	}
	l.countDown(rounds, loop)
	if dot {
		r.eachSum(l.parameter("sums"), func(sum vec, at mem) { l.move(sum, at) })
	}
	l.leave()
}

// registers returns the number of registers that hold the columns of a round.
func (r *rows) registers() int { return 64 / r.width() }

// begin loads the values that stay in registers.
func (r *rows) begin(n int) {
	if r.dot {
		r.x = r.parameter("x")
		for range n {
			r.sums = append(r.sums, r.vecs(r.registers()))
		}
		r.eachSum(0, func(sum vec, _ mem) { r.zero(sum) })
		fresh := r.label("fresh")
		r.compareZero(r.parameter("more"))
		r.jump(ifEqual, fresh)
		r.eachSum(r.parameter("sums"), func(sum vec, at mem) { r.move(at, sum) })
		r.mark(fresh)
	}
	if r.add {
		r.y = r.parameter("y")
		t := r.parameter("t")
		r.t = r.vecs(n)
		for i, v := range r.t {
			r.broadcast(mem{base: t, disp: 8 * i}, v)
		}
	}
}

func (r *rows) eachSum(base gp, f func(sum vec, at mem)) {
	for i, row := range r.sums {
		for j, sum := range row {
			f(sum, mem{base: base, disp: 64*i + j*r.width()})
		}
	}
}

// columns emits the instructions for the columns of register i in a round.
func (r *rows) columns(i int) {
	at := i * r.width()
	v, x, y := r.vec(), vec(0), vec(0)
	if r.dot {
		x = r.vec()
		r.move(mem{base: r.x, disp: at}, x)
	}
	if r.add {
		y = r.vec()
		r.move(mem{base: r.y, disp: at}, y)
	}
	for row, a := range r.a {
		r.move(mem{base: a, disp: at}, v)
		if r.dot {
			r.fma(v, x, r.sums[row][i])
		}
		if r.add {
			r.fma(v, r.t[row], y)
		}
	}
	if r.add {
		r.move(y, mem{base: r.y, disp: at})
	}
}
