package simd

import (
	"fmt"
	"unsafe"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

// Fold sums each row of the tile with signs, slot by slot:
//
//	dst[i,j] = scale · Σ_t signs[t·c + j]·tile[i, t·c + j],
//
// where c is dst.Cols and t runs over the slots in ascending order. With signs of ±1 every path
// gives the same bits. Cost: one addition per entry of the tile. It panics unless the tile has a
// column for each sign, a multiple of c, and as many rows as dst.
func Fold(dst, tile blas64.General, signs []float64, scale float64) {
	if dst.Rows != tile.Rows || tile.Cols != len(signs) || dst.Cols == 0 && tile.Cols > 0 || dst.Cols > 0 && tile.Cols%dst.Cols != 0 {
		panic(fmt.Sprintf("simd: fold of %d×%d with %d signs into %d×%d", tile.Rows, tile.Cols, len(signs), dst.Rows, dst.Cols))
	}
	if len(signs) == 0 || active == Go {
		foldGo(dst, tile, signs, scale)
		return
	}
	foldFast(dst, tile, signs, scale)
}

// foldGo is the reference.
func foldGo(dst, tile blas64.General, signs []float64, scale float64) {
	for i := range dst.Rows {
		out, in := matrix.Row(dst, i), matrix.Row(tile, i)
		for j := range out {
			sum := 0.0
			for at := j; at < len(in); at += len(out) {
				sum += float64(signs[at] * in[at])
			}
			out[j] = sum * scale
		}
	}
}

// foldJob is the argument of the assembly, in the layout of _gen/fold.go.
type foldJob struct {
	tile    unsafe.Pointer
	tileRow uintptr
	sign    unsafe.Pointer
	dst     unsafe.Pointer
	dstRow  uintptr
	slot    uintptr
	slots   int
	groups  int // of rows
	vectors int
	scale   float64
	tail    uint64 // lanes of the partial vector
	lanes   [8]uint64
}

// foldRowsAtATime bounds the work of one call of the assembly.
const foldRowsAtATime = 256

func foldFast(dst, tile blas64.General, signs []float64, scale float64) {
	lanes := active.vectorBytes() / 8
	j := foldJob{
		tileRow: uintptr(8 * tile.Stride), sign: unsafe.Pointer(unsafe.SliceData(signs)), dstRow: uintptr(8 * dst.Stride),
		slot: uintptr(8 * dst.Cols), slots: len(signs) / dst.Cols, vectors: dst.Cols / lanes,
		scale: scale,
	}
	j.tail = 1<<(dst.Cols%lanes) - 1
	fillLaneMask(&j.lanes, dst.Cols%lanes)
	for first := 0; first < dst.Rows; {
		rows := 4
		j.groups = min(foldRowsAtATime, dst.Rows-first) / rows
		if j.groups == 0 {
			rows, j.groups = 1, dst.Rows-first
		}
		j.tile = unsafe.Pointer(&tile.Data[first*tile.Stride])
		j.dst = unsafe.Pointer(&dst.Data[first*dst.Stride])
		first += rows * j.groups
		j.run(active, rows)
	}
}

// vectorBytes returns the size of a register.
func (p Path) vectorBytes() int {
	return [...]int{AVX2: 32, AVX512: 64, NEON: 16}[p]
}
