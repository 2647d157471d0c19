// Package sparse holds sparse matrices in memory, such as adjacency matrices of graphs. Passes read
// their rows as dense vectors with [CSR.Source], or as sparse vectors with [Rows].
package sparse

import (
	"fmt"
	"iter"
)

// CSR is a sparse matrix in compressed sparse row format, in memory: the adjacency matrix of a
// directed graph, where entry (i, j) is the weight of the edge from node i to node j. It takes 8
// bytes per row, and 4 bytes per entry, or 12 with values.
//
// Row i has the entries Start[i] to Start[i+1]-1, with strictly ascending columns. [NewCSR] returns
// such a matrix. Methods do not change their receiver, but results may share memory with it.
type CSR struct {
	Rows, Cols int
	Start      []int64   // Rows+1 offsets into Index and Value
	Index      []int32   // the column of each entry
	Value      []float64 // the value of each entry; nil if all are 1
}

// Entry is one entry of a sparse matrix.
type Entry struct {
	Row, Col int32
	Value    float64
}

// NNZ returns the number of stored entries. Some may be zero.
func (c *CSR) NNZ() int64 { return int64(len(c.Index)) }

// Row returns the columns and values of row i, sharing memory with the matrix. value is nil if all
// values are 1.
func (c *CSR) Row(i int) (index []int32, value []float64) {
	from, to := c.Start[i], c.Start[i+1]
	index = c.Index[from:to:to]
	if c.Value != nil {
		value = c.Value[from:to:to]
	}
	return index, value
}

// Entries yields all entries, row by row, in ascending order of columns.
func (c *CSR) Entries() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for i := range c.Rows {
			for p := c.Start[i]; p < c.Start[i+1]; p++ {
				if !yield(Entry{int32(i), c.Index[p], c.at(p)}) {
					return
				}
			}
		}
	}
}

// at returns the value of the entry at offset p.
func (c *CSR) at(p int64) float64 {
	if c.Value == nil {
		return 1
	}
	return c.Value[p]
}

// Transpose returns the transpose. Cost: O(Rows + Cols + NNZ) time, and the memory of the result (a
// counting sort by columns: Gustavson 1978, "Two fast algorithms for sparse matrices", algorithm
// HALFPERM).
func (c *CSR) Transpose() *CSR {
	counts := make([]int64, c.Cols+1)
	for _, j := range c.Index {
		counts[j]++
	}
	t := newWithCounts(c.Cols, c.Rows, counts, c.Value != nil)
	for i := range c.Rows {
		for p := c.Start[i]; p < c.Start[i+1]; p++ {
			t.put(c.Index[p], int32(i), c.at(p))
		}
	}
	t.finishRows()
	return t
}

// newWithCounts returns a matrix with space for counts[i] entries in row i, which put fills. It
// takes over counts. Until finishRows is called, Start[i] is the offset of the next entry of row i.
func newWithCounts(rows, cols int, counts []int64, values bool) *CSR {
	next := int64(0)
	for i, n := range counts {
		counts[i] = next
		next += n
	}
	c := &CSR{Rows: rows, Cols: cols, Start: counts, Index: make([]int32, next)}
	if values {
		c.Value = make([]float64, next)
	}
	return c
}

// put appends an entry to row i.
func (c *CSR) put(i, j int32, v float64) {
	p := c.Start[i]
	c.Start[i] = p + 1
	c.Index[p] = j
	if c.Value != nil {
		c.Value[p] = v
	}
}

// finishRows ends the filling: it restores Start from the row ends.
func (c *CSR) finishRows() {
	copy(c.Start[1:], c.Start[:c.Rows])
	c.Start[0] = 0
}

// mustBeSquare panics unless the matrix is square.
func (c *CSR) mustBeSquare(what string) {
	if c.Rows != c.Cols {
		panic(fmt.Sprintf("sparse: %s of a %d×%d matrix, which is not square", what, c.Rows, c.Cols))
	}
}

// AddIdentity returns the matrix plus the identity: every node gets an additional edge of weight 1
// to itself. It panics unless the matrix is square. Cost: O(Rows + NNZ) time, and the memory of the
// result.
func (c *CSR) AddIdentity() *CSR {
	c.mustBeSquare("adding the identity")
	sum := &CSR{Rows: c.Rows, Cols: c.Cols, Start: make([]int64, c.Rows+1)}
	present := int64(0) // entries on the diagonal
	for i := range c.Rows {
		if _, found := c.diagonal(i); found {
			present++
		}
	}
	n := c.NNZ() + int64(c.Rows) - present
	sum.Index = make([]int32, 0, n)
	if c.Value != nil || present > 0 {
		sum.Value = make([]float64, 0, n)
	}
	for i := range c.Rows {
		p, found := c.diagonal(i)
		sum.appendRange(c, c.Start[i], p)
		if found {
			sum.append(int32(i), c.at(p)+1)
			p++
		} else {
			sum.append(int32(i), 1)
		}
		sum.appendRange(c, p, c.Start[i+1])
		sum.Start[i+1] = int64(len(sum.Index))
	}
	return sum
}

// diagonal returns the offset of entry (i, i), or the offset where it would be inserted.
func (c *CSR) diagonal(i int) (p int64, found bool) {
	from, to := c.Start[i], c.Start[i+1]
	for from < to { // the first entry with column ≥ i
		middle := from + (to-from)/2
		if int(c.Index[middle]) < i {
			from = middle + 1
		} else {
			to = middle
		}
	}
	return from, from < c.Start[i+1] && int(c.Index[from]) == i
}

// append appends an entry to the last row.
func (c *CSR) append(j int32, v float64) {
	c.Index = append(c.Index, j)
	if c.Value != nil {
		c.Value = append(c.Value, v)
	}
}

// appendRange appends the entries of src at the offsets from ≤ p < to.
func (c *CSR) appendRange(src *CSR, from, to int64) {
	c.Index = append(c.Index, src.Index[from:to]...)
	switch {
	case src.Value != nil:
		c.Value = append(c.Value, src.Value[from:to]...)
	case c.Value != nil:
		for range to - from {
			c.Value = append(c.Value, 1)
		}
	}
}
