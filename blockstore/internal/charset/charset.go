// Package charset decodes text in other encodings to UTF-8.
package charset

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/nystream/nystream/blockstore/internal/fault"
)

// Encoding is a character encoding. The zero value is UTF-8, or UTF-16 if the text has its byte
// order mark.
type Encoding struct {
	name  string
	plain encoding.Encoding // nil for UTF-8
}

// Find returns the encoding with the given name. It knows the names of WHATWG, where latin1 means
// Windows-1252, and of IANA. "" means UTF-8.
func Find(name string) (Encoding, error) {
	if name == "" {
		return Encoding{}, nil
	}
	e, err := htmlindex.Get(strings.TrimSpace(name))
	if err != nil { // Python's name latin-1
		e, err = htmlindex.Get(strings.ReplaceAll(strings.TrimSpace(name), "-", ""))
	}
	if err != nil || e == encoding.Replacement {
		e, err = ianaindex.IANA.Encoding(name)
	}
	if err != nil || e == nil {
		return Encoding{}, fault.New("encoding %q is not known", name).
			WithRemedy("use utf-8, utf-16, latin1, windows-1251, shift_jis, euc-jp, gbk, big5, euc-kr, or another of IANA's names")
	}
	if e == unicode.UTF8 {
		return Encoding{}, nil
	}
	return Encoding{strings.ToLower(strings.TrimSpace(name)), e}, nil
}

// IsUTF8 reports whether no decoding is needed.
func (e Encoding) IsUTF8() bool { return e.plain == nil }

// String returns the name.
func (e Encoding) String() string {
	if e.IsUTF8() {
		return "utf-8"
	}
	return e.name
}

// MarkedUTF16 reports whether text begins with a byte order mark of UTF-16.
func MarkedUTF16(head []byte) bool {
	return bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff"))
}

// NewReader returns a reader that decodes in to UTF-8. A byte order mark overrides the encoding.
// Bytes that are invalid in the encoding are an error.
func (e Encoding) NewReader(in io.Reader) io.Reader {
	buffered := bufio.NewReaderSize(in, 64<<10)
	head, _ := buffered.Peek(2)
	switch {
	case MarkedUTF16(head):
		checked := &unitChecker{in: buffered, encoding: withByteOrderMark, big: head[0] == 0xfe, line: 1}
		return transform.NewReader(checked, withByteOrderMark.plain.NewDecoder())
	case e.IsUTF8():
		return buffered
	case e.plain == littleEndian || e.plain == bigEndian:
		checked := &unitChecker{in: buffered, encoding: e, big: e.plain == bigEndian, line: 1}
		return transform.NewReader(checked, e.plain.NewDecoder())
	}
	return &strict{in: transform.NewReader(buffered, unicode.BOMOverride(e.plain.NewDecoder())), encoding: e, line: 1}
}

// UnknownError reports bytes that are invalid in an encoding.
type UnknownError struct {
	Line     int64 // counted from 1
	Encoding Encoding
}

// Error names the line.
func (e *UnknownError) Error() string {
	if e.Encoding == withByteOrderMark {
		return fmt.Sprintf("line %d: bytes that are no character of UTF-16, whose mark the file begins with", e.Line)
	}
	return fmt.Sprintf("line %d: bytes that are no character of %s", e.Line, e.Encoding)
}

// unknownEncoding returns an [UnknownError] with a remedy.
func unknownEncoding(line int64, e Encoding) error {
	if e == withByteOrderMark {
		return fault.New("%w", &UnknownError{line, e}).WithRemedy("mend the file, or remove its first two bytes if the text has another encoding")
	}
	return fault.New("%w", &UnknownError{line, e}).WithRemedy("name the encoding that it has with `Layout.Encoding`")
}

// strict fails on characters that could not be decoded.
type strict struct {
	in       io.Reader
	encoding Encoding
	line     int64
	last     []byte // the end of the previous read
}

// replacement is the character that decoders insert for invalid bytes. Only Unicode encodings can
// represent it.
var replacement = []byte("\uFFFD")

// Read implements io.Reader.
func (s *strict) Read(p []byte) (int, error) {
	n, err := s.in.Read(p)
	s.last = append(s.last, p[:n]...)
	if at := bytes.Index(s.last, replacement); at >= 0 {
		s.line += int64(bytes.Count(s.last[:at], []byte{'\n'}))
		return 0, unknownEncoding(s.line, s.encoding)
	}
	if whole := len(s.last) - (len(replacement) - 1); whole > 0 {
		s.line += int64(bytes.Count(s.last[:whole], []byte{'\n'}))
		s.last = append(s.last[:0], s.last[whole:]...)
	}
	return n, err
}
