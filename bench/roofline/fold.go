package main

import (
	"github.com/nystream/nystream/internal/simd"
	"github.com/nystream/nystream/sketch"
	"gonum.org/v1/gonum/blas/blas64"
)

// foldRows is how many rows of a tile are filled before they are folded, as in
// solvers/lowrank/tiles.go.
const foldRows = 32

// A folder puts K(x, landmarks)·Ĉ into dst; tile is scratch. It may be called
// by several threads with buffers of their own.
type folder[T simd.Float] func(dst, x, tile simd.Matrix[T])

// solver64 calls what the solvers call.
func solver64(k kernel, rows simd.Matrix[float64]) folder[float64] {
	value, signs := k.value(rows.Cols), newSigns()
	panel := value.Pack(blas64.General(rows))
	return func(dst, x, tile simd.Matrix[float64]) {
		value.Fill(blas64.General(tile), blas64.General(x), panel, nil)
		signs.FoldCols(blas64.General(dst), blas64.General(tile))
	}
}

// solver32 calls in float32 what those calls come to.
func solver32(k kernel, rows simd.Matrix[float32]) folder[float32] {
	packed, profile := simd.PackRows(rows), k.profile(rows.Cols)
	signs := make([]float32, landmarks)
	for i := range signs {
		signs[i] = float32(1 - 2*(i%2))
	}
	return func(dst, x, tile simd.Matrix[float32]) {
		simd.Fill(tile, x, packed, k.base, profile)
		simd.Fold(dst, tile, signs, 0.5)
	}
}

func newSigns() *sketch.SparseSign {
	s, err := sketch.NewSparseSign(landmarks, sketchCols, nonzeros, 1, "roofline")
	if err != nil {
		panic("roofline: " + err.Error())
	}
	return s
}
