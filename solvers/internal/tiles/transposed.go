package tiles

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"

	"github.com/nystream/nystream/kernelgen"
)

// transposedRows is the number of landmarks transposed at a time.
const transposedRows = 64

// FillTransposed stores k(z_j, x_i) at row i, column j of dst, for dense rows x_i and z_j; [Tiles.FillDense] stores
// k(x_i, z_j). Row sums are those of z_j and are computed once.
func (t *Tiles) FillTransposed(dst, x blas64.General, z *Rows, w *kernelgen.Workspace) {
	if dst.Rows == 0 || dst.Cols == 0 {
		return
	}
	columns := &Rows{Dense: x}
	tile, give := t.room(min(transposedRows, dst.Cols), dst.Rows)
	defer give()
	for first := 0; first < dst.Cols; first += transposedRows {
		n := min(transposedRows, dst.Cols-first)
		part := matrix.Rows(tile, 0, n)
		t.fillRaw(part, matrix.Rows(z.Dense, first, n), columns, w)
		if t.normaliserRows != nil {
			t.Divide(part, z.logSums(t)[first:first+n])
		}
		for j := range n {
			for i, v := range matrix.Row(part, j) {
				dst.Data[i*dst.Stride+first+j] = v
			}
		}
	}
}

// room borrows a matrix from a pool. Call give to return it.
func (t *Tiles) room(rows, cols int) (m blas64.General, give func()) {
	buf, _ := t.tiles.Get().(*[]float64)
	if buf == nil {
		buf = new([]float64)
	}
	return matrix.Reuse(buf, rows, cols), func() { t.tiles.Put(buf) }
}
