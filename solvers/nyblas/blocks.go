package nyblas

import (
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/simd"
)

// view returns a matrix over a slice.
func view(rows, cols int, data []float64, ld int) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Data: data, Stride: ld}
}

// rowsOf returns the rows of op(m) from row i on.
func rowsOf(t blas.Transpose, m blas64.General, i, rows int) blas64.General {
	if t == blas.NoTrans {
		return matrix.Block(m, i, 0, rows, m.Cols)
	}
	return matrix.Block(m, 0, i, m.Rows, rows)
}

// multiply is C = alpha·op(A)·op(B) + beta·C.
func multiply(threads int, ta, tb blas.Transpose, alpha float64, a, b blas64.General, beta float64, c blas64.General) {
	simd.GemmThreads(threads, ta, tb, alpha, a, b, beta, c)
}

// leastWork is the number of multiply-adds up to which gonum's plain loops are faster.
const leastWork = 512

// smallWork is leastWork; tests change it.
var smallWork float64 = leastWork

// small reports whether an m×n×k operation is left to gonum: it is small or empty, or there is no vector path.
func small(m, n, k int) bool {
	return simd.Active() == simd.Go || float64(m)*float64(n)*float64(k) <= smallWork
}

// half returns where to split a matrix of n > leaf rows, at a whole vector.
func half(n int) int { return (n/2 + simd.Lanes - 1) / simd.Lanes * simd.Lanes }

// workPerThread is the number of multiply-adds below which another thread costs more than it saves.
const workPerThread = 1 << 20

// threadsFor returns the number of threads worth starting for the given multiply-adds.
func threadsFor(threads int, work float64) int {
	return max(1, min(threads, int(work/workPerThread)))
}

// divide splits B among threads and calls f for each part: by columns for operations from the left, else by rows, in
// multiples of a tile.
func divide(threads int, s blas.Side, b blas64.General, f func(i, j, rows, cols int)) {
	n, part := b.Rows, func(i, rows int) { f(i, 0, rows, b.Cols) }
	if s == blas.Left {
		n, part = b.Cols, func(j, cols int) { f(0, j, b.Rows, cols) }
	}
	size := ((n+threads-1)/threads + 23) / 24 * 24
	var wg sync.WaitGroup
	for from := size; from < n; from += size {
		wg.Go(func() { part(from, min(size, n-from)) })
	}
	part(0, min(n, size))
	wg.Wait()
}

// leafRows is the order at which the recursion on symmetric blocks stops.
const leafRows = 32

// leaf is memory for a square of leafRows.
type leaf [leafRows * leafRows]float64

var leaves = sync.Pool{New: func() any { return new(leaf) }}
