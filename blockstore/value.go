package blockstore

import (
	"github.com/nystream/nystream/blockstore/internal/text"
	"github.com/nystream/nystream/stream"
)

// ValueText returns value i of a kept column as files of text have it: dates and times of ISO 8601, exact integers and
// decimals, bytes in hexadecimal digits; "" for null.
func ValueText(c *stream.Column, i int) string {
	if c.Null(i) {
		return ""
	}
	return string(text.AppendValue(nil, c, i))
}
