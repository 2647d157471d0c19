package sparse

import (
	"sync"

	"github.com/nystream/nystream/stream"
)

// Rows is a source of the rows of a sparse matrix, which are never made dense:
// [stream.RowNumbers] to those who do not ask for more. Solvers that can use sparse rows look
// whether a source is one; see [CSR.Source] for others.
type Rows struct {
	*stream.RowNumbers
	Matrix *CSR
	// Into are, of nodes of a graph, the edges into the node whose edges out are the row of
	// Matrix, over the same columns: for nodes that are not those of the columns, whose
	// transpose does not have them. It may be nil.
	Into *CSR

	turning sync.Once
	turned  *CSR
}

// NewRows returns the rows of a matrix. transpose is that of the matrix, or nil.
func NewRows(name string, m, transpose *CSR) *Rows {
	return &Rows{RowNumbers: &stream.RowNumbers{Name: name, Rows: int64(m.Rows)}, Matrix: m, turned: transpose}
}

// Transpose returns the transpose of the matrix. The first call makes it, unless it was
// given.
func (s *Rows) Transpose() *CSR {
	s.turning.Do(func() {
		if s.turned == nil {
			s.turned = s.Matrix.Transpose()
		}
	})
	return s.turned
}
