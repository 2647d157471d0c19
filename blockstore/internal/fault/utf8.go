package fault

import (
	"unicode/utf8"
)

// Text refuses text that is no UTF-8: it says which byte is the first that is not, and then
// what to do.
func Text(text []byte, remedy string) error {
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size <= 1 {
			return New("byte %d of %q is 0x%02x, which is no UTF-8", at, Shorten(text), text[at]).Do("%s", remedy)
		}
		at += size
	}
	return nil
}
