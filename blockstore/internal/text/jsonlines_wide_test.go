package text

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/nystream/nystream/blockstore/internal/filetest"
)

// Opening a wide file of more than two parts allocates a bounded number of bytes for each member: parts share the
// columns.
func TestWideJSONLines(t *testing.T) {
	const d = 40_000
	row := func(add int) string {
		var line strings.Builder
		for i := range d {
			fmt.Fprintf(&line, `,"a member with a name of some length, as many have, the number %d":%d`, i, i+add)
		}
		return "{" + line.String()[1:] + "}\n"
	}
	path := filetest.TempFile(t, "a.jsonl", row(0)+row(1)+row(2))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	table, err := openJSON(context.Background(), nil, path)
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if info := table.About(); len(info.Columns) != d || info.Rows != 3 {
		t.Errorf("%d rows of %d columns", info.Rows, len(info.Columns))
	}
	if each := (after.TotalAlloc - before.TotalAlloc) / d; each > 900 {
		t.Errorf("%d bytes for each member, 900 are allowed", each)
	}
}
