package kernelgen

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/simd"
)

// Panel holds rows packed as the column side of tiles. It is immutable and safe for concurrent use. It takes
// 8·rows·cols bytes for each kind of base in the kernel: cosines, divergences, and all others.
type Panel struct {
	rows, cols int
	bases      baseSet
	packed     [numPreparations]simd.Packed
}

// Pack copies rows into a panel for the tiles of k. The kernel need not be resolved. Pack panics unless the kernel is
// plain: see [Kernel.CheckPlain].
func (k Kernel) Pack(rows blas64.General) *Panel {
	k.mustBePlain()
	set := k.bases()
	return &Panel{rows: rows.Rows, cols: rows.Cols, bases: set, packed: packAll(rows, set)}
}

// Rows returns the number of rows in the panel, which is the number of columns of its tiles.
func (p *Panel) Rows() int { return p.rows }

// side returns the packed rows for base b.
func (p *Panel) side(b Base) simd.Packed { return p.packed[b.spec().rows] }

// unitRows copies the rows, divided by their norms, into buf, which is allocated if it is too small.
func unitRows(rows blas64.General, buf []float64) blas64.General {
	unit := matrix.Reuse(&buf, rows.Rows, rows.Cols)
	for i := range rows.Rows {
		simd.Normalize(matrix.Row(unit, i), matrix.Row(rows, i))
	}
	return unit
}
