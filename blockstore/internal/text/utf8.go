package text

import (
	"fmt"
	"unicode/utf8"

	"github.com/nystream/nystream/blockstore/internal/fault"
)

// checkText refuses text that is to be kept and is no UTF-8.
func checkText(cell []byte) error {
	if utf8.Valid(cell) {
		return nil
	}
	at := 0
	for {
		r, size := utf8.DecodeRune(cell[at:])
		if r == utf8.RuneError && size <= 1 {
			break
		}
		at += size
	}
	return fmt.Errorf("byte %d of %q is %#02x, which is no UTF-8; name the encoding of the file, such as `encoding latin1`", at, fault.Shorten(cell), cell[at])
}
