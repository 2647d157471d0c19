package blockstore

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// A numeric column with a few bad cells is reported, not left out silently.
func TestSpoiledColumn(t *testing.T) {
	dir := t.TempDir()
	path := filetest.FileIn(t, dir, "typo.csv", "a,b,name\n1,2,x\n3,oops,y\n5,6,z\n")
	mustContain(t, openError(t, Options{}, path), "typo.csv", `column "b"`, "line 3", `"oops"`, "!b")
	mustContain(t, openError(t, Options{Columns: []string{"a", "b"}}, path), `column "b"`, "line 3")
	src := mustOpen(t, Options{Columns: []string{"!b"}}, path)
	if diff := cmp.Diff([]string{"a"}, src.Info().Columns); diff != "" {
		t.Error(diff)
	}
	kept := mustOpen(t, Options{Keep: []string{"b"}}, path)
	if diff := cmp.Diff([]LeftOutColumn{{"name", "text"}}, kept.LeftOut()); diff != "" {
		t.Error(diff)
	}
	first := filetest.FileIn(t, dir, "first.csv", "oops,1\n2,3\n4,5\n")
	mustContain(t, openError(t, Options{Layout: Layout{NoHeader: true}}, first), "line 1", `"oops"`)
}

func TestBareCarriageReturns(t *testing.T) {
	path := filetest.FileIn(t, t.TempDir(), "mac.csv", "1,2\r3,4\r5,6\r")
	mustContain(t, openError(t, Options{}, path), "mac.csv", "carriage return")
}

// Between the leading magic bytes and the footer, an Arrow file contains a complete stream.
func TestArrowFileHoldsStream(t *testing.T) {
	for _, rows := range []int{3, 0} {
		dir := t.TempDir()
		path := filepath.Join(dir, "a.arrow")
		writeBatch(t, path, []string{"x"}, &stream.Batch{X: matrix.New(rows, 1)})
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		footer := int(data[len(data)-10]) | int(data[len(data)-9])<<8
		streamed := filetest.FileIn(t, dir, "a.arrows", string(data[8:len(data)-10-footer]))
		src, err := Open(context.Background(), []string{streamed}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if src.Info().Rows != int64(rows) {
			t.Errorf("%d rows, not %d", src.Info().Rows, rows)
		}
	}
}

func TestNegativeZeroIsAFloat(t *testing.T) {
	path := filetest.FileIn(t, t.TempDir(), "z.csv", "a,b\n1,1\n3,-0\n")
	columns, _, err := Columns(context.Background(), []string{path}, Options{})
	if err != nil || columns[1].Kind != "number" || columns[0].Kind != "integer" {
		t.Errorf("%v, %v", columns, err)
	}
}
