// Package text reads and writes tables of text: CSV with any delimiter, JSON lines, and the format
// of libsvm. Opening reads the whole file once, to determine the types of the columns and the
// position of a row in each kilobyte; after that rows can be gathered by number. Package graph also
// uses its records.
package text

import (
	"context"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/logical"
)

// CSVOptions overrides what is otherwise detected.
type CSVOptions struct {
	NoHeader  bool  // the first line is a row
	Header    bool  // the first line names the columns
	Delimiter rune  // 0: detected; WhiteSpace: runs of blanks and tabs; WholeLine: none
	Comment   byte  // lines that begin with it are skipped; 0: none
	Skip      int   // number of leading lines to skip
	Threads   int   // for reading parts of the file in parallel; 0: one per processor
	Partial   bool  // the text is the head of a longer one, possibly cut within a record
	Memory    int64 // limit, in bytes, for the columns of the open file; 0: none
}

// csvTable is a text file of cells: CSV, TSV or columns separated by blanks.
type csvTable struct {
	column.TableInfo
	dialect dialect
	index   rowIndex
	stamp   file.Stamp
}

// CSV reads the whole file once, in memory independent of its length, to index its rows and
// determine the types of the columns. A column is numeric only if all its cells are numbers or
// missing: empty, ?, NA, N/A, NaN, null or \N, quoted or not.
func CSV(ctx context.Context, in Input, o CSVOptions) (column.Table, error) {
	path, f, stamp := in.Path, in.File, in.Stamp
	l, err := o.dialect(f)
	if err != nil {
		return nil, fault.File(path, "%w", err)
	}
	scan, err := scanQuotes(ctx, f, stamp, l, o.Threads)
	if err != nil {
		err = fault.File(path, "%w", err)
	}
	if err = stamp.CheckUnchanged(f, err); err != nil {
		return nil, err
	}
	t := scan.table(path, stamp.ReaderBytes()+beyondBuffer(scan.readerBytes()), o.Header || !o.NoHeader && scan.hasHeader())
	t.stamp, t.Cells = stamp, l.Delimiter
	return t, nil
}

// scanQuotes scans a file and detects whether its cells are quoted. In a tab-separated table,
// quotes are ordinary characters if they do not match, or enclose tabs or line ends, while without
// quoting all lines have as many cells as the first.
func scanQuotes(ctx context.Context, f io.ReaderAt, stamp file.Stamp, l dialect, threads int) (*csvScan, error) {
	scan, err := scanInParts(ctx, f, stamp, l, threads)
	if !l.mayBeUnquoted() || !scan.doubtful() {
		return scan, err
	}
	l.unquoted = true
	if plain, bad := scanInParts(ctx, f, stamp, l, threads); bad == nil && len(plain.first) > 1 {
		return plain, nil
	}
	return scan, err
}

// dialect returns how the records of a file are split.
func (o CSVOptions) dialect(f io.ReaderAt) (dialect, error) {
	l := dialect{Delimiter: o.Delimiter, comments: o.Comments(), begin: fileStart, memory: o.Memory, partial: o.Partial}
	head, err := Head(f)
	if err != nil {
		return l, err
	}
	if l.begin, err = lineNumber(f, o.Skip); err != nil {
		return l, err
	}
	if l.begin.offset < int64(len(head)) {
		head = head[l.begin.offset:]
	}
	if o.Delimiter == 0 {
		l.Delimiter = guessDelimiter(head, l.comments)
	}
	return l, checkDelimiter(l.Delimiter)
}

// Delimiter checks the given delimiter, or detects one from the head of a text. Comments begin with
// #, % or a character in more.
func Delimiter(head []byte, given rune, more string) (rune, error) {
	if given == 0 {
		return guessDelimiter(head, anyComment+more), nil
	}
	return given, checkDelimiter(given)
}

// checkDelimiter returns an error for a character that cannot be a delimiter.
func checkDelimiter(delimiter rune) error {
	if delimiter > 0x7e || delimiter == '"' || delimiter == '\r' {
		return fault.New("%q cannot be a delimiter", delimiter).
			WithRemedy("use one ASCII character such as ',' ';' or '|'")
	}
	return nil
}

// csvScan is the state of the scan during opening.
type csvScan struct {
	records   *Records
	first     []string    // the cells of the first record, possibly a header
	others    []cellKinds // types of the columns, without the first record
	badLine   []int64     // line of the first cell that is not a number
	firstLine int64       // line of the first record
	index     rowIndex
	size      int64 // of the file
	within    bool  // it scans a part after the first record
}

// doubtful reports whether quotes occurred that may be ordinary characters.
func (s *csvScan) doubtful() bool { return s.records.doubtful }

// run reads all records.
func (s *csvScan) run() error {
	if err := s.records.each(s.record); err != nil {
		return err
	}
	if s.within && s.records.lines.here().offset != s.records.until {
		return errWithin
	}
	if !s.within && s.index.records == 0 {
		return fault.New("the file holds neither a header nor rows").WithRemedy("is it the right file?")
	}
	return nil
}

// record adds one record and its position.
func (s *csvScan) record(cells [][]byte) error {
	if err := s.add(cells); err != nil {
		return s.records.Here(err)
	}
	s.index.add(s.records.start)
	return nil
}

// add adds one record.
func (s *csvScan) add(cells [][]byte) error {
	if s.index.records == 0 && !s.within {
		return s.begin(cells)
	}
	if len(cells) != len(s.first) {
		return s.ragged(len(cells))
	}
	for j, cell := range cells {
		k := &s.others[j]
		good := k.other == 0
		if k.observe(cell); good && k.other > 0 {
			s.badLine[j] = s.records.start.line
		}
	}
	return nil
}

// begin handles the first record.
func (s *csvScan) begin(cells [][]byte) (err error) {
	if len(cells) > column.Max {
		return fault.New("%d columns are more than the %d that can be read", len(cells), column.Max).
			WithRemedy("write fewer")
	}
	if err := column.CheckMemory(len(cells), s.records.memory); err != nil {
		return err
	}
	if len(cells) == 1 {
		s.records.end, err = lastText(s.records.lines.in, s.size)
	}
	s.firstLine = s.records.start.line
	for _, cell := range cells {
		s.first = append(s.first, string(cell))
	}
	s.others = make([]cellKinds, len(cells))
	s.badLine = make([]int64, len(cells))
	return err
}

// ErrRagged reports a row with another number of cells than the first line.
func ErrRagged(got, want int, delimiter rune) *stream.DataError {
	return fault.New("%d cells, but the first line has %d", got, want).WithRemedy("mend the line, or name the delimiter if it is not %q", delimiter)
}

// ragged reports a record with another number of cells than the first. It has a remedy if the first
// lines look like a comment or a title.
func (s *csvScan) ragged(cells int) error {
	e := ErrRagged(cells, len(s.first), s.records.Delimiter)
	switch first := s.first[0]; {
	case s.records.comments == "" && IsComment([]byte(first), ""):
		return e.AddRemedy("if lines that begin with %c are comments, say so with `Layout.Comment %[1]c`", first[0])
	case s.index.records == 1:
		return e.AddRemedy("if lines stand before the table, pass over them with `Layout.Skip`")
	}
	return e
}

// hasHeader reports whether the first record is a header: all its cells are text, or its cells are
// text and integers (0,1,2,class) with a text above a numeric column.
func (s *csvScan) hasHeader() bool {
	text, whole, above := 0, 0, false
	for j, cell := range s.first {
		var k cellKinds
		switch k.observe([]byte(cell)); {
		case k.boolean() && (s.others[j].numeric == 0 && s.others[j].booleans == s.others[j].other):
			return false // so are all other cells
		case k.text:
			text++
			above = above || (s.others[j].integers || s.others[j].numbers) && !s.others[j].text
		case k.integers:
			whole++
		case k.numbers:
			return false
		}
	}
	return text > 0 && (whole == 0 || above)
}

// table returns the result of the scan.
func (s *csvScan) table(path string, holds int64, header bool) *csvTable {
	t := &csvTable{dialect: s.records.dialect, index: s.index}
	if header {
		t.index.header = 1
	}
	t.TableInfo = column.TableInfo{Path: path, ReaderBytes: holds, Rows: t.index.rows(), SeekCost: t.index.seekCost(), Index: t.index.bytes(), PassesToOpen: 1, NearlyNumeric: make(map[int]*stream.DataError)}
	t.Columns = make([]column.Info, 0, len(s.first))
	var names []string // generated if the file has none
	for j, cell := range s.first {
		kinds, name := s.others[j], ""
		if !header {
			if kinds.observe([]byte(cell)); kinds.other == 1 && s.badLine[j] == 0 {
				s.badLine[j] = s.firstLine
			}
		} else if cell = strings.TrimSpace(cell); cell != "" {
			name = cell
		}
		if name == "" {
			if names == nil {
				names = stream.NumberedColumns(len(s.first))
			}
			name = names[j]
		}
		info := column.Info{Name: name, Nameless: !header, Kind: kinds.kind(), Width: 1, Empty: kinds.empty(), HasFloats: kinds.floats}
		info.NoNulls = kinds.numeric+kinds.other == t.Rows
		if kinds.boolean() {
			info.Kind, info.Meaning, info.Type = column.Integer, column.Boolean, logical.Type{Class: logical.Bool}
		}
		if info.Kind == column.Text {
			info.Found = kinds.found()
		}
		info.ZeroPadded = info.Kind == column.Integer && kinds.padded
		t.Columns = append(t.Columns, info)
		if kinds.nearlyNumeric() {
			t.NearlyNumeric[j] = errNearlyNumeric(s.badLine[j], strconv.Quote(kinds.bad), kinds.numeric, "cell")
		}
	}
	return t
}

func (t *csvTable) Source(c column.Choice) (stream.Gatherer, error) {
	for _, j := range c.All(true) {
		if err := checkText([]byte(t.Columns[j].Name)); err != nil {
			return nil, fault.File(t.Path, "the name of column %d: %w", j, err)
		}
	}
	keepsText := slices.ContainsFunc(c.Info().Kept, func(f stream.Field) bool { return f.Kind == stream.String })
	cursor := func(in io.ReaderAt) textCursor {
		records := newRecords(in, t.dialect)
		records.verbatim = keepsText
		return &csvCursor{Choice: &c, table: t, records: records}
	}
	return textSource(c, &t.index, t.stamp, cursor), nil
}

// AgreeOnText makes a column text in all text files if it is text in one and empty in others, or is
// kept as text in one because of integers such as 007.
func AgreeOnText(tables []column.Table) {
	texts, verbatim := make(map[string]bool), make(map[string]bool)
	columns := func(visit func(c *column.Info)) {
		for _, t := range tables {
			switch t.(type) {
			case *csvTable, *jsonTable:
				for j := range t.About().Columns {
					visit(&t.About().Columns[j])
				}
			}
		}
	}
	columns(func(c *column.Info) {
		switch {
		case c.ZeroPadded:
			verbatim[c.Name] = true
		case c.Kind == column.Text:
			texts[c.Name] = true
		}
	})
	columns(func(c *column.Info) {
		c.ZeroPadded = c.ZeroPadded || c.Kind == column.Integer && verbatim[c.Name]
		if c.Empty && texts[c.Name] {
			c.Kind = column.Text
		}
	})
}

// csvCursor iterates over the records of a csvTable.
type csvCursor struct {
	*column.Choice
	table   *csvTable
	records *Records
	cells   [][]byte
	stored  []int // see column.Choice.Stored
}

func (c *csvCursor) seek(m mark, near int64) { c.records.lines.seek(m, near) }

func (c *csvCursor) next() (err error) {
	c.cells, err = c.records.Next()
	if err == nil && len(c.cells) != len(c.table.Columns) {
		err = c.records.Here(ErrRagged(len(c.cells), len(c.table.Columns), c.table.dialect.Delimiter))
	}
	return err
}

// number returns a non-text cell, without surrounding blanks.
func (c *csvCursor) number(j int) []byte {
	if c.records.verbatim {
		return trimBlanks(c.cells[j])
	}
	return c.cells[j]
}

func (c *csvCursor) store(dst *stream.Batch, i int) (err error) {
	row := matrix.Row(dst.X, i)
	for k, j := range c.Numeric {
		info := &c.table.Columns[j]
		if info.Meaning == column.Boolean {
			row[c.Slot[k]], err = booleanCell(c.number(j))
		} else {
			row[c.Slot[k]], err = exactNumber(c.number(j), info.HasFloats, c.Inexact)
		}
		if err != nil {
			return inColumn(info.Name, c.records.Here(err))
		}
	}
	if len(c.stored) == 0 {
		c.stored = c.Stored(dst)
	}
	for _, k := range c.stored {
		j := c.Kept[k].Column
		info, cell := &c.table.Columns[j], c.cells[j]
		if dst.Kept[k].Kind != stream.String || dst.Kept[k].Type.Class == logical.UUID {
			cell = c.number(j)
		}
		if t := dst.Kept[k].Type.Class; info.Meaning == column.Boolean && dst.Kept[k].Kind != stream.String && (t == logical.Bool && !info.Given || t == logical.None) {
			err = keepBoolean(&dst.Kept[k], cell)
		} else {
			err = keepCell(&dst.Kept[k], cell, info.HasFloats, c.Inexact)
		}
		if c.table.Live {
			err = keptValueError(&c.table.TableInfo, j, &dst.Kept[k], cell, err)
		}
		if err != nil {
			return inColumn(info.Name, c.records.Here(err))
		}
	}
	return nil
}
