package charset

import (
	"io"

	"golang.org/x/text/encoding/unicode"
)

// The encodings named UTF-16, see Find.
var (
	littleEndian = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	bigEndian    = unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
)

// withByteOrderMark is the encoding of text with a byte order mark.
var withByteOrderMark = Encoding{"utf-16", unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)}

// unitChecker checks UTF-16 before it is decoded, since the decoder silently replaces unpaired surrogates
// and an odd last byte.
type unitChecker struct {
	in       io.Reader
	encoding Encoding
	big      bool // big-endian
	line     int64
	hasHalf  bool // first holds the first byte of a unit
	first    byte
	high     bool // the last unit was a high surrogate
}

// Read implements io.Reader.
func (u *unitChecker) Read(p []byte) (int, error) {
	n, err := u.in.Read(p)
	for _, b := range p[:n] {
		if u.hasHalf = !u.hasHalf; u.hasHalf {
			u.first = b
		} else if !u.take(b) {
			return 0, unknownEncoding(u.line, u.encoding)
		}
	}
	if err == io.EOF && (u.hasHalf || u.high) {
		err = unknownEncoding(u.line, u.encoding)
	}
	return n, err
}

// take reports whether the unit that b completes is valid after the previous one.
func (u *unitChecker) take(b byte) bool {
	unit := uint16(u.first)<<8 | uint16(b)
	if !u.big {
		unit = uint16(b)<<8 | uint16(u.first)
	}
	if unit == '\n' {
		u.line++
	}
	low := unit>>10 == 0xDC00>>10
	fits := low == u.high
	u.high = unit>>10 == 0xD800>>10
	return fits
}
