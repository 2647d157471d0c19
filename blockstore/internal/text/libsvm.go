package text

import (
	"context"
	"io"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// LibsvmLabel is the reason why the label of a libsvm file is not a feature by default.
const LibsvmLabel = "the label of a libsvm file"

// labelName is the name of the column of labels.
const labelName = "label"

// libsvmTable is a file in the format of libsvm (Chang and Lin, 2011): a label and index:value
// pairs per line, with indices ascending from 1 or 0; absent values are zero. The first feature
// becomes column x0, as in NPY files, and the label the last column.
type libsvmTable struct {
	column.TableInfo
	features int
	first    int // index of the first feature: 0 or 1
	indices  indexRange
	label    column.Kind
	index    rowIndex
	stamp    file.Stamp
	query    bool  // lines have query numbers
	line     int64 // buffer size for the longest line
}

// libsvmFeatureBytes is the memory of a reader per feature.
const libsvmFeatureBytes = 16

// Libsvm reads the whole file once, in threads parallel parts, 0 for one per processor, to index
// its rows and find the largest index and the type of the labels. Labels are integers, numbers, or
// text, such as "1,3" in multi-label files; a line that begins with a pair has no label. The table
// has at least the given number of features. If base is auto, the base is provisional until
// [AgreeOnLibsvm].
func Libsvm(ctx context.Context, in Input, threads, features int, base IndexBase) (column.Table, error) {
	path, f, stamp := in.Path, in.File, in.Stamp
	if _, err := Head(f); err != nil {
		return nil, fault.File(path, "%w", err)
	}
	scan, err := scanLibsvm(ctx, f, stamp, threads, base)
	if err != nil {
		err = fault.Cell(path, scan.index.records, "", "%w", err)
	}
	if err := stamp.CheckUnchanged(f, err); err != nil {
		return nil, err
	}
	if scan.index.records == 0 {
		return nil, fault.File(path, "the file holds no rows").WithRemedy("is it the right file?")
	}
	if base == IndexBaseAuto {
		base = scan.indices.base()
	}
	found := scan.indices.most + 1 - base.first()
	if found > column.Max {
		return nil, fault.File(path, "index %d, counted from 0: %w", scan.indices.most, errFeatures())
	}
	t := &libsvmTable{first: base.first(), indices: scan.indices, stamp: stamp, index: scan.index, label: scan.labels.kind(),
		line: scan.reader().readerBytes(), query: scan.lines.query}
	t.TableInfo = column.TableInfo{Path: path, Rows: t.index.rows(), SeekCost: t.index.seekCost(), Index: t.index.bytes(), PassesToOpen: 1}
	t.widen(max(found, features))
	return t, nil
}

// libsvmScan is the scan of a file, or of a part of it, during opening.
type libsvmScan struct {
	lines   libsvmLines
	index   rowIndex
	labels  cellKinds
	indices indexRange
}

// newLibsvmScan returns a scan that rejects indices below least.
func newLibsvmScan(in io.ReaderAt, from mark, until int64, least int) *libsvmScan {
	return &libsvmScan{lines: libsvmLines{lines: newLineReader(in, from), until: until, least: least}, indices: indexRange{most: -1}}
}

// scanLibsvm scans parts of a file in parallel. After an error it scans the file from the
// beginning, to find the first error and its line; the scan then covers the rows before it.
func scanLibsvm(ctx context.Context, f io.ReaderAt, stamp file.Stamp, threads int, base IndexBase) (*libsvmScan, error) {
	in, least := file.NewReaderAt(ctx, f), 0
	if base == IndexBaseOne {
		least = 1
	}
	scanFrom := func(in io.ReaderAt, from mark, until int64) *libsvmScan { return newLibsvmScan(in, from, until, least) }
	if length := partLength(stamp); stamp.Size >= 2*length {
		all := scanFrom(in, fileStart, 0)
		parts := parts{all.reader(), stamp.Size, length, threads, all.reader().readerBytes()}
		if scanParts(ctx, parts, scanFrom, all.join) == nil {
			return all, nil
		}
	}
	whole := scanFrom(in, fileStart, 0)
	return whole, whole.run()
}

func (s *libsvmScan) reader() *lineReader { return s.lines.lines }

// join adds the result of a later part, which begins on the given line.
func (s *libsvmScan) join(p *libsvmScan, line int64) error {
	s.indices.join(p.indices, rowPlace{s.index.records, line})
	s.index.join(&p.index, line)
	s.labels.join(p.labels)
	s.lines.query = s.lines.query || p.lines.query
	return nil
}

// run reads all lines.
func (s *libsvmScan) run() error {
	for {
		first, last, err := s.lines.nextChecked()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		s.indices.observe(first, last, rowPlace{s.index.records, s.lines.start.line})
		s.labels.observe(s.lines.label)
		s.index.add(s.lines.start)
	}
}

// widen sets the number of features. Absent ones are zero.
func (t *libsvmTable) widen(features int) {
	t.features = features
	t.ReaderBytes = t.stamp.ReaderBytes() + beyondBuffer(t.line+int64(features)*libsvmFeatureBytes)
	t.Columns = append(column.Unnamed(features, column.Number), column.Info{Name: labelName, Kind: t.label, Width: 1})
	for i := range t.Columns {
		t.Columns[i].NoNulls = i < features // a label may be NaN
	}
	t.NotByDefault, t.NotByDefaultReason = []int{features}, LibsvmLabel
	if t.query {
		t.NotByDefault = append(t.NotByDefault, len(t.Columns))
		t.Columns = append(t.Columns, column.Info{Name: "qid", Kind: column.Other, Width: 1, Why: "query numbers, which are not read"})
	}
}

func (t *libsvmTable) Source(c column.Choice) (stream.Gatherer, error) {
	cursor := func(in io.ReaderAt) textCursor {
		lines := libsvmLines{lines: newLineReader(in, fileStart), least: t.first}
		return &libsvmCursor{Choice: &c, table: t, lines: lines, dense: make([]float64, t.features)}
	}
	return textSource(c, &t.index, t.stamp, cursor), nil
}

// libsvmCursor iterates over the rows of a libsvmTable.
type libsvmCursor struct {
	*column.Choice
	table   *libsvmTable
	lines   libsvmLines
	dense   []float64 // all features of the current row, zero between rows
	present []int     // features present in the line
}

func (c *libsvmCursor) seek(m mark, near int64) { c.lines.lines.seek(m, near) }
func (c *libsvmCursor) next() error             { return c.lines.next() }

func (c *libsvmCursor) store(dst *stream.Batch, i int) error {
	defer c.clear()
	if err := c.expand(); err != nil {
		return err
	}
	row := matrix.Row(dst.X, i)
	for k, j := range c.Numeric {
		if j < len(c.dense) {
			row[c.Slot[k]] = c.dense[j]
			continue
		}
		var err error
		if row[c.Slot[k]], err = exactNumber(c.lines.label, false, c.Inexact); err != nil {
			return c.labelError(err)
		}
	}
	return c.keep(dst)
}

// expand stores the pairs of the line in c.dense.
func (c *libsvmCursor) expand() error {
	for {
		index, value, err := c.lines.pair()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		place := index - c.table.first
		if place >= len(c.dense) && c.table.Live {
			more, remedy := fault.New("feature %d is one more than the %d that are read", index, len(c.dense)), "leave it out, or is this the right model?"
			if c.table.Exact {
				remedy = "name the last feature in `Options.Types`, as in x99=float64, or save the pipe to a file"
			}
			return AtLine(more.WithRemedy("%s", remedy), c.lines.start.line)
		}
		if place >= len(c.dense) {
			return fault.New("feature %d was not there when the file was opened", index).
				WithRemedy("was it changed meanwhile?")
		}
		c.dense[place] = value
		c.present = append(c.present, place)
	}
}

// clear resets c.dense to zero.
func (c *libsvmCursor) clear() {
	for _, j := range c.present {
		c.dense[j] = 0
	}
	c.present = c.present[:0]
}

// keep appends the row to the kept columns.
func (c *libsvmCursor) keep(dst *stream.Batch) error {
	for _, k := range c.Stored(dst) {
		to := &dst.Kept[k]
		if j := c.Kept[k].Column; j < len(c.dense) {
			to.Floats = append(to.Floats, c.dense[j])
			column.AppendValid(to)
		} else if err := c.keepLabel(to); err != nil {
			return c.labelError(err)
		}
	}
	return nil
}

// keepLabel appends the label to a kept column.
func (c *libsvmCursor) keepLabel(to *stream.Column) error {
	err := keepCell(to, c.lines.label, c.table.label == column.Number, c.Inexact)
	if c.table.Live && !c.table.Columns[c.table.features].Given {
		return unlikeHeadError(&c.table.TableInfo, err)
	}
	return err
}

// labelError adds the label column and the line to an error.
func (c *libsvmCursor) labelError(err error) error {
	return inColumn(labelName, AtLine(err, c.lines.start.line))
}
