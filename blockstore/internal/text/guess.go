package text

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// HeadSize is how much of a text file is looked at to find its delimiter.
const HeadSize = 64 << 10

// ParseDelimiter returns the delimiter that blockstore.Options.Delimiter names, 0 for one that
// is to be found.
func ParseDelimiter(name string) (rune, error) {
	switch {
	case name == "":
		return 0, nil
	case name == "tab" || name == `\t`:
		return '\t', nil
	case name == "space":
		return WhiteSpace, nil
	case utf8.RuneCountInString(name) == 1:
		delimiter, _ := utf8.DecodeRuneInString(name)
		return delimiter, nil
	}
	return 0, fmt.Errorf("delimiter %q is not one character; name one, or tab or space by these words", name)
}

// Head returns the first lines of a file, whole ones if there is a whole
// one, and refuses what is no UTF-8 text.
func Head(f io.ReaderAt) ([]byte, error) {
	head := make([]byte, HeadSize)
	n, err := f.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return nil, err
	}
	head = head[:n]
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		return nil, errors.New("the file is UTF-16; save it as UTF-8")
	}
	if cr := bytes.IndexByte(head, '\r'); cr >= 0 && cr < len(head)-1 && bytes.IndexByte(head, '\n') < 0 {
		return nil, errors.New("its lines end with carriage returns alone, as on old Macintoshes; change them first, as with: tr '\\r' '\\n'")
	}
	if bytes.IndexByte(head, 0) >= 0 {
		return nil, errors.New("the file holds binary data, not text; name the format of the file if it is another")
	}
	if end := bytes.LastIndexByte(head, '\n'); n == HeadSize && end >= 0 {
		head = head[:end+1]
	}
	return head, nil
}

// guessDelimiter finds the delimiter that makes the most sense of the first
// lines: the most numbers, else the most cells, in lines of one width. A comma if
// nothing speaks for another.
func guessDelimiter(head []byte, comments string) rune {
	var best rune
	bestNumbers, bestCells := -1, -1
	for _, delimiter := range []rune{',', ';', '\t', '|', WhiteSpace} {
		numbers, cells := tryDelimiter(head, layout{Delimiter: delimiter, comments: comments, begin: fileStart})
		if numbers > bestNumbers || numbers == bestNumbers && cells > bestCells {
			best, bestNumbers, bestCells = delimiter, numbers, cells
		}
	}
	return best
}

// mayBeUnquoted reports whether quotes may be ordinary characters: few tables between tabs
// are quoted at all.
func (l layout) mayBeUnquoted() bool { return l.Delimiter == '\t' && !l.unquoted }

// tryDelimiter counts the cells that the delimiter sets apart, and the numbers, in those
// of the first lines that have as many cells as most of them: a title above the table
// does not decide.
func tryDelimiter(head []byte, l layout) (numbers, cells int) {
	records := newRecords(bytes.NewReader(head), l)
	type count struct{ lines, numbers int }
	var widths []int // in the order in which they were seen
	seen := map[int]*count{}
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
			c = &count{}
			seen[len(record)], widths = c, append(widths, len(record))
		}
		c.lines++
		for _, cell := range record {
			if _, ok := ParseNumber(cell); ok {
				c.numbers++
			}
		}
	}
	most := count{}
	for _, width := range widths {
		if c := *seen[width]; c.lines > most.lines {
			most, cells = c, 0
			if width > 1 { // one cell a line is what a wrong delimiter gives
				cells = width * c.lines
			}
		}
	}
	return most.numbers, cells
}

// lineNumber returns where a line of a file begins, of which so many come before.
func lineNumber(f io.ReaderAt, before int) (mark, error) {
	lines := newLineReader(f, fileStart)
	for i := range before {
		if _, err := lines.next(); err == io.EOF {
			return lines.here(), fmt.Errorf("it has %d lines, so that `skip %d` leaves none; pass over fewer", i, before)
		} else if err != nil {
			return lines.here(), err
		}
	}
	return lines.here(), nil
}

// ParseComment returns the character that blockstore.Options.Comment names, 0 for none.
func ParseComment(name string) (byte, error) {
	switch {
	case name == "":
		return 0, nil
	case len(name) == 1 && name[0] > ' ' && name[0] < 0x7f && name[0] != '"':
		return name[0], nil
	}
	return 0, fmt.Errorf("comment %q is not one ASCII character; name one, such as #", name)
}
