package text

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/nystream/nystream/blockstore/internal/charset"
	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
)

// WhiteSpace is the delimiter for runs of blanks and tabs.
const WhiteSpace rune = ' '

// WholeLine is the delimiter for records of one cell.
const WholeLine rune = '\n'

// ByteOrderMark may precede the first line of a text.
const ByteOrderMark = "\xef\xbb\xbf"

var (
	errOpen  = errors.New("the quotes of this record do not match")
	errQuote = fault.New("text follows a closing quote").WithRemedy("inside a quoted cell write \"\" for a quote")
)

// dialect describes how the records of a text are separated.
type dialect struct {
	Delimiter rune
	comments  string // characters that begin lines to skip
	begin     mark   // position of the first record
	unquoted  bool   // quotes are ordinary characters
	memory    int64  // limit for the columns; 0: none
	partial   bool   // the text is truncated, perhaps inside its last record
	later     bool   // blank lines are missing values if a record follows: the end of the last record is unknown
	end       int64  // in a text of one column blank lines before it are missing values; 0: blank lines are skipped
}

// Records splits a CSV file into records (RFC 4180, 2005): one line each, more if a quoted cell
// contains a newline. Blank lines are skipped. A quote inside an unquoted cell is an ordinary
// character.
type Records struct {
	dialect
	lines  *lineReader
	record []byte // a record of several lines
	cells  [][]byte
	start  mark  // position of the record
	until  int64 // no record starts here or later; 0: no limit

	verbatim bool   // blanks around cells are kept
	blanks   int    // pending blank lines that are missing values
	held     []byte // the line after them

	doubtful bool // quotes enclosed a delimiter or a line end, or do not match
}

// newRecords returns a reader of the records of in.
func newRecords(in io.ReaderAt, l dialect) *Records {
	return &Records{lines: newLineReader(in, l.begin), dialect: l}
}

// NewCommented returns a reader of the records of in, which begins on the given line. It skips
// lines that begin with #, % or a character in more.
func NewCommented(in io.ReaderAt, delimiter rune, more string, line int64) *Records {
	return newRecords(in, dialect{Delimiter: delimiter, comments: anyComment + more, begin: mark{0, line}})
}

// Next returns the cells of the next record, valid until the next call. Blanks around unquoted
// cells are removed, unless the records are verbatim.
func (r *Records) Next() ([][]byte, error) {
	for {
		if r.held != nil && r.blanks > 0 {
			r.blanks--
			r.cells = append(r.cells[:0], nil)
			return r.cells, nil
		}
		r.start = r.lines.here()
		if r.until > 0 && r.start.offset >= r.until {
			return nil, io.EOF
		}
		line, err := r.line()
		if err != nil {
			return nil, AtLine(err, r.start.line)
		}
		if r.start.offset == 0 {
			line = bytes.TrimPrefix(line, []byte(ByteOrderMark))
		}
		if r.comments != "" && beginsWith(line, r.comments) {
			continue
		}
		switch blank := (r.later || r.start.offset >= r.end) && r.blank(line); {
		case blank && r.later:
			r.blanks++
			continue
		case blank:
			continue
		case r.blanks > 0:
			r.held = append([]byte{}, line...)
			continue
		}
		if err := r.split(line); err != nil {
			return nil, AtLine(err, r.start.line)
		}
		return r.cells, nil
	}
}

// line returns the pending line, or the next one.
func (r *Records) line() ([]byte, error) {
	if line := r.held; line != nil {
		r.held = nil
		return line, nil
	}
	return r.lines.next()
}

// each calls visit for all records.
func (r *Records) each(visit func(cells [][]byte) error) error {
	for {
		cells, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = visit(cells)
		}
		if err != nil {
			return err
		}
	}
}

// Here adds the line of the record to an error.
func (r *Records) Here(err error) error { return AtLine(err, r.start.line) }

// blank reports whether a line holds no record. With tabs as delimiters, a line of tabs is a record
// of missing values.
func (r *Records) blank(line []byte) bool {
	return len(trimBlanks(line)) == 0 && (r.Delimiter != '\t' || bytes.IndexByte(line, '\t') < 0)
}

// AtLine adds a line number to an error, except to io.EOF, a pause, or an error with a line.
func AtLine(err error, line int64) error {
	var placed *charset.UnknownError
	if err == io.EOF || err == file.ErrPause || errors.As(err, &placed) {
		return err
	}
	e := fault.New("%w", err)
	if e.Line == 0 {
		e.Line = line
	}
	return e
}

// split splits line into cells, including the following lines while a quoted cell continues.
func (r *Records) split(line []byte) error {
	if err := r.cut(line); err != errOpen {
		return err
	}
	r.doubtful = true
	r.record = append(r.record[:0], line...)
	for quotes := 0; quotes%2 == 0; { // an odd number of quotes closes the cell
		line, err := r.lines.nextWaiting()
		if err == io.EOF && r.partial {
			return io.EOF
		}
		if err == io.EOF || err == nil && len(r.record)+len(line) > MaxLine {
			return fault.New("a quoted cell that begins here is never closed").WithRemedy("close it, or double quotes within it")
		}
		if err != nil {
			return err
		}
		r.record = append(append(r.record, '\n'), line...)
		quotes = bytes.Count(line, []byte{'"'})
	}
	return r.cut(r.record)
}

// cut splits one record into r.cells. It returns errOpen if the record ends inside a quoted cell.
func (r *Records) cut(record []byte) error {
	r.cells = r.cells[:0]
	if r.unquoted || bytes.IndexByte(record, '"') < 0 {
		r.cutPlain(record)
		return nil
	}
	rest := bytes.TrimSuffix(record, []byte{'\r'})
	if r.Delimiter == WhiteSpace {
		rest = bytes.Trim(rest, " \t")
	}
	for more := true; more && !r.full(); {
		var cell []byte
		var err error
		if cell, rest, more, err = r.cutCell(rest); err != nil {
			return err
		}
		r.cells = append(r.cells, cell)
	}
	return nil
}

// full reports whether there are more cells than allowed. The rest is not split: the caller will
// reject the record.
func (r *Records) full() bool { return len(r.cells) > column.Max }

// cutPlain splits a record without quotes.
func (r *Records) cutPlain(record []byte) {
	if r.Delimiter == WhiteSpace {
		r.cutFields(record)
		return
	}
	delimiter := byte(r.Delimiter)
	for !r.full() {
		i := bytes.IndexByte(record, delimiter)
		if i < 0 {
			break
		}
		r.cells = append(r.cells, r.trim(record[:i]))
		record = record[i+1:]
	}
	r.cells = append(r.cells, r.trim(bytes.TrimSuffix(record, []byte{'\r'})))
}

// cutFields splits at runs of blanks.
func (r *Records) cutFields(record []byte) {
	for i := 0; i < len(record) && !r.full(); {
		if isBlank(record[i]) {
			i++
			continue
		}
		start := i
		for i < len(record) && !isBlank(record[i]) {
			i++
		}
		r.cells = append(r.cells, record[start:i])
	}
	if len(r.cells) == 0 {
		r.cells = append(r.cells, nil) // a blank line that is a missing value
	}
}

// cutCell splits the first cell off a record. more reports that a delimiter follows it.
func (r *Records) cutCell(record []byte) (cell, after []byte, more bool, err error) {
	if inner := r.trimLeft(record); bytes.HasPrefix(inner, []byte{'"'}) {
		return r.cutQuoted(inner)
	}
	i := r.indexDelimiter(record)
	if i < 0 {
		return r.trim(record), nil, false, nil
	}
	return r.trim(record[:i]), r.afterDelimiter(record[i:]), true, nil
}

// trimLeft removes blanks before a cell.
func (r *Records) trimLeft(record []byte) []byte {
	if r.Delimiter == '\t' {
		return bytes.TrimLeft(record, " ")
	}
	return bytes.TrimLeft(record, " \t")
}

// cutQuoted splits a cell that begins with a quote off a record.
func (r *Records) cutQuoted(record []byte) (cell, after []byte, more bool, err error) {
	end := closingQuote(record)
	if end < 0 {
		return nil, nil, false, errOpen
	}
	cell, after = record[1:end], record[end+1:]
	r.doubtful = r.doubtful || r.indexDelimiter(cell) >= 0
	if bytes.IndexByte(cell, '"') >= 0 {
		cell = bytes.ReplaceAll(cell, []byte(`""`), []byte{'"'})
	}
	i := r.indexDelimiter(after)
	if i < 0 {
		i = len(after)
	}
	if len(trimBlanks(after[:i])) > 0 {
		r.doubtful = true
		return nil, nil, false, errQuote
	}
	if i == len(after) {
		return cell, nil, false, nil
	}
	return cell, r.afterDelimiter(after[i:]), true, nil
}

// closingQuote returns the index of the quote that closes the cell begun by record[0], -1 if there
// is none. A doubled quote is part of the cell.
func closingQuote(record []byte) int {
	for i := 1; i < len(record); i++ {
		if record[i] != '"' {
			continue
		}
		if i+1 == len(record) || record[i+1] != '"' {
			return i
		}
		i++
	}
	return -1
}

// indexDelimiter returns the index of the next delimiter.
func (r *Records) indexDelimiter(record []byte) int {
	if r.Delimiter == WhiteSpace {
		return bytes.IndexAny(record, " \t")
	}
	return bytes.IndexByte(record, byte(r.Delimiter))
}

// afterDelimiter skips the delimiter at the beginning of record.
func (r *Records) afterDelimiter(record []byte) []byte {
	if r.Delimiter == WhiteSpace {
		return r.trimLeft(record)
	}
	return record[1:]
}

// isBlank reports whether c is a blank, a tab or a carriage return.
func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

// anyComment holds the characters that begin comments in most files.
const anyComment = "#%"

// IsComment reports whether a line begins with #, % or a character in more.
func IsComment(line []byte, more string) bool { return beginsWith(line, anyComment+more) }

// beginsWith reports whether the first nonblank character of a line is in chars.
func beginsWith(line []byte, chars string) bool {
	for _, c := range line {
		if !isBlank(c) {
			return strings.IndexByte(chars, c) >= 0
		}
	}
	return false
}

// trim removes blanks around an unquoted cell.
func (r *Records) trim(cell []byte) []byte {
	if r.verbatim {
		return cell
	}
	return trimBlanks(cell)
}

// trimBlanks removes blanks around a cell.
func trimBlanks(cell []byte) []byte {
	for len(cell) > 0 && isBlank(cell[0]) {
		cell = cell[1:]
	}
	for len(cell) > 0 && isBlank(cell[len(cell)-1]) {
		cell = cell[:len(cell)-1]
	}
	return cell
}
