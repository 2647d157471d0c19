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
	return 0, fmt.Errorf("delimiter %q is not one character; tab and space have names", name)
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
		return nil, errors.New("the file holds binary data, not text; if it is of another format, its extension should say so")
	}
	if end := bytes.LastIndexByte(head, '\n'); n == HeadSize && end >= 0 {
		head = head[:end+1]
	}
	return head, nil
}

// guessDelimiter finds the delimiter that makes the most sense of the first
// lines: the most numbers, else the most cells, in lines that have as many
// cells as the first. A comma if nothing speaks for another.
func guessDelimiter(head []byte) rune {
	var best rune
	bestNumbers, bestCells := -1, -1
	for _, delimiter := range []rune{',', ';', '\t', '|', WhiteSpace} {
		numbers, cells := tryDelimiter(head, delimiter)
		if numbers > bestNumbers || numbers == bestNumbers && cells > bestCells {
			best, bestNumbers, bestCells = delimiter, numbers, cells
		}
	}
	return best
}

// tryDelimiter counts the cells that the delimiter sets apart, and the numbers,
// in the first lines that have as many cells as the very first.
func tryDelimiter(head []byte, delimiter rune) (numbers, cells int) {
	records := newRecords(bytes.NewReader(head), delimiter)
	width := 0
	for range 50 {
		record, err := records.Next()
		if err != nil {
			break
		}
		if width == 0 {
			width = len(record)
		}
		if len(record) != width {
			continue
		}
		if width > 1 { // one cell a line is what a wrong delimiter gives
			cells += width
		}
		for _, cell := range record {
			if _, ok := ParseNumber(cell); ok {
				numbers++
			}
		}
	}
	return numbers, cells
}
