package simd

import (
	"fmt"
	"math"
	"unsafe"
)

// Fold sums each row of the tile with signs, slot by slot:
//
//	dst[i,j] = scale · Σ_t signs[t·c + j]·tile[i, t·c + j],
//
// where c is dst.Cols and t runs over the slots in ascending order. With signs
// of ±1 every path gives the same bits. Cost: an addition for each entry of the
// tile. It panics unless the tile has as many columns as there are signs, a
// multiple of c, and as many rows as dst.
func Fold[T Float](dst, tile Matrix[T], signs []T, scale T) {
	if dst.Rows != tile.Rows || tile.Cols != len(signs) || dst.Cols == 0 && tile.Cols > 0 || dst.Cols > 0 && tile.Cols%dst.Cols != 0 {
		panic(fmt.Sprintf("simd: fold of %d×%d with %d signs into %d×%d", tile.Rows, tile.Cols, len(signs), dst.Rows, dst.Cols))
	}
	first := 0
	if active != Go && dst.Rows > 0 && len(signs) > 0 {
		first = foldFast(dst, tile, signs, scale)
	}
	foldGo(dst, tile, signs, scale, first)
}

// foldGo folds the columns from the given one on.
func foldGo[T Float](dst, tile Matrix[T], signs []T, scale T, first int) {
	for i := range dst.Rows {
		out, in := dst.row(i), tile.row(i)
		for j := first; j < len(out); j++ {
			sum := T(0)
			for at := j; at < len(in); at += len(out) {
				sum += T(signs[at] * in[at])
			}
			out[j] = T(sum * scale)
		}
	}
}

// foldJob is laid out as in _gen/fold.go.
type foldJob struct {
	tile    unsafe.Pointer
	tileRow uintptr
	sign    unsafe.Pointer
	dst     unsafe.Pointer
	dstRow  uintptr
	slot    uintptr
	slots   int
	rows    int
	vectors int
	scale   uint64
}

// foldFast folds as many columns as fill vectors, and returns their number.
func foldFast[T Float](dst, tile Matrix[T], signs []T, scale T) (cols int) {
	var e T
	size := int(unsafe.Sizeof(e))
	lanes := active.vectorBytes() / size
	j := foldJob{
		tile: unsafe.Pointer(unsafe.SliceData(tile.Data)), tileRow: uintptr(tile.Stride * size),
		sign: unsafe.Pointer(unsafe.SliceData(signs)),
		dst:  unsafe.Pointer(unsafe.SliceData(dst.Data)), dstRow: uintptr(dst.Stride * size),
		slot: uintptr(dst.Cols * size), slots: len(signs) / dst.Cols, rows: dst.Rows, vectors: dst.Cols / lanes,
		scale: math.Float64bits(float64(scale)),
	}
	if size == 4 {
		j.scale = uint64(math.Float32bits(float32(scale)))
	}
	if j.vectors > 0 {
		j.run(active, size == 4)
	}
	return j.vectors * lanes
}

// vectorBytes is the size of a register.
func (p Path) vectorBytes() int {
	if p == AVX512 {
		return 64
	}
	return 32
}
