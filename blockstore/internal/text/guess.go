package text

import (
	"bytes"
	"cmp"
	"io"
	"unicode/utf8"

	"github.com/nystream/nystream/blockstore/internal/fault"
)

// HeadSize is the number of bytes of a text file inspected to detect its delimiter.
const HeadSize = 64 << 10

// ParseDelimiter returns the delimiter with the name in Layout.Delimiter, 0 for detection.
func ParseDelimiter(name string) (rune, error) {
	switch {
	case name == "":
		return 0, nil
	case name == "tab" || name == `\t`:
		return '\t', nil
	case name == "space":
		return WhiteSpace, nil
	case name == "none":
		return WholeLine, nil
	case name == "\n":
		return 0, fault.New("a delimiter separates the cells of a line, so it cannot be the end of one").WithRemedy("name another, or none")
	case utf8.RuneCountInString(name) == 1:
		delimiter, _ := utf8.DecodeRuneInString(name)
		return delimiter, nil
	}
	return 0, fault.New("delimiter %q is not one character", name).
		WithRemedy("name one, or tab or space by these words")
}

// Head returns the first lines of a file, only complete ones if there is one. It returns an error
// if they are not UTF-8 text.
func Head(f io.ReaderAt) ([]byte, error) {
	head := make([]byte, HeadSize)
	n, err := f.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return nil, err
	}
	head = head[:n]
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		return nil, fault.New("the file is UTF-16").WithRemedy("save it as UTF-8")
	}
	if cr := bytes.IndexByte(head, '\r'); cr >= 0 && cr < len(head)-1 && bytes.IndexByte(head, '\n') < 0 {
		return nil, fault.New("its lines end with carriage returns alone, as on old Macintoshes").WithRemedy("change them first, as with: tr '\\r' '\\n'")
	}
	if bytes.IndexByte(head, 0) >= 0 {
		return nil, fault.New("the file holds binary data, not text").
			WithRemedy("name the format of the file if it is another")
	}
	if end := bytes.LastIndexByte(head, '\n'); n == HeadSize && end >= 0 {
		head = head[:end+1]
	}
	return head, nil
}

// guessDelimiter returns the delimiter that best explains the first lines: the most numbers, then
// the fewest texts beside them, then the most cells, in lines with equal numbers of cells. The
// default is a comma.
func guessDelimiter(head []byte, comments string) rune {
	best, most := ',', headCells{}
	for _, delimiter := range []rune{',', ';', '\t', '|', WhiteSpace} {
		found := tryDelimiter(head, dialect{Delimiter: delimiter, comments: comments, begin: fileStart})
		if best == '\t' && most.odd == 0 && found.texts >= most.texts {
			continue // blanks inside cells of a tab-separated table
		}
		if found.compare(most) > 0 {
			best, most = delimiter, found
		}
	}
	return best
}

// headCells counts the cells that a delimiter separates in lines of equal width, and the odd lines
// of other widths.
type headCells struct{ lines, numbers, texts, cells, odd int }

// compare returns a positive number if c is stronger evidence for its delimiter than b.
func (c headCells) compare(b headCells) int {
	if c.numbers > 0 && c.cells > 0 && b.cells > 0 {
		return cmp.Or(c.numbers-b.numbers, b.texts+b.odd-c.texts-c.odd, c.cells-b.cells)
	}
	return cmp.Or(c.numbers-b.numbers, c.cells-b.cells)
}

// mayBeUnquoted reports whether quotes may be ordinary characters: few tab-separated tables use
// quoting at all.
func (l dialect) mayBeUnquoted() bool { return l.Delimiter == '\t' && !l.unquoted }

// tryDelimiter counts the cells separated by the delimiter in those of the first lines that have
// the most frequent number of cells, so that a title above the table does not matter. Numbers may
// have decimal commas.
func tryDelimiter(head []byte, l dialect) (most headCells) {
	records := newRecords(bytes.NewReader(head), l)
	var widths []int // in order of occurrence
	seen := map[int]*headCells{}
	for range 50 {
		record, err := records.Next()
		if err != nil && err != io.EOF && l.mayBeUnquoted() {
			l.unquoted = true
			return tryDelimiter(head, l)
		}
		if err != nil {
			break
		}
		c := seen[len(record)]
		if c == nil {
			c = &headCells{}
			seen[len(record)], widths = c, append(widths, len(record))
		}
		c.lines++
		for _, cell := range record {
			if IsNumber(cell) || len(record) > 1 && isDecimalComma(cell) {
				c.numbers++
			} else if !isMissing(cell) {
				c.texts++
			}
		}
		if len(record) > 1 { // a wrong delimiter gives one cell per line
			c.cells += len(record)
		}
	}
	for _, width := range widths {
		if c := *seen[width]; c.lines > most.lines {
			most = c
		}
	}
	for _, c := range seen {
		most.odd += c.lines
	}
	most.odd -= most.lines
	return most
}

// isDecimalComma reports whether a cell is a number with a decimal comma.
func isDecimalComma(cell []byte) bool {
	whole, fraction, found := bytes.Cut(cell, []byte{','})
	return found && IsInteger(whole) && IsInteger(fraction)
}

// lineNumber returns the position of the line after the first before lines of a file.
func lineNumber(f io.ReaderAt, before int) (mark, error) {
	lines := newLineReader(f, fileStart)
	for i := range before {
		if _, err := lines.next(); err == io.EOF {
			return lines.here(), fault.New("it has %d lines, so that `Layout.Skip %d` leaves none", i, before).
				WithRemedy("pass over fewer")
		} else if err != nil {
			return lines.here(), err
		}
	}
	return lines.here(), nil
}

// ParseComment returns the comment character with the name in Layout.Comment, 0 for none.
func ParseComment(name string) (byte, error) {
	switch {
	case name == "":
		return 0, nil
	case len(name) == 1 && name[0] > ' ' && name[0] < 0x7f && name[0] != '"':
		return name[0], nil
	}
	return 0, fault.New("comment %q is not one ASCII character", name).WithRemedy("name one, such as #")
}
