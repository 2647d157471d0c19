package blockstore

import (
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/nystream/nystream/stream"
)

// labelName is the column that holds the labels of a libsvm file.
const labelName = "label"

// libsvmTable is a file in the format of libsvm (Chang and Lin, 2011): a label
// and index:value pairs per line, indices from 1 ascending, what is absent is
// zero. Feature i becomes column x{i-1}, as in NPY files, and the label the
// last column.
type libsvmTable struct {
	path     string
	features int
	label    columnKind
	index    rowIndex
}

// openLibsvm reads the whole file once to learn its rows, the largest index
// and what the labels are. Labels are integers, numbers, or text, such as
// "1,3" in multi-label files; a line that begins with a pair has none.
func openLibsvm(path string) (table, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if _, err := textHead(f); err != nil {
		return nil, badFile(path, "%w", err)
	}
	t := &libsvmTable{path: path}
	lines := libsvmLines{lines: newLineReader(f, fileStart)}
	var labels cellKinds
	for {
		last, err := lines.nextChecked()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, &DataError{Path: path, Row: t.index.records, Err: err}
		}
		t.features = max(t.features, last)
		labels.see(lines.label)
		t.index.add(lines.start)
	}
	if t.index.records == 0 {
		return nil, badFile(path, "the file holds no rows")
	}
	t.label = labels.kind()
	return t, nil
}

func (t *libsvmTable) name() string { return t.path }
func (t *libsvmTable) rows() int64  { return t.index.rows() }
func (t *libsvmTable) once() bool   { return false }
func (t *libsvmTable) scans() int   { return 1 }

func (t *libsvmTable) columns() []columnInfo {
	infos := make([]columnInfo, t.features, t.features+1)
	for j := range infos {
		infos[j] = columnInfo{name: "x" + strconv.Itoa(j), kind: numberColumn, width: 1}
	}
	return append(infos, columnInfo{name: labelName, kind: t.label, width: 1})
}

func (t *libsvmTable) choose(numeric, kept []int) (stream.Source, error) {
	info, err := chosenInfo(t, numeric, kept)
	if err != nil {
		return nil, err
	}
	cursor := func(in io.ReaderAt) textCursor {
		lines := libsvmLines{lines: newLineReader(in, fileStart)}
		return &libsvmCursor{table: t, lines: lines, numeric: numeric, kept: kept, dense: make([]float64, t.features)}
	}
	return &textSource{info: info, index: &t.index, cursor: cursor}, nil
}

// libsvmCursor walks over the rows of a libsvmTable.
type libsvmCursor struct {
	table         *libsvmTable
	lines         libsvmLines
	numeric, kept []int
	dense         []float64 // all features of the current row, else zero
	present       []int     // which of them the line names
}

func (c *libsvmCursor) seek(m mark) { c.lines.lines.seek(m) }
func (c *libsvmCursor) next() error { return c.lines.next() }

func (c *libsvmCursor) store(dst *stream.Batch, i int) error {
	defer c.clear()
	if err := c.expand(); err != nil {
		return err
	}
	row := rowOf(dst.X, i)
	for k, j := range c.numeric {
		if j < len(c.dense) {
			row[k] = c.dense[j]
			continue
		}
		v, err := numberCell(c.lines.label, c.table.label)
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
		if j := c.kept[k]; j < len(c.dense) {
			kept[k].Floats = append(kept[k].Floats, c.dense[j])
			appendValid(&kept[k])
		} else if err := keepCell(&kept[k], c.lines.label); err != nil {
			return c.labelError(err)
		}
	}
	return nil
}

// labelError says that the label was the trouble.
func (c *libsvmCursor) labelError(err error) error {
	return &cellError{labelName, atLine(err, c.lines.start.line)}
}
