package sketch

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas32"

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
