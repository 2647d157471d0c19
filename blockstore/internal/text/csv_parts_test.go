package text

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/filetest"
)

// A file scanned in parts has the same columns, rows, marks and errors as in one scan.
func TestCSVInParts(t *testing.T) {
	large := partBytes
	defer func() { partBytes = large }()
	rapid.Check(t, func(rt *rapid.T) {
		var text strings.Builder
		if rapid.Bool().Draw(rt, "header") {
			text.WriteString("a,b,c\n")
		}
		odd := rapid.IntRange(0, 40).Draw(rt, "odd lines")
		for i := range rapid.IntRange(1, 1000).Draw(rt, "rows") {
			switch what := rapid.IntRange(0, 700).Draw(rt, "line"); {
			case what < odd/4:
				text.WriteString("1,\"two\nlines, or \"\"three\"\"\n\",3\n")
			case what < odd/2:
				text.WriteString("\n\r\n")
			case what == 699 && odd > 30:
				text.WriteString("1,2\n")
			case what == 696 && odd > 20:
				text.WriteString("1,\"stray,2.5\n")
			case what == 698 && odd > 20:
				text.WriteString("1,word,2.5\n")
			case what == 697 && odd > 35:
				text.WriteString("1,\"open,2.5\n")
			default:
				fmt.Fprintf(&text, "%d,%g,\n", i, float64(what)/7)
			}
		}
		options := CSVOptions{Skip: rapid.IntRange(0, 2).Draw(rt, "skip")}
		if rapid.Bool().Draw(rt, "comments") {
			options.Comment = '7' // some rows begin with it
		}
		if rapid.Bool().Draw(rt, "tabs") {
			replaced := strings.ReplaceAll(text.String(), ",", "\t")
			text.Reset()
			text.WriteString(replaced)
		}
		path := filetest.TempFile(t, "a.csv", text.String())
		partBytes = large
		want, wantErr := openCSV(context.Background(), path, options)
		partBytes = rapid.Int64Range(1, 2000).Draw(rt, "part")
		options.Threads = rapid.IntRange(1, 4).Draw(rt, "threads")
		got, err := openCSV(context.Background(), path, options)
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			rt.Fatalf("error %v, want %v", err, wantErr)
		}
		if err != nil {
			return
		}
		if diff := cmp.Diff(want.About(), got.About()); diff != "" {
			rt.Fatal(diff)
		}
		for _, tb := range []*csvTable{want.(*csvTable), got.(*csvTable)} {
			if err := checkMarks(&tb.index, text.String()); err != nil {
				rt.Fatal(err)
			}
		}
		if rapid.IntRange(0, 9).Draw(rt, "read") == 0 {
			filetest.CheckGather(t, filetest.ChooseAll(t, got))
		}
	})
}

// checkMarks fails unless marks locate their records and lines.
func checkMarks(x *rowIndex, text string) error {
	for i, m := range x.marks {
		if line := int64(strings.Count(text[:m.offset], "\n")) + 1; m.line != line {
			return fmt.Errorf("mark %d is at line %d, not %d", i, line, m.line)
		}
		if i > 0 && m.offset/x.cellBytes() == x.marks[i-1].offset/x.cellBytes() {
			return fmt.Errorf("the marks at %d and %d are in one cell", x.marks[i-1].offset, m.offset)
		}
	}
	return nil
}

// A libsvm file scanned in parts has the same rows and errors as in one scan.
func TestLibsvmInParts(t *testing.T) {
	large := partBytes
	defer func() { partBytes = large }()
	rapid.Check(t, func(rt *rapid.T) {
		var text strings.Builder
		odd := rapid.IntRange(0, 40).Draw(rt, "odd lines")
		for i := range rapid.IntRange(1, 1000).Draw(rt, "rows") {
			switch what := rapid.IntRange(0, 700).Draw(rt, "line"); {
			case what < odd:
				text.WriteString("\n# nothing\n\r\n")
			case what == 699 && odd > 35:
				text.WriteString("1 2:3 1:4\n")
			case what == 698 && odd > 20:
				fmt.Fprintf(&text, "word 1:1 %d:2.5", 2+i%50)
				text.WriteString(" # the last\n")
			case what == 697:
				fmt.Fprintf(&text, "%d 0:%g 2:1\n", i%4, float64(i))
			default:
				fmt.Fprintf(&text, "%d 1:%g 3:2\n", i%4, float64(what)/7)
			}
		}
		options := CSVOptions{Skip: rapid.IntRange(0, 2).Draw(rt, "skip")}
		if rapid.Bool().Draw(rt, "comments") {
			options.Comment = '7' // some rows begin with it
		}
		path := filetest.TempFile(t, "a.svm", text.String())
		partBytes = large
		want, wantErr := openLibsvm(context.Background(), path, 1)
		partBytes = rapid.Int64Range(1, 2000).Draw(rt, "part")
		got, err := openLibsvm(context.Background(), path, rapid.IntRange(1, 4).Draw(rt, "threads"))
		if err == nil {
			if a, b := want.(*libsvmTable).indices, got.(*libsvmTable).indices; !reflect.DeepEqual(a, b) {
				rt.Fatalf("indices %+v, want %+v", b, a)
			}
		}
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			rt.Fatalf("error %v, want %v", err, wantErr)
		}
		if err != nil {
			return
		}
		if diff := cmp.Diff(want.About(), got.About()); diff != "" {
			rt.Fatal(diff)
		}
		for _, tb := range []column.Table{want, got} {
			if err := checkMarks(&tb.(*libsvmTable).index, text.String()); err != nil {
				rt.Fatal(err)
			}
		}
		if rapid.IntRange(0, 9).Draw(rt, "read") == 0 {
			filetest.CheckGather(t, filetest.ChooseAll(t, got))
		}
	})
}
