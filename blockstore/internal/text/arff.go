package text

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/stream"
)

// arffTable is a file in the format of Weka (Witten and Frank, 2005; stable since 3.5.3),
// with dense rows, sparse rows, or both. Nominal attributes, strings and dates are text.
type arffTable struct {
	column.TableInfo
	sparse []arffCell // what sparse rows do not name
	index  rowIndex
	stamp  file.Stamp
}

// OpenARFF reads the whole file once, to learn its rows.
func OpenARFF(ctx context.Context, path string) (column.Table, error) {
	return openInput(ctx, path, func(in Input) (column.Table, error) { return ARFF(ctx, in) })
}

// ARFF does what OpenARFF does, of a file that is open.
func ARFF(ctx context.Context, in Input) (column.Table, error) {
	if _, err := Head(in.File); err != nil {
		return nil, fault.File(in.Path, "%w", err)
	}
	scan := &arffScan{}
	err := scan.run(file.NewReaderAt(ctx, in.File))
	if err != nil {
		err = &fault.DataError{Path: in.Path, Row: -1, Err: err}
	}
	if err := in.Stamp.Settle(in.File, err); err != nil {
		return nil, err
	}
	return scan.table(in), nil
}

// arffScan is the one reading of a file that opening costs.
type arffScan struct {
	attributes []arffAttribute
	sparse     []arffCell
	kinds      []cellKinds // of numeric attributes
	badLine    []int64
	index      rowIndex
}

// run reads the header and all rows.
func (s *arffScan) run(in io.ReaderAt) (err error) {
	var data mark
	if s.attributes, data, err = arffHeader(in); err != nil {
		return err
	}
	s.kinds, s.badLine = make([]cellKinds, len(s.attributes)), make([]int64, len(s.attributes))
	for i := range s.attributes {
		s.sparse = append(s.sparse, s.attributes[i].absent())
	}
	lines := newARFFLines(in, s.sparse)
	lines.lines.seek(data)
	for {
		err := lines.next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = s.add(lines)
		}
		if err != nil {
			return AtLine(err, lines.start.line)
		}
		s.index.add(lines.start)
	}
}

// add takes one row into account.
func (s *arffScan) add(l *arffLines) error {
	if l.row.dense {
		for i := range s.attributes {
			if err := s.see(i, l.row.cells[i], l.start.line); err != nil {
				return err
			}
		}
		return nil
	}
	for _, i := range l.row.named {
		if err := s.see(i, l.row.cells[i], l.start.line); err != nil {
			return err
		}
	}
	return nil
}

// see takes one value into account.
func (s *arffScan) see(i int, c arffCell, line int64) error {
	a, k := &s.attributes[i], &s.kinds[i]
	switch {
	case c.missing():
	case a.values != nil && !a.values[string(c.text)]:
		return fmt.Errorf("%q is none of the values of attribute %q; mend one or the other", fault.Shorten(c.text), fault.Shorten([]byte(a.name)))
	case a.kind == column.Number:
		good := k.other == 0
		if k.see(c.text); good && k.other > 0 {
			s.badLine[i] = line
		}
		k.checkExact(c.text, line, s.index.records)
	}
	return nil
}

// table returns what the scan has found.
func (s *arffScan) table(in Input) *arffTable {
	t := &arffTable{sparse: s.sparse, index: s.index, stamp: in.Stamp}
	t.TableInfo = column.TableInfo{Path: in.Path, Holds: in.Stamp.Holds(), Rows: t.index.rows(), Lead: t.index.lead(), Scans: 1, Spoiled: make(map[int]string), Lossy: make(map[int]column.Lossy)}
	for i, a := range s.attributes {
		info, kinds := column.Info{Name: a.name, Kind: a.kind, Width: 1}, &s.kinds[i]
		switch {
		case kinds.text:
			info.Kind = column.Text
			t.Spoiled[i] = fmt.Sprintf("line %d: %q is not a number, though the attribute is numeric", s.badLine[i], kinds.bad)
		case a.integer || a.kind == column.Number && kinds.kind() == column.Integer:
			info.Kind = kinds.kind()
		}
		kinds.noteLossy(&t.TableInfo, i, 0)
		t.Columns = append(t.Columns, info)
	}
	return t
}

func (t *arffTable) Source(c column.Choice) (stream.Source, error) {
	cursor := func(in io.ReaderAt) textCursor {
		return &arffCursor{Choice: &c, table: t, lines: newARFFLines(in, t.sparse)}
	}
	return &textSource{Choice: c, index: &t.index, stamp: t.stamp, cursor: cursor}, nil
}

// arffLines reads the lines after @data.
type arffLines struct {
	lines *lineReader
	row   arffRow
	start mark
}

func newARFFLines(in io.ReaderAt, sparse []arffCell) *arffLines {
	return &arffLines{lines: newLineReader(in, fileStart), row: arffRow{cells: slices.Clone(sparse), sparse: sparse}}
}

// next moves to the next row.
func (l *arffLines) next() error {
	for {
		l.start = l.lines.here()
		line, err := l.lines.next()
		if err != nil {
			return err
		}
		if line = trimBlanks(line); len(line) > 0 && line[0] != '%' {
			return l.row.read(line)
		}
	}
}

// arffCursor walks over the rows of an arffTable.
type arffCursor struct {
	*column.Choice
	table *arffTable
	lines *arffLines
}

func (c *arffCursor) seek(m mark) { c.lines.lines.seek(m) }

func (c *arffCursor) next() error { return atLine(c.lines.next(), c.lines.start.line) }

func (c *arffCursor) store(dst *stream.Batch, i int) (err error) {
	row := column.Row(dst.X, i)
	for k, j := range c.Numeric {
		cell := c.lines.row.cells[j].text
		if c.lines.row.cells[j].missing() {
			cell = nil
		}
		if row[k], err = NumberCell(cell); err != nil {
			return c.cellError(j, err)
		}
	}
	for k := range dst.Kept {
		if err := keepARFF(&dst.Kept[k], c.lines.row.cells[c.Kept[k]]); err != nil {
			return c.cellError(c.Kept[k], err)
		}
	}
	return nil
}

// cellError adds the line and the column to an error.
func (c *arffCursor) cellError(j int, err error) error {
	return &cellError{c.table.Columns[j].Name, AtLine(err, c.lines.start.line)}
}

// keepARFF appends a value to a kept column.
func keepARFF(c *stream.Column, cell arffCell) error {
	switch {
	case cell.missing():
		column.AppendNull(c)
		return nil
	case c.Kind != stream.String:
		return keepCell(c, cell.text)
	}
	if err := checkText(cell.text); err != nil {
		return err
	}
	c.Strings = append(c.Strings, string(cell.text))
	column.AppendValid(c)
	return nil
}
