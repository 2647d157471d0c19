package blockstore

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/formats"
)

// nameInUTF8 gives columns of Parquet and Arrow files whose names are no UTF-8 names that are,
// and that can be typed and written: a byte that belongs to no character is %E9, its value. Text
// has an encoding instead, which its reader asks for.
func nameInUTF8(t *column.TableInfo) {
	switch t.Format {
	case formats.Parquet, formats.Arrow, formats.ArrowStream:
		for i := range t.Columns {
			t.Columns[i].Name = inUTF8(t.Columns[i].Name)
		}
	}
}

func inUTF8(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	var b strings.Builder
	for i := 0; i < len(name); {
		r, n := utf8.DecodeRuneInString(name[i:])
		if r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&b, "%%%02X", name[i])
		} else {
			b.WriteString(name[i : i+n])
		}
		i += n
	}
	return b.String()
}
