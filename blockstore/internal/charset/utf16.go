package charset

import (
	"io"

	"golang.org/x/text/encoding/unicode"
)

// The encodings that are called UTF-16, as Find knows them.
var (
	littleEndian = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	bigEndian    = unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
)

// marked is the encoding of text that begins with a byte order mark.
var marked = Encoding{"utf-16", unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)}

// units looks for what is no UTF-16 on its way to be decoded, of which the decoder makes
// replacement characters: halves of pairs, and half a unit at the end.
type units struct {
	in       io.Reader
	encoding Encoding
	big      bool // the larger byte of a unit is first
	line     int64
	half     bool // first is the first byte of a unit
	first    byte
	high     bool // the last unit was the first of a pair
}

// Read implements io.Reader.
func (u *units) Read(p []byte) (int, error) {
	n, err := u.in.Read(p)
	for _, b := range p[:n] {
		if u.half = !u.half; u.half {
			u.first = b
		} else if !u.take(b) {
			return 0, unknown(u.line, u.encoding)
		}
	}
	if err == io.EOF && (u.half || u.high) {
		err = unknown(u.line, u.encoding)
	}
	return n, err
}

// take reports whether the unit that b ends may stand behind those before it.
func (u *units) take(b byte) bool {
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
