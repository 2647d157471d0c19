package blockstore

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// graphText is a text that is read once, from front to back.
type graphText struct {
	in     io.Reader
	head   []byte // its first lines, which in yields too
	closes []io.Closer
}

// openGraphText opens a file and undoes its compression. The path - means
// input.
func openGraphText(ctx context.Context, path string, input io.Reader) (*graphText, error) {
	t := &graphText{}
	if path == stdin && input == nil {
		return nil, errors.New("there is no standard input to read")
	}
	if path != stdin {
		f, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, missingFile(path)
		}
		if err != nil {
			return nil, err
		}
		input, t.closes = f, append(t.closes, f)
	}
	if err := t.open(newContextReader(ctx, input)); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// open finds out what in holds.
func (t *graphText) open(in io.Reader) error {
	raw := bufio.NewReaderSize(in, headSize)
	start, err := raw.Peek(headLength)
	if err != nil && err != io.EOF {
		return err
	}
	switch found, remedy := byMagic(string(start)); {
	case remedy != "":
		return errors.New(remedy)
	case isCompressed(found):
		plain, err := decompressor(found, raw)
		if err != nil {
			return err
		}
		t.closes = append(t.closes, plain)
		raw = bufio.NewReaderSize(damagedReader{plain, found}, headSize)
	case found != "":
		return fmt.Errorf("a graph is not read from the format %s; write its edges as CSV or as a Matrix Market file", found)
	}
	return t.peek(raw)
}

// peek looks at the first lines.
func (t *graphText) peek(in *bufio.Reader) error {
	head, err := in.Peek(headSize)
	if err != nil && err != io.EOF {
		return err
	}
	t.in = in
	if t.head, err = textHead(bytes.NewReader(head)); err != nil {
		return err
	}
	if len(t.head) == headSize && bytes.IndexByte(t.head, '\n') < 0 {
		return fmt.Errorf("its first line is longer than %d KiB; is this a list of edges?", headSize>>10)
	}
	return nil
}

// records cuts the text into records.
func (t *graphText) records(delimiter rune) *recordReader {
	return newCommentedRecords(forwardReader{t.in}, delimiter)
}

// Close closes the file and what decompresses it.
func (t *graphText) Close() {
	for _, c := range t.closes {
		c.Close() // nothing was written
	}
}

// damagedReader says of errors that they come from decompression.
type damagedReader struct {
	in     io.Reader
	format string
}

// Read implements io.Reader.
func (r damagedReader) Read(p []byte) (int, error) {
	n, err := r.in.Read(p)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("the %s data cannot be decompressed, the file is cut short or damaged: %w", r.format, err)
	}
	return n, err
}

// forwardReader serves a recordReader, which asks for one piece after the other,
// from what cannot seek.
type forwardReader struct{ in io.Reader }

// ReadAt fills p with what comes next, whatever the offset.
func (r forwardReader) ReadAt(p []byte, _ int64) (n int, err error) {
	for n < len(p) && err == nil {
		var m int
		m, err = r.in.Read(p[n:])
		n += m
	}
	return n, err
}

// graphDelimiter finds the delimiter of a text of which the head is known.
// Blanks separate cells only if tabs do not: names of nodes may hold blanks.
func graphDelimiter(in *graphText, given string) (rune, error) {
	named, err := parseDelimiter(given)
	if err != nil {
		return 0, err
	}
	head := withoutComments(in.head)
	delimiter, err := csvDelimiter(bytes.NewReader(head), named)
	if delimiter == whiteSpace && given == "" && allCutBy(head, '\t') {
		delimiter = '\t'
	}
	return delimiter, err
}

// withoutComments is a text without the lines that are comments.
func withoutComments(head []byte) []byte {
	var rest []byte
	for line := range bytes.Lines(bytes.TrimPrefix(head, []byte(byteOrderMark))) {
		if !isComment(line) {
			rest = append(rest, line...)
		}
	}
	return rest
}

// allCutBy says whether every line of a text has as many cells as the first,
// and more than one.
func allCutBy(head []byte, delimiter rune) bool {
	l := newCommentedRecords(bytes.NewReader(head), delimiter)
	for width := 0; ; {
		cells, err := l.next()
		switch {
		case err != nil:
			return err == io.EOF && width > 0
		case width == 0 && len(cells) > 1:
			width = len(cells)
		case len(cells) != width:
			return false
		}
		for _, cell := range cells {
			if len(cell) == 0 {
				return false // tabs that line columns up
			}
		}
	}
}

// firstRecords are copies of the first two records of a text, as far as it has
// them.
func firstRecords(in *graphText, delimiter rune) (first, second []string, err error) {
	l := newCommentedRecords(bytes.NewReader(in.head), delimiter)
	for _, record := range []*[]string{&first, &second} {
		cells, err := l.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		for _, cell := range cells {
			*record = append(*record, string(cell))
		}
	}
	if first == nil && len(in.head) >= headSize/2 {
		err = fmt.Errorf("the first %d KiB hold no edge, only comments and blank lines; remove them", headSize>>10)
	} else if first == nil {
		err = errors.New("the file holds no edges")
	}
	return first, second, err
}
