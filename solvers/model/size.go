package model

// Size is the size of the data of a fit, which determines its cost. Fields that do not apply to a family are zero.
type Size struct {
	Rows int64 // of the left source: rows of A, samples, pairs
	Cols int64 // of the right source: columns of A; 0 if one source serves both sides
	// Columns is the number of columns of a left row, and RightColumns of a right row; 0 means the same number.
	Columns, RightColumns int

	Classes  int  // of the labels, 0 for none
	Targets  int  // number of targets of each row, 0 for none
	Weighted bool // each row has a weight
	Sparse   *Sparsity
}

// OneSource reports whether one source provides the rows of both sides.
func (s Size) OneSource() bool { return s.Cols == 0 }

// Longest returns the number of rows of the longer source.
func (s Size) Longest() int64 { return max(s.Rows, s.Cols) }

// Sparsity determines the cost of sparse rows. The left rows are the rows of a sparse matrix, and the right rows its
// columns.
type Sparsity struct {
	Entries int64 // number of stored entries
	// Paths is the number of paths of two edges from a left row through a column to a right row.
	Paths    int64
	Negative bool // an entry is negative
	Explicit bool // the matrix is the kernel matrix itself
}
