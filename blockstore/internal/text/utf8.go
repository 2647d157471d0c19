package text

import (
	"unicode/utf8"

	"github.com/nystream/nystream/blockstore/internal/fault"
)

// checkText returns an error if kept text is not UTF-8.
func checkText(cell []byte) error {
	if utf8.Valid(cell) {
		return nil
	}
	return fault.Text(cell, "name the encoding of the file, such as `Layout.Encoding latin1`")
}
