package sparse

import (
	"sync"

	"github.com/nystream/nystream/stream"
)

// Rows is a source of the rows of a sparse matrix that are never made dense. To a pass it is a
// [stream.RowNumbers]; solvers that support sparse rows test for this type. For others use
// [CSR.Source].
type Rows struct {
	*stream.RowNumbers
	Matrix *CSR
	// Into is for rows of nodes outside the graph of the columns. It holds their incoming edges,
	// over the same columns as their outgoing edges in Matrix; the transpose of Matrix lacks these.
	// It may be nil.
	Into *CSR

	once       sync.Once
	transposed *CSR
}

// NewRows returns the rows of a matrix. transpose is its transpose, or nil.
func NewRows(name string, m, transpose *CSR) *Rows {
	return &Rows{RowNumbers: &stream.RowNumbers{Name: name, Rows: int64(m.Rows)}, Matrix: m, transposed: transpose}
}

// Transpose returns the transpose of the matrix. The first call computes it unless it was given to
// NewRows.
func (s *Rows) Transpose() *CSR {
	s.once.Do(func() {
		if s.transposed == nil {
			s.transposed = s.Matrix.Transpose()
		}
	})
	return s.transposed
}
