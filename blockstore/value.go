package blockstore

import (
	"github.com/nystream/nystream/blockstore/internal/text"
	"github.com/nystream/nystream/stream"
)

// ValueText formats value i of a kept column as in text files: ISO 8601 dates and times, exact
// integers and decimals, bytes in hexadecimal; "" for null.
func ValueText(c *stream.Column, i int) string {
	if c.Null(i) {
		return ""
	}
	return string(text.AppendValue(nil, c, i))
}
