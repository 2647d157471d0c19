package arrow

import (
	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/logical"
)

// columnReader reads a column of batches. The columns of a pass are read one after another and
// share scratch memory.
type columnReader struct {
	path string
	*field
	slots    []int // positions of the numbers of a value in a row, see column.Choice; nil if it is kept
	inOrder  bool  // slots are consecutive
	array    values
	firstRow int64 // absolute row of the first value of the array
	s        *scratch
	child    *scratch // for elements of lists
}

// fault returns an error about the current batch.
func (c *columnReader) fault(err error) error {
	return fault.Cell(c.path, -1, c.name, "the batch that begins with row %d: %w", c.firstRow, fault.Damaged(err))
}

// read stores rows at..at+n-1 of the batch in the rows that begin at dst[0], dst[stride],
// dst[2*stride] and so on.
func (c *columnReader) read(dst []float64, stride int, at int64, n int) error {
	if c.kind == column.Vector {
		return c.vectors(dst, stride, at, n)
	}
	i, err := c.s.numbers(c.field, &c.array, dst[c.slots[0]:], stride, at, n)
	if err != nil {
		return c.fault(err)
	}
	if i >= 0 {
		return c.inexact(at+int64(i), c.s.Integer(c.format, i))
	}
	return nil
}

func (c *columnReader) inexact(row int64, text string) error {
	return fault.Cell(c.path, c.firstRow+row, c.name, "%w", column.ErrInexact(text))
}

// vectors reads lists, at most tileRows numbers at a time.
func (c *columnReader) vectors(dst []float64, stride int, at int64, n int) error {
	for done := 0; done < n; {
		rows := min(n-done, max(1, tileRows/c.width))
		if err := c.someVectors(dst[done*stride:], stride, at+int64(done), rows); err != nil {
			return err
		}
		done += rows
	}
	return nil
}

func (c *columnReader) someVectors(dst []float64, stride int, at int64, rows int) error {
	if err := c.s.loadLists(c.field, &c.array, at, rows); err != nil {
		return c.fault(err)
	}
	starts := c.s.starts
	for i := range rows {
		if n := starts[i+1] - starts[i]; n != int64(c.width) && (c.s.valid(i) || n != 0) {
			return column.ErrListLength(c.path, c.firstRow+at+int64(i), c.name, n, c.width)
		}
	}
	span := int(starts[rows] - starts[0])
	child := c.field.child
	c.child.Floats = column.Resized(c.child.Floats, span)
	i, err := c.child.numbers(child, c.array.child, c.child.Floats, 1, starts[0], span)
	if err != nil {
		return c.fault(err)
	}
	if i >= 0 {
		row := 0
		for starts[row+1]-starts[0] <= int64(i) {
			row++
		}
		return c.inexact(at+int64(row), c.child.Integer(child.format, i))
	}
	for i := range rows {
		row := dst[i*stride:]
		if !c.s.valid(i) {
			column.PutNull(row, c.slots)
			continue
		}
		list := c.child.Floats[starts[i]-starts[0]:][:c.width]
		if c.inOrder {
			copy(row[c.slots[0]:], list)
			continue
		}
		column.PutList(row, c.slots, list)
	}
	return nil
}

// loadLists loads the bounds of n lists. The caller has checked that the array has them.
func (s *scratch) loadLists(f *field, a *values, at int64, n int) error {
	if err := s.loadParents(a, at, n); err != nil {
		return err
	}
	if err := s.loadNulls(a, at, n); err != nil {
		return err
	}
	if f.layout == listLayout {
		return s.loadOffsets(f, a, at, n)
	}
	s.starts = s.starts[:0]
	for i := range int64(n + 1) {
		s.starts = append(s.starts, (at+i)*int64(f.width))
	}
	return nil
}

// keep appends rows at..at+n-1 of the batch to dst.
func (c *columnReader) keep(dst *stream.Column, at int64, n int) error {
	if dst.Kind == stream.Float64 && dst.Type.Class != logical.Decimal {
		return c.keepFloats(dst, at, n)
	}
	if err := c.s.load(c.field, &c.array, at, n); err != nil {
		return c.fault(err)
	}
	if dst.Kind == stream.Float64 {
		if i := c.s.convertFor(dst, c.field, n); i >= 0 {
			return c.inexact(at+int64(i), c.s.Integer(c.format, i))
		}
	}
	for i := 0; i < n; { // runs of values and of nulls
		first := i
		for i < n && c.s.valid(i) {
			i++
		}
		if bad, err := c.s.Decoded.Keep(dst, c.format, first, i); err != nil {
			return fault.Cell(c.path, c.firstRow+at+int64(bad), c.name, "%w", err)
		}
		for ; i < n && !c.s.valid(i); i++ {
			column.AppendNull(dst)
		}
	}
	return nil
}

// keepFloats is keep for floats. It reads straight from their buffer if the layout allows it.
func (c *columnReader) keepFloats(dst *stream.Column, at int64, n int) error {
	i, err := c.s.numbers(c.field, &c.array, column.GrowFloats(dst, n), 1, at, n)
	if err != nil {
		return c.fault(err)
	}
	if i >= 0 {
		return c.inexact(at+int64(i), c.s.Integer(c.format, i))
	}
	for k := 0; k < n && (c.s.nulls != nil || c.s.inheritedNulls != nil); k++ {
		if !c.s.valid(k) {
			column.SetNull(dst, len(dst.Floats)-n+k)
		}
	}
	return nil
}
