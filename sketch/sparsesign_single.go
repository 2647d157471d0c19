package sketch

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/simd"
)

// FoldColsSingle is [SparseSign.FoldCols] in float32: each entry is rounded at
// most NNZ + 1 times, by 2⁻²⁴ of the sum of the magnitudes that it adds, scaled.
func (s *SparseSign) FoldColsSingle(dst, tile blas32.General) {
	if tile.Cols != len(s.positions) || dst.Rows != tile.Rows || dst.Cols != s.Cols {
		panic(fmt.Sprintf("sketch: FoldColsSingle of %d×%d into %d×%d, want %d×%d into %d×%d",
			tile.Rows, tile.Cols, dst.Rows, dst.Cols, tile.Rows, len(s.positions), tile.Rows, s.Cols))
	}
	simd.Fold(single(dst), single(tile), s.foldSmall, float32(s.scale))
}

func single(m blas32.General) simd.Matrix[float32] {
	return simd.Matrix[float32]{Rows: m.Rows, Cols: m.Cols, Stride: m.Stride, Data: m.Data}
}

// Widen puts scale·src into dst, of the same shape.
func Widen(dst blas64.General, src blas32.General, scale float64) {
	checkShape("Widen dst", dst, src.Rows, src.Cols)
	if n := dst.Rows * dst.Cols; dst.Stride == dst.Cols && src.Stride == src.Cols {
		simd.Widen(dst.Data[:n], src.Data[:n], scale)
		return
	}
	for i := range dst.Rows {
		simd.Widen(row(dst, i), src.Data[i*src.Stride:][:src.Cols], scale)
	}
}
