package simd

import "sync"

// workPerThread is the number of multiply-adds below which a thread costs more
// than it saves.
const workPerThread = 1 << 22

// threadsFor returns the number of threads that pay off.
func (g *gemm) threadsFor(threads int) int {
	work := float64(g.c.rows) * float64(g.c.cols) * float64(g.a.cols)
	return max(1, min(threads, int(work/workPerThread)))
}

// divide runs the product on the given number of threads, each with some rows or columns of C, in
// multiples of a tile. (The receiver is a value: data shared with threads escape to the heap, and
// products on one thread should not.)
func (g gemm) divide(threads int) {
	n, unit, part := g.c.rows, 8, g.rowsOf
	if g.c.cols > n {
		n, unit, part = g.c.cols, 24, g.colsOf
	}
	size := ((n+threads-1)/threads + unit - 1) / unit * unit
	var wg sync.WaitGroup
	for from := size; from < n; from += size {
		wg.Go(func() { part(from, min(n, from+size)).run() })
	}
	part(0, min(n, size)).run()
	wg.Wait()
}

func (g gemm) rowsOf(from, to int) *gemm {
	g.a = g.a.block(from, 0, to-from, g.a.cols)
	g.c = g.c.block(from, 0, to-from, g.c.cols)
	return &g
}

func (g gemm) colsOf(from, to int) *gemm {
	g.b = g.b.block(0, from, g.b.rows, to-from)
	g.c = g.c.block(0, from, g.c.rows, to-from)
	return &g
}
