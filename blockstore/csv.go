package blockstore

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/nystream/nystream/stream"
)

// csvOptions says what openCSV is not to find out by itself.
type csvOptions struct {
	noHeader  bool // the first line is a row, whatever it looks like
	delimiter rune // 0: found; ' ': runs of blanks and tabs
}

// csvTable is a text file of cells: CSV, TSV or columns between blanks.
type csvTable struct {
	tableInfo
	delimiter rune
	index     rowIndex
}

// openCSV reads the whole file once, in memory independent of its length but
// for 16 bytes per 1024 rows, to learn its rows and what each column holds. A
// column is a number column only if all its cells are numbers or missing, which
// is written as nothing, ?, NA, N/A, NaN or null, in quotes or without.
func openCSV(ctx context.Context, path string, o csvOptions) (table, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	delimiter, err := csvDelimiter(f, o.delimiter)
	if err != nil {
		return nil, badFile(path, "%w", err)
	}
	scan := csvScan{records: newRecords(newContextReaderAt(ctx, f), delimiter)}
	if err := scan.run(); err != nil {
		return nil, &DataError{Path: path, Row: -1, Err: err}
	}
	return scan.table(path, !o.noHeader && scan.hasHeader()), nil
}

// csvDelimiter checks a delimiter that was given and finds one that was not.
func csvDelimiter(f io.ReaderAt, given rune) (rune, error) {
	head, err := textHead(f)
	if err != nil {
		return 0, err
	}
	if given == 0 {
		return guessDelimiter(head), nil
	}
	if given > 0x7e || given == '"' || given == '\n' || given == '\r' {
		return 0, fmt.Errorf("%q cannot be a delimiter; use one ASCII character such as ',' ';' or '|'", given)
	}
	return given, nil
}

// csvScan is the one reading of a file that opening costs.
type csvScan struct {
	records *recordReader
	first   []string    // the cells of the first record, a header perhaps
	others  []cellKinds // what the columns hold below it
	badLine []int64     // where the first cell stands that is no number
	index   rowIndex
}

// run reads all records.
func (s *csvScan) run() error {
	for {
		cells, err := s.records.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if err := s.add(cells); err != nil {
			return s.records.here(err)
		}
		s.index.add(s.records.start)
	}
	if s.index.records == 0 {
		return fmt.Errorf("the file holds neither a header nor rows")
	}
	return nil
}

// add takes one record into account.
func (s *csvScan) add(cells [][]byte) error {
	if s.index.records == 0 {
		return s.begin(cells)
	}
	if len(cells) != len(s.first) {
		return errRagged(len(cells), len(s.first), s.records.delimiter)
	}
	for j, cell := range cells {
		k := &s.others[j]
		good := k.other == 0
		if k.see(cell); good && k.other > 0 {
			s.badLine[j] = s.records.start.line
		}
	}
	return nil
}

// begin takes the first record.
func (s *csvScan) begin(cells [][]byte) error {
	if len(cells) > maxColumns {
		return fmt.Errorf("%d columns are more than the %d that can be read", len(cells), maxColumns)
	}
	for _, cell := range cells {
		s.first = append(s.first, string(cell))
	}
	s.others = make([]cellKinds, len(cells))
	s.badLine = make([]int64, len(cells))
	return nil
}

// errRagged says that a row has another number of cells than the first line.
func errRagged(got, want int, delimiter rune) error {
	return fmt.Errorf("%d cells, but the first line has %d; mend the line, or name the delimiter if it is not %q", got, want, delimiter)
}

// hasHeader decides whether the first record names the columns: all its cells
// are text, or it is made of text and whole numbers (0,1,2,class) and a text
// stands above a column of numbers.
func (s *csvScan) hasHeader() bool {
	text, whole, above := 0, 0, false
	for j, cell := range s.first {
		var k cellKinds
		switch k.see([]byte(cell)); {
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

// table is what the scan has found.
func (s *csvScan) table(path string, header bool) *csvTable {
	t := &csvTable{delimiter: s.records.delimiter, index: s.index}
	if header {
		t.index.header = 1
	}
	t.tableInfo = tableInfo{path: path, rows: t.index.rows(), scans: 1, spoiled: make(map[int]string)}
	names := stream.NumberedColumns(len(s.first))
	for j, cell := range s.first {
		kinds, name := s.others[j], names[j]
		if !header {
			if kinds.see([]byte(cell)); kinds.other == 1 && s.badLine[j] == 0 {
				s.badLine[j] = 1
			}
		} else if cell != "" {
			name = cell
		}
		t.columns = append(t.columns, columnInfo{name: name, kind: kinds.kind(), width: 1})
		if kinds.spoiled() {
			t.spoiled[j] = fmt.Sprintf("line %d: %q is not a number, though %d cells of the column are", s.badLine[j], kinds.bad, kinds.numeric)
		}
	}
	return t
}

func (t *csvTable) source(c choice) (stream.Source, error) {
	cursor := func(in io.ReaderAt) textCursor {
		records := newRecords(in, t.delimiter)
		return &csvCursor{choice: &c, table: t, records: records}
	}
	return &textSource{choice: c, index: &t.index, cursor: cursor}, nil
}

// csvCursor walks over the records of a csvTable.
type csvCursor struct {
	*choice
	table   *csvTable
	records *recordReader
	cells   [][]byte
}

func (c *csvCursor) seek(m mark) { c.records.lines.seek(m) }

func (c *csvCursor) next() (err error) {
	c.cells, err = c.records.next()
	if err == nil && len(c.cells) != len(c.table.columns) {
		err = c.records.here(errRagged(len(c.cells), len(c.table.columns), c.table.delimiter))
	}
	return err
}

func (c *csvCursor) store(dst *stream.Batch, i int) (err error) {
	row := rowOf(dst.X, i)
	for k, j := range c.numeric {
		if row[k], err = numberCell(c.cells[j], c.table.columns[j].kind); err != nil {
			return &cellError{c.table.columns[j].name, c.records.here(err)}
		}
	}
	for k := range dst.Kept {
		j := c.kept[k]
		if err := keepCell(&dst.Kept[k], c.cells[j]); err != nil {
			return &cellError{c.table.columns[j].name, c.records.here(err)}
		}
	}
	return nil
}
