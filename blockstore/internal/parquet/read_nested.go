package parquet

import (
	"errors"
	"fmt"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/logical"
)

// keeper appends rows to a kept column.
type keeper interface {
	keep(c *stream.Column, rows int) error
}

// nestedReader reads a nested column. It reads the levels and values of its leaves, a few rows at a
// time, and assembles the values in the form of package logical.
type nestedReader struct {
	node   *nestedNode
	table  *table
	leaves []*leafRows // from node.first on
	value  []byte
	starts []int // of elements
}

// leafRows holds the entries of a leaf for a few rows.
type leafRows struct {
	*columnReader
	reps, defs []uint8
	starts     []int         // first entry of each row, and the end
	values     stream.Column // the non-null ones
	at, end    int           // the next entry, and the end of its row
	taken      int           // number of values before it
}

// newNestedReader returns a reader of a nested column through readers of its leaves, which the
// caller opens and skips.
func newNestedReader(t *table, n *nestedNode, readers []*columnReader) *nestedReader {
	r := &nestedReader{node: n, table: t}
	for i, leaf := range readers {
		leaf.nested = true
		r.leaves = append(r.leaves, &leafRows{columnReader: leaf, values: stream.FieldOf("", n.leafType(n.first+i)).Column()})
	}
	return r
}

// leafType returns the logical type of a leaf of n.
func (n *nestedNode) leafType(leaf int) logical.Type {
	for len(n.inside) > 0 {
		for _, m := range n.inside {
			if leaf >= m.first && leaf < m.end {
				n = m
				break
			}
		}
	}
	return n.holds
}

// nestedEntries is about the number of entries of a leaf in memory at a time.
const nestedEntries = 64 << 10

// nestedEntryBytes is about the memory of an entry: levels, and a number or the header of a string.
const nestedEntryBytes = 2 + 16

// rowsAtATime returns the number of rows with about nestedEntries entries.
func (r *nestedReader) rowsAtATime() int {
	rows := int64(tileRows)
	for _, l := range r.leaves {
		if g := r.table.groups[l.group]; l.chunk.values > 0 {
			rows = min(rows, max(1, nestedEntries*g.rows/l.chunk.values))
		}
	}
	return int(rows)
}

// keep appends the next rows values to c.
func (r *nestedReader) keep(c *stream.Column, rows int) error {
	for done := 0; done < rows; {
		n := min(rows-done, r.rowsAtATime())
		for _, l := range r.leaves {
			if err := l.collect(n); err != nil {
				return err
			}
		}
		for i := range n {
			if err := r.keepRow(c, i); err != nil {
				return fault.Cell(r.leaves[0].pages.path, r.leaves[0].row+int64(i), r.leaves[0].Name, "%w", err)
			}
		}
		for _, l := range r.leaves {
			l.row += int64(n)
		}
		done += n
	}
	return nil
}

// collect loads the entries of the next rows.
func (l *leafRows) collect(rows int) error {
	l.reps, l.defs, l.starts = l.reps[:0], l.defs[:0], l.starts[:0]
	l.values.Reset()
	l.taken = 0
	for {
		if err := l.fill(); err != nil {
			return err
		}
		if l.pos == l.n {
			if len(l.starts) < rows {
				return l.endOfLists(0)
			}
			break
		}
		n, full := 0, false
		for ; l.pos+n < l.n; n++ {
			if l.maxRep > 0 && l.rep[l.pos+n] > 0 {
				if len(l.starts) == 0 {
					return l.columnReader.fault(errors.New("it begins in the middle of a row"))
				}
				continue
			}
			if full = len(l.starts) == rows; full {
				break
			}
			l.starts = append(l.starts, len(l.defs)+n)
		}
		if err := l.add(n); err != nil {
			return err
		}
		if full {
			break
		}
	}
	l.starts = append(l.starts, len(l.defs))
	return nil
}

// add adds the next n entries of the tile.
func (l *leafRows) add(n int) error {
	values := n
	if l.maxDef > 0 {
		l.defs = append(l.defs, l.def[l.pos:l.pos+n]...)
		values = l.present(l.def[l.pos : l.pos+n])
	} else {
		l.defs = append(l.defs, make([]uint8, n)...)
	}
	if l.maxRep > 0 {
		l.reps = append(l.reps, l.rep[l.pos:l.pos+n]...)
	} else {
		l.reps = append(l.reps, make([]uint8, n)...)
	}
	l.pos += n
	if err := l.decode(values); err != nil {
		return err
	}
	if l.values.Kind == stream.Float64 {
		l.ConvertFor(&l.values, l.format, values)
	}
	if v, err := l.Decoded.Keep(&l.values, l.format, 0, values); err != nil {
		return fault.Cell(l.pages.path, l.row+l.rowOf(n, v), l.Name, "%w", err)
	}
	return nil
}

// rowOf returns the row, among the loaded ones, of value v of the last n entries.
func (l *leafRows) rowOf(n, v int) int64 {
	first := len(l.defs) - n
	entry := first + l.entryOf(l.defs[first:], v)
	row := len(l.starts) - 1
	for row > 0 && l.starts[row] > entry {
		row--
	}
	return int64(row)
}

// keepRow appends the loaded row i to c.
func (r *nestedReader) keepRow(c *stream.Column, i int) (err error) {
	for _, l := range r.leaves {
		l.at, l.end = l.starts[i], l.starts[i+1]
	}
	if r.present(r.node) {
		r.value, err = r.append(r.value[:0], r.node)
		c.Strings = append(c.Strings, string(r.value))
		column.AppendValid(c)
	} else {
		err = r.skipNull(r.node)
		column.AppendNull(c)
	}
	for _, l := range r.leaves {
		if err == nil && l.at != l.end {
			err = errShape
		}
	}
	return err
}

var errShape = fault.New("its parts have values of different shapes").WithKind(stream.Damaged).WithRemedy("make or fetch the file again")

// leaf returns the first leaf of n.
func (r *nestedReader) leaf(n *nestedNode) *leafRows { return r.leaves[n.first-r.node.first] }

// present reports whether the next value of n exists and is not null.
func (r *nestedReader) present(n *nestedNode) bool {
	l := r.leaf(n)
	return l.at < l.end && int(l.defs[l.at]) >= n.def
}

// skipNull skips a null or an empty list: one entry of each leaf.
func (r *nestedReader) skipNull(n *nestedNode) error {
	for i := n.first; i < n.end; i++ {
		l := r.leaves[i-r.node.first]
		if l.at == l.end || int(l.defs[l.at]) == l.maxDef {
			return errShape
		}
		l.at++
	}
	return nil
}

// append appends the next value of n, which is present, to b.
func (r *nestedReader) append(b []byte, n *nestedNode) (_ []byte, err error) {
	switch n.holds.Class {
	case logical.Struct:
		b = logical.AppendValidity(b, len(n.inside), func(i int) bool { return r.present(n.inside[i]) })
		for _, m := range n.inside {
			if b, err = r.appendOrSkip(b, m); err != nil {
				return b, err
			}
		}
		return b, nil
	case logical.List, logical.Map:
		return r.appendList(b, n)
	}
	l := r.leaf(n)
	if l.at == l.end || int(l.defs[l.at]) != l.maxDef {
		return b, errShape
	}
	b = l.values.AppendScalar(b, l.taken)
	l.taken++
	l.at++
	return b, nil
}

// appendOrSkip appends the next value of n, or skips it if it is null.
func (r *nestedReader) appendOrSkip(b []byte, n *nestedNode) ([]byte, error) {
	if r.present(n) {
		return r.append(b, n)
	}
	return b, r.skipNull(n)
}

// appendList appends a list or map.
func (r *nestedReader) appendList(b []byte, n *nestedNode) (_ []byte, err error) {
	l := r.leaf(n)
	if int(l.defs[l.at]) < n.entry {
		return logical.AppendValidity(logical.AppendCount(b, 0), 0, nil), r.appendEmpty(n)
	}
	count := len(r.elements(n, n.inside[0]))
	b = logical.AppendCount(b, count)
	last := n.inside[len(n.inside)-1]
	if n.holds.Class == logical.Map {
		for range count {
			if !r.present(n.inside[0]) {
				return b, fault.New("a key of a map is null").WithRemedy("write the file anew")
			}
			if b, err = r.append(b, n.inside[0]); err != nil {
				return b, err
			}
		}
	}
	starts := r.elements(n, last)
	if len(starts) != count {
		return b, errShape
	}
	defs := r.leaf(last).defs
	b = logical.AppendValidity(b, count, func(i int) bool { return int(defs[starts[i]]) >= last.def })
	if len(last.inside) == 0 {
		return r.appendLeaves(b, last, count)
	}
	for range count {
		if b, err = r.appendOrSkip(b, last); err != nil {
			return b, err
		}
	}
	return b, nil
}

// appendLeaves appends the next n non-null values of a leaf.
func (r *nestedReader) appendLeaves(b []byte, leaf *nestedNode, n int) ([]byte, error) {
	l := r.leaf(leaf)
	if n > l.end-l.at {
		return b, errShape
	}
	for _, def := range l.defs[l.at : l.at+n] {
		if int(def) == l.maxDef {
			b = l.values.AppendScalar(b, l.taken)
			l.taken++
		}
	}
	l.at += n
	return b, nil
}

// appendEmpty skips a list or map without elements.
func (r *nestedReader) appendEmpty(n *nestedNode) error {
	for i := n.first; i < n.end; i++ {
		if l := r.leaves[i-r.node.first]; l.at < l.end && int(l.defs[l.at]) >= n.entry {
			return errShape
		}
	}
	return r.skipNull(n)
}

// elements returns the entries of the first leaf of inside at which the elements of the next list n
// begin. They are valid until the next call.
func (r *nestedReader) elements(n, inside *nestedNode) []int {
	starts, l := r.starts[:0], r.leaf(inside)
	for q := l.at; q < l.end; q++ {
		if q > l.at && int(l.reps[q]) < n.rep {
			break
		}
		if q == l.at || int(l.reps[q]) == n.rep {
			starts = append(starts, q)
		}
	}
	r.starts = starts
	return starts
}

// dropRows skips the next rows of a leaf of a nested column.
func (r *columnReader) dropRows(rows int) error {
	for done := 0; ; {
		if err := r.fill(); err != nil {
			return err
		}
		if r.pos == r.n {
			if done < rows {
				return r.fault(fmt.Errorf("the column ends with %d of its rows missing", rows-done))
			}
			return nil
		}
		values, full := 0, false
		for ; r.pos < r.n; r.pos++ {
			if r.rep[r.pos] == 0 {
				if full = done == rows; full {
					break
				}
				done++
				r.row++
			}
			if int(r.def[r.pos]) == r.maxDef {
				values++
			}
		}
		if err := r.skipEntries(values); err != nil {
			return err
		}
		if full {
			return nil
		}
	}
}
