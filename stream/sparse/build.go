package sparse

import (
	"fmt"
	"iter"
	"math"

	"github.com/nystream/nystream/internal/matrix"
)

// NewCSR returns the sparse matrix with the given entries, in any order. Entries at the same
// position are summed in their order. Value is nil if every value is 1 and no position occurs
// twice. Explicit zeros are kept.
//
// entries is called twice and must yield the same entries both times. NewCSR returns an error if an
// entry lies outside the matrix, or if an entry or a sum is not finite. It panics if rows or cols
// is negative or exceeds 2³¹−1.
//
// Cost: O(rows + cols + entries) time. The peak memory is that of all entries before summing and of
// the transpose.
func NewCSR(rows, cols int, entries iter.Seq[Entry]) (*CSR, error) {
	if rows < 0 || cols < 0 || rows > math.MaxInt32 || cols > math.MaxInt32 {
		panic(fmt.Sprintf("sparse: a sparse matrix of %d×%d", rows, cols))
	}
	counts, ones, err := countEntries(rows, cols, entries)
	if err != nil {
		return nil, err
	}
	columns := newWithCounts(cols, rows, counts, !ones)
	total, placed := int64(len(columns.Index)), int64(0)
	for e := range entries {
		if placed++; placed > total {
			break
		}
		columns.put(e.Col, e.Row, e.Value)
	}
	if placed != total {
		panic("sparse: the entries of a sparse matrix changed between two readings")
	}
	columns.finishRows()
	c := columns.Transpose() // together with the first sort: stably sorted by row and column
	return c, c.sumDuplicates()
}

// countEntries checks the entries and counts them per column. ones reports whether all values are
// 1.
func countEntries(rows, cols int, entries iter.Seq[Entry]) (counts []int64, ones bool, err error) {
	counts, ones = make([]int64, cols+1), true
	for e := range entries {
		if e.Row < 0 || int(e.Row) >= rows || e.Col < 0 || int(e.Col) >= cols {
			return nil, false, fmt.Errorf("the entry in row %d, column %d lies outside a matrix of %d rows and %d columns", e.Row, e.Col, rows, cols)
		}
		if !matrix.IsFinite(e.Value) {
			return nil, false, fmt.Errorf("the entry in row %d, column %d is %v; entries must be finite", e.Row, e.Col, e.Value)
		}
		counts[e.Col]++
		ones = ones && e.Value == 1
	}
	return counts, ones, nil
}

// sumDuplicates sums adjacent entries of the same column, in place.
func (c *CSR) sumDuplicates() error {
	if !c.hasDuplicates() {
		return nil
	}
	if c.Value == nil {
		c.Value = make([]float64, len(c.Index))
		for p := range c.Value {
			c.Value[p] = 1
		}
	}
	end, from := int64(0), int64(0)
	for i := range c.Rows {
		first, to := end, c.Start[i+1]
		for p := from; p < to; p++ {
			if end > first && c.Index[end-1] == c.Index[p] {
				c.Value[end-1] += c.Value[p]
				continue
			}
			c.Index[end], c.Value[end] = c.Index[p], c.Value[p]
			end++
		}
		from, c.Start[i+1] = to, end
	}
	c.Index, c.Value = c.Index[:end:end], c.Value[:end:end]
	return c.checkSums()
}

// hasDuplicates reports whether a row has two entries of the same column.
func (c *CSR) hasDuplicates() bool {
	for i := range c.Rows {
		index, _ := c.Row(i)
		for p := 1; p < len(index); p++ {
			if index[p] == index[p-1] {
				return true
			}
		}
	}
	return false
}

// checkSums returns an error if a value is not finite.
func (c *CSR) checkSums() error {
	for i := range c.Rows {
		index, value := c.Row(i)
		for p, v := range value {
			if !matrix.IsFinite(v) {
				return fmt.Errorf("the entries in row %d, column %d add up to %v; scale them down", i, index[p], v)
			}
		}
	}
	return nil
}
