package npy

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/nystream/nystream/blockstore/internal/fault"
)

// maxText bounds the size of a text value in bytes.
const maxText = 1 << 16

// isText reports whether values are zero-padded texts of fixed length: U in UTF-32, S in bytes.
func (t valueType) isText() bool { return t.kind == 'U' || t.kind == 'S' }

// textSize returns the size of a value of a type such as U10 or S10, 0 for a type that is not read.
func textSize(name string) int {
	if name[0] != 'U' && name[0] != 'S' {
		return 0
	}
	n, err := strconv.Atoi(name[1:])
	switch {
	case err != nil || n <= 0 || n > maxText:
		return 0
	case name[0] == 'U':
		return 4 * n
	}
	return n
}

// text decodes the first value of p.
func (t valueType) text(p []byte) (string, error) {
	p = p[:t.size]
	if t.kind == 'S' {
		p = bytes.TrimRight(p, "\x00")
		if !utf8.Valid(p) {
			return "", fault.New("%q is no UTF-8", p).WithRemedy("save the array with numpy.char.decode(a, 'latin1')")
		}
		return string(p), nil
	}
	var out []byte
	for ; len(p) > 0; p = p[4:] {
		r := t.order.Uint32(p)
		if r > utf8.MaxRune || !utf8.ValidRune(rune(r)) {
			return "", fault.New("%#x is no character", r).WithRemedy("save the array again")
		}
		out = utf8.AppendRune(out, rune(r))
	}
	return string(bytes.TrimRight(out, "\x00")), nil
}
