package sparse

import (
	"fmt"
	"iter"
	"math"

	"github.com/nystream/nystream/internal/matrix"
)

// NewCSR makes a sparse matrix of its entries, which come in any order. Entries
// with the same place are summed, in the order in which they come; Value is nil
// when every value is 1 and no place comes twice. Zeros are kept.
//
// entries is called twice and must yield the same both times. It is an error
// when an entry lies outside the matrix or is not finite, and when a sum is not
// finite. NewCSR panics when rows or cols is negative or beyond 2³¹−1.
//
// Cost: O(rows + cols + entries) time; at its peak the memory of the matrix
// with all entries apart, and of its transpose.
func NewCSR(rows, cols int, entries iter.Seq[Entry]) (*CSR, error) {
	if rows < 0 || cols < 0 || rows > math.MaxInt32 || cols > math.MaxInt32 {
		panic(fmt.Sprintf("sparse: a sparse matrix of %d×%d", rows, cols))
	}
	counts, ones, err := countEntries(rows, cols, entries)
	if err != nil {
		return nil, err
	}
	columns := newShaped(cols, rows, counts, !ones)
	total, placed := int64(len(columns.Index)), int64(0)
	for e := range entries {
		if placed++; placed > total {
			break
		}
		columns.place(e.Col, e.Row, e.Value)
	}
	if placed != total {
		panic("sparse: the entries of a sparse matrix changed between two readings")
	}
	columns.placed()
	c := columns.Transpose() // a stable sort by rows, of what is sorted by columns
	return c, c.sumDuplicates()
}

// countEntries checks the entries, counts those of every column, and says
// whether all are 1.
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

// sumDuplicates makes one entry of neighbours with the same column, in place.
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

// hasDuplicates reports whether a row holds a column twice.
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

// checkSums refuses sums that are not finite.
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
