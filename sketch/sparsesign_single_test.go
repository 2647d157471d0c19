package sketch

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/blas/blas32"
)

// TestFoldColsSingle: the fold in float32 is that in float64 within the rounding
// that is documented, and leaves what is beside it alone.
func TestFoldColsSingle(t *testing.T) {
	for _, shape := range [][2]int{{1, 1}, {1, 4}, {7, 4}, {16, 4}, {50, 4}, {33, 3}, {5, 9}} {
		s, err := NewSparseSign(10000, shape[0], shape[1], 5, "test")
		if err != nil {
			t.Fatal(err)
		}
		const rows, pad = 9, 3
		width := shape[0] * shape[1]
		tile, wide := blas32.General{Rows: rows, Cols: width, Stride: width + pad, Data: make([]float32, rows*(width+pad))}, newMatrix(rows, width)
		for i := range rows {
			for j := range width {
				v := float32(math.Sin(float64(i*width + 7*j + 1)))
				tile.Data[i*tile.Stride+j] = v
				row(wide, i)[j] = float64(v)
			}
		}
		dst := blas32.General{Rows: rows, Cols: s.Cols, Stride: s.Cols + pad, Data: make([]float32, rows*(s.Cols+pad))}
		for i := range dst.Data {
			dst.Data[i] = -77
		}
		s.FoldColsSingle(dst, tile)
		want := newMatrix(rows, s.Cols)
		s.FoldCols(want, wide)
		for i, v := range dst.Data {
			r, c := i/dst.Stride, i%dst.Stride
			if c >= s.Cols {
				if v != -77 {
					t.Fatalf("%v: word %d beside row %d was overwritten", shape, c, r)
				}
				continue
			}
			most := float64(s.NNZ+1) * float64(s.NNZ) * s.scale * 0x1p-24
			if e := math.Abs(float64(v) - row(want, r)[c]); e > most {
				t.Errorf("%v: [%d,%d] = %v, want %v within %g", shape, r, c, v, row(want, r)[c], most)
			}
		}
	}
}
