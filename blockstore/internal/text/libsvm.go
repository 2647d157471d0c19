package text

import (
	"context"
	"fmt"
	"io"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/stream"
)

// labelName is the column that holds the labels of a libsvm file.
const labelName = "label"

// libsvmTable is a file in the format of libsvm (Chang and Lin, 2011): a label
// and index:value pairs per line, indices from 1 ascending, what is absent is
// zero. Feature i becomes column x{i-1}, as in NPY files, and the label the
// last column.
type libsvmTable struct {
	column.TableInfo
	features int
	label    column.Kind
	index    rowIndex
	stamp    file.Stamp
}

// OpenLibsvm reads the whole file once to learn its rows, the largest index
// and what the labels are. Labels are integers, numbers, or text, such as
// "1,3" in multi-label files; a line that begins with a pair has none.
func OpenLibsvm(ctx context.Context, path string) (column.Table, error) {
	f, stamp, err := file.OpenStamped(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if _, err := Head(f); err != nil {
		return nil, fault.File(path, "%w", err)
	}
	t := &libsvmTable{stamp: stamp}
	lines := libsvmLines{lines: newLineReader(file.NewReaderAt(ctx, f), fileStart)}
	var labels cellKinds
	most := 0
	for {
		last, err := lines.nextChecked()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, stamp.Settle(f, &fault.DataError{Path: path, Row: t.index.records, Err: err})
		}
		most = max(most, last)
		labels.see(lines.label)
		t.index.add(lines.start)
	}
	if err := stamp.Settle(f, nil); err != nil {
		return nil, err
	}
	if t.index.records == 0 {
		return nil, fault.File(path, "the file holds no rows")
	}
	t.label = labels.kind()
	t.TableInfo = column.TableInfo{Path: path, Rows: t.index.rows(), Lead: markEvery, Scans: 1}
	t.widen(most)
	return t, nil
}

// widen gives the table that many features. What the file does not mention is
// zero.
func (t *libsvmTable) widen(features int) {
	t.features = features
	t.Columns = append(column.Unnamed(features, column.Number), column.Info{Name: labelName, Kind: t.label, Width: 1})
	t.Aside = []int{features}
}

// WidenLibsvm gives all libsvm files the same features: what a file does not
// mention is zero.
func WidenLibsvm(tables []column.Table) {
	most := 0
	for _, t := range tables {
		if l, ok := t.(*libsvmTable); ok {
			most = max(most, l.features)
		}
	}
	for _, t := range tables {
		if l, ok := t.(*libsvmTable); ok {
			l.widen(most)
		}
	}
}

func (t *libsvmTable) Source(c column.Choice) (stream.Source, error) {
	cursor := func(in io.ReaderAt) textCursor {
		lines := libsvmLines{lines: newLineReader(in, fileStart)}
		return &libsvmCursor{Choice: &c, table: t, lines: lines, dense: make([]float64, t.features)}
	}
	return &textSource{Choice: c, index: &t.index, stamp: t.stamp, cursor: cursor}, nil
}

// libsvmCursor walks over the rows of a libsvmTable.
type libsvmCursor struct {
	*column.Choice
	table   *libsvmTable
	lines   libsvmLines
	dense   []float64 // all features of the current row, else zero
	present []int     // which of them the line names
}

func (c *libsvmCursor) seek(m mark) { c.lines.lines.seek(m) }
func (c *libsvmCursor) next() error { return c.lines.next() }

func (c *libsvmCursor) store(dst *stream.Batch, i int) error {
	defer c.clear()
	if err := c.expand(); err != nil {
		return err
	}
	row := column.Row(dst.X, i)
	for k, j := range c.Numeric {
		if j < len(c.dense) {
			row[k] = c.dense[j]
			continue
		}
		v, err := NumberCell(c.lines.label, c.table.label)
		if err != nil {
			return c.labelError(err)
		}
		row[k] = v
	}
	return c.keep(dst.Kept)
}

// expand puts the pairs of the line into c.dense.
func (c *libsvmCursor) expand() error {
	for {
		index, value, err := c.lines.pair()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if index > len(c.dense) {
			return fmt.Errorf("feature %d was not there when the file was opened; was it changed meanwhile?", index)
		}
		c.dense[index-1] = value
		c.present = append(c.present, index-1)
	}
}

// clear makes c.dense zero again.
func (c *libsvmCursor) clear() {
	for _, j := range c.present {
		c.dense[j] = 0
	}
	c.present = c.present[:0]
}

// keep appends the row to the kept columns.
func (c *libsvmCursor) keep(kept []stream.Column) error {
	for k := range kept {
		if j := c.Kept[k]; j < len(c.dense) {
			kept[k].Floats = append(kept[k].Floats, c.dense[j])
			column.AppendValid(&kept[k])
		} else if err := keepCell(&kept[k], c.lines.label); err != nil {
			return c.labelError(err)
		}
	}
	return nil
}

// labelError adds to an error that the label was the trouble.
func (c *libsvmCursor) labelError(err error) error {
	return &cellError{labelName, AtLine(err, c.lines.start.line)}
}
