package model

// Size is the size of the data of a fit, which decides its cost. A family looks at
// the fields that its data have.
type Size struct {
	Rows int64 // of the left source: rows of A, samples, pairs
	Cols int64 // of the right source: columns of A; 0 where one source is both
	// Columns is how many numbers a left row has, and RightColumns how many a right row
	// has, 0 meaning as many.
	Columns, RightColumns int

	Classes  int  // of the labels, 0 for none
	Targets  int  // numbers that are known of each row besides, 0 for none
	Weighted bool // each row has a weight
	Sparse   *Sparsity
}

// OneSource reports whether the rows of one source are on both sides.
func (s Size) OneSource() bool { return s.Cols == 0 }

// Longest returns the number of rows of the longer source.
func (s Size) Longest() int64 { return max(s.Rows, s.Cols) }

// Sparsity is what decides the cost of sparse rows. The left rows are those of a
// sparse matrix, and the right rows its columns.
type Sparsity struct {
	Entries int64 // of the matrix
	// Paths is the number of paths of two edges from a left row over a column to a right row.
	Paths    int64
	Negative bool // an entry is negative
	Explicit bool // the matrix is the kernel matrix itself
}
