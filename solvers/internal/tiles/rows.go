package tiles

import (
	"sync"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream/sparse"
)

// Rows is one side of a tile: dense rows, or sparse ones if Sparse is not nil. Data shared by the tiles of many blocks
// is prepared once, on first use. Rows must not be copied, and belongs to the tiles of one kernel.
type Rows struct {
	Dense  blas64.General
	Sparse *sparse.CSR

	packOnce, transposeOnce, anchorOnce, sumOnce sync.Once
	packed                                       *kernelgen.Panel
	transposed                                   *sparse.CSR
	anchors                                      []float64 // see [ForCurve]
	sums                                         []float64 // see [Tiles.SetNormaliser]
}

// SparseRows returns the rows of a sparse matrix with its precomputed transpose.
func SparseRows(m, transpose *sparse.CSR) *Rows {
	r := &Rows{Sparse: m}
	r.transposeOnce.Do(func() { r.transposed = transpose })
	return r
}

// Count returns the number of rows.
func (r *Rows) Count() int {
	if r.Sparse != nil {
		return r.Sparse.Rows
	}
	return r.Dense.Rows
}

// Dimension returns the length of a row.
func (r *Rows) Dimension() int {
	if r.Sparse != nil {
		return r.Sparse.Cols
	}
	return r.Dense.Cols
}

// Slice returns n rows from the given one on. The two share memory.
func (r *Rows) Slice(first, n int) *Rows {
	if r.Sparse == nil {
		return &Rows{Dense: matrix.Rows(r.Dense, first, n)}
	}
	s := *r.Sparse
	s.Rows, s.Start = n, s.Start[first:first+n+1]
	return &Rows{Sparse: &s}
}

// Blocks divides the rows into slices of size rows; the last one may be shorter.
func (r *Rows) Blocks(size int) []*Rows {
	var blocks []*Rows
	for first := 0; first < r.Count(); first += size {
		blocks = append(blocks, r.Slice(first, min(size, r.Count()-first)))
	}
	return blocks
}

// Prepare prepares sparse rows as the columns of tiles, so that Fill iterates over the rows of the other side. It
// returns r.
func (r *Rows) Prepare() *Rows {
	if r.Sparse != nil {
		r.Transpose()
	}
	return r
}

// panel returns dense rows packed as the columns of tiles.
func (r *Rows) panel(t *Tiles) *kernelgen.Panel {
	r.packOnce.Do(func() { r.packed = t.raw.Pack(t.shifted(r.Dense)) })
	return r.packed
}

// Transpose returns the transpose of sparse rows: its row l lists the rows with an entry in column l. Memory: 8 bytes
// for each column, in addition to the entries.
func (r *Rows) Transpose() *sparse.CSR {
	r.transposeOnce.Do(func() { r.transposed = transpose(*r.Sparse) })
	return r.transposed
}

// transpose is sparse.CSR.Transpose for a slice of rows, whose entries do not start at 0.
func transpose(m sparse.CSR) *sparse.CSR {
	first, last := m.Start[0], m.Start[m.Rows]
	m.Index = m.Index[first:last]
	if m.Value != nil {
		m.Value = m.Value[first:last]
	}
	if first > 0 {
		start := make([]int64, m.Rows+1)
		for i := range start {
			start[i] = m.Start[i] - first
		}
		m.Start = start
	}
	return m.Transpose()
}
