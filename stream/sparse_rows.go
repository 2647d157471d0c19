package stream

import "sync"

// SparseRows is a source of the rows of a sparse matrix, which are never made dense:
// [RowNumbers] to those who do not ask for more. Solvers that can use sparse rows look
// whether a source is one; see [CSR.Source] for others.
type SparseRows struct {
	*RowNumbers
	Matrix *CSR
	// Into are, of nodes of a graph, the edges into the node whose edges out are the row of
	// Matrix, over the same columns: for nodes that are not those of the columns, whose
	// transpose does not have them. It may be nil.
	Into *CSR

	turning sync.Once
	turned  *CSR
}

// NewSparseRows returns the rows of a matrix. transpose is that of the matrix, or nil.
func NewSparseRows(name string, m, transpose *CSR) *SparseRows {
	return &SparseRows{RowNumbers: NewRowNumbers(name, int64(m.Rows)), Matrix: m, turned: transpose}
}

// Transpose returns the transpose of the matrix. The first call makes it, unless it was
// given.
func (s *SparseRows) Transpose() *CSR {
	s.turning.Do(func() {
		if s.turned == nil {
			s.turned = s.Matrix.Transpose()
		}
	})
	return s.turned
}
