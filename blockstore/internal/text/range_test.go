package text

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/fault"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/stream"
)

// TestBeyondFloat64: a number beyond float64 is refused alike in all formats of text, kept or computed with; infinities that
// are written as such are not.
func TestBeyondFloat64(t *testing.T) {
	for _, number := range []string{"1e999", "-1e400", "1" + strings.Repeat("0", 400), "Infinity", "-Infinity"} {
		files := map[string]string{"a.csv": "a,b\n1,2\n1.5," + number + "\n", "a.svm": "1 1:1 2:2\n0 1:1.5 2:" + number + "\n",
			"a.jsonl": "{\"a\":1,\"b\":2}\n{\"a\":1.5,\"b\":" + number + "}\n"}
		for name, content := range files {
			for _, kept := range []bool{false, true} {
				err := readSecond(t, filetest.TempFile(t, name, content), kept)
				var data *stream.DataError
				switch refused := errors.As(err, &data); {
				case strings.HasSuffix(number, "y") && err != nil:
					t.Errorf("%s, kept %v: %v", name, kept, err)
				case strings.HasSuffix(number, "y"):
				case !refused || data.Row != 1 || data.Line == 0 || !strings.Contains(data.What, "is beyond what a float64 holds"):
					t.Errorf("%s of %s, kept %v: %v", name, number, kept, err)
				}
			}
		}
	}
}

// readSecond reads the second of two columns.
func readSecond(t *testing.T, path string, kept bool) error {
	open := map[string]func() (column.Table, error){
		"csv":   func() (column.Table, error) { return openCSV(t.Context(), path, CSVOptions{}) },
		"svm":   func() (column.Table, error) { return openLibsvm(t.Context(), path, 0) },
		"jsonl": func() (column.Table, error) { return openJSON(t.Context(), nil, path) },
	}
	tb, err := open[path[strings.LastIndexByte(path, '.')+1:]]()
	if err != nil {
		return err
	}
	numeric, keep := []int{0, 1}, []int(nil)
	if kept {
		numeric, keep = []int{0}, []int{1}
	}
	src, err := column.Choose(tb, numeric, keep)
	if err != nil {
		return err
	}
	_, _, err = filetest.Slurp(src, 3)
	return err
}

// TestLineOnce: an error has one line, the first that it is given, in its field.
func TestLineOnce(t *testing.T) {
	err := AtLine(AtLine(fault.Cell("", 7, "x", "it is bad").WithRemedy("mend it"), 3), 1)
	var data *stream.DataError
	if !errors.As(err, &data) || data.Line != 3 || data.What != "it is bad" || data.Row != 7 {
		t.Fatalf("%+v", data)
	}
	if got, want := fault.File("a.csv", "%w", err).Error(), `a.csv: row 7 (counted from 0): column "x": line 3: it is bad; mend it`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestNearlyNumeric: one number is no numbers.
func TestNearlyNumeric(t *testing.T) {
	for content, want := range map[string]string{
		"a,b\n1,x\n2,3\n":      `line 2: "x" is not a number, though 1 cell of the column is`,
		"a,b\n1,3\n2,x\n3,4\n": `line 3: "x" is not a number, though 2 cells of the column are`,
	} {
		tb, err := openCSV(t.Context(), filetest.TempFile(t, "a.csv", content), CSVOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if why := tb.About().NearlyNumeric[1]; why == nil || why.Error() != want {
			t.Errorf("%v, want %s", why, want)
		}
	}
}

// TestMembersStop: a wide line of JSON ends early once its reader is to stop.
func TestMembersStop(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	content := "[" + strings.Repeat("1,", 3*checkEvery) + "1]"
	l := jsonLines{lines: newLineReader(file.NewReaderAt(ctx, strings.NewReader(content)), fileStart)}
	if err := l.next(); err != nil {
		t.Fatal(err)
	}
	cancel()
	seen := 0
	err := l.members(func([]byte, jsonValue) error { seen++; return nil })
	if !errors.Is(err, context.Canceled) || seen >= checkEvery {
		t.Errorf("%v after %d members", err, seen)
	}
}
