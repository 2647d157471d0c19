package fault

import (
	"unicode/utf8"
)

// Text returns an error if text is not UTF-8, with the position of the first invalid byte and the
// remedy.
func Text(text []byte, remedy string) error {
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size <= 1 {
			return New("byte %d of %q is 0x%02x, which is no UTF-8", at, Shorten(text), text[at]).
				WithRemedy("%s", remedy)
		}
		at += size
	}
	return nil
}
