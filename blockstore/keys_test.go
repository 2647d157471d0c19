package blockstore

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/stream"
)

// keyed writes a file with columns x0 and x1 into each folder and returns their common parent. File i has i+1 rows and
// extension i; the last extension repeats.
func keyed(t *testing.T, folders []string, extensions ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i, folder := range folders {
		b := &stream.Batch{X: stream.NewMatrix(i+1, 2)}
		for r := range i + 1 {
			b.X.Data[2*r], b.X.Data[2*r+1] = float64(i)+0.5, float64(r)+0.25
		}
		sub := filepath.Join(dir, filepath.FromSlash(folder))
		filetest.FileIn(t, sub, "_SUCCESS", "")
		writeBatch(t, filepath.Join(sub, "part"+extensions[min(i, len(extensions)-1)]), stream.NumberedColumns(2), b)
	}
	return dir
}

// Keys of k=v folders are features if selected, in every format and combination of formats, at any position, also when
// kept or gathered by number.
func TestFolderKeysAreColumns(t *testing.T) {
	folders := []string{"year=2022/w=1.5", "year=2023/w=2", "year=2024/w=__HIVE_DEFAULT_PARTITION__"}
	years, none := []int64{2022, 2023, 2023, 2024, 2024, 2024}, math.NaN()
	want := &stream.Batch{X: stream.NewMatrix(6, 3), Kept: []stream.Column{{Kind: stream.Int64, Ints: years}}}
	copy(want.X.Data, []float64{2022, 0.5, 1.5, 2023, 1.5, 2, 2023, 1.5, 2, 2024, 2.5, none, 2024, 2.5, none, 2024, 2.5, none})
	for _, extension := range append(writtenFormats, ".jsonl", ".arrows", "mixed") {
		extensions := []string{extension}
		if extension == "mixed" {
			extensions = []string{".csv", ".parquet", ".nys"}
		}
		dir := keyed(t, folders, extensions...)
		for _, path := range []string{dir, filepath.Join(dir, "year=*", "*", "part.*")} {
			src := mustOpen(t, Options{Columns: []string{"year", "x0", "w"}, Keep: []string{"year"}}, path)
			if diff := filetest.Diff(want, filetest.MustRead(t, src, 2)); diff != "" {
				t.Errorf("%s: %s", extension, diff)
			}
			got := column.NewBatch(src.Info(), 3)
			if err := src.Gather(t.Context(), []int64{1, 2, 3}, got); err != nil {
				t.Fatal(extension, err)
			}
			if diff := filetest.Diff(filetest.BatchPart(want, 1, 3), got); diff != "" {
				t.Errorf("%s, gathered: %s", extension, diff)
			}
		}
		src := mustOpen(t, Options{Columns: []string{"year"}}, dir) // nothing of the files but their rows
		if diff := cmp.Diff([]float64{2022, 2023, 2023, 2024, 2024, 2024}, numbersOf(t, src)); diff != "" {
			t.Errorf("%s: %s", extension, diff)
		}
	}
}

// A key has one kind in all folders: integer, number or text. Null and empty partitions are null.
func TestKindsOfFolderKeys(t *testing.T) {
	for _, c := range []struct {
		folders []string
		kind    string
		kept    stream.Column // of one row of each folder
	}{
		{[]string{"k=1", "k=-2", "k=03"}, "integer", stream.Column{Kind: stream.Int64, Ints: []int64{-2, 3, 1}}},
		{[]string{"k=1", "k=__HIVE_DEFAULT_PARTITION__", "k="}, "integer",
			stream.Column{Kind: stream.Int64, Ints: []int64{0, 1, 0}, Valid: []bool{false, true, false}}},
		{[]string{"k=9007199254740993"}, "integer", stream.Column{Kind: stream.Int64, Ints: []int64{9007199254740993}}},
		{[]string{"k=1e-3", "k=2"}, "number", stream.Column{Kind: stream.Float64, Floats: []float64{1e-3, 2}}},
		{[]string{"k=0.5", "k="}, "number", stream.Column{Kind: stream.Float64, Floats: []float64{math.NaN(), 0.5}, Valid: []bool{false, true}}},
		{[]string{"k=18446744073709551616"}, "text", stream.Column{Kind: stream.String, Strings: []string{"18446744073709551616"}}},
		{[]string{"k=inf", "k=1"}, "text", stream.Column{Kind: stream.String, Strings: []string{"1", "inf"}}},
		{[]string{"k=0x1p3", "k=1_0"}, "text", stream.Column{Kind: stream.String, Strings: []string{"0x1p3", "1_0"}}},
		{[]string{"k=a%20b%2Fc%3D", "k=50%25 off", "k=90%", "k=x=y", "k=caf%C3%A9", "k=%E9"}, "text",
			stream.Column{Kind: stream.String, Strings: []string{"�", "50% off", "90%", "a b/c=", "café", "x=y"}}},
		{[]string{"k=2024-01-31", "k=__HIVE_DEFAULT_PARTITION__"}, "text",
			stream.Column{Kind: stream.String, Strings: []string{"2024-01-31", ""}, Valid: []bool{true, false}}},
	} {
		dir := t.TempDir()
		for _, folder := range c.folders {
			filetest.FileIn(t, dir, folder+"/a.csv", "x\n1\n")
		}
		columns, rows, err := Columns(t.Context(), []string{dir}, Options{})
		want := []ColumnInfo{{Name: "x", Kind: "integer", Width: 1}, {Name: "k", Kind: c.kind, Width: 1, Folder: true}}
		if diff := cmp.Diff(want, columns); err != nil || diff != "" || int(rows) != len(c.folders) {
			t.Errorf("%v: %d rows, %v, %s", c.folders, rows, err, diff)
		}
		src := mustOpen(t, Options{Keep: []string{"k"}}, dir)
		kept := filetest.MustRead(t, src, 2).Kept
		if diff := cmp.Diff([]stream.Column{c.kept}, kept, filetest.SameBits, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%v: %s", c.folders, diff)
		}
	}
}

// A selection that names no key leaves it out, with a note.
func TestFolderKeysAreLeftOut(t *testing.T) {
	dir := keyed(t, []string{"year=2022/tag=a", "year=2023/tag=b"}, ".csv")
	year, tag := LeftOutColumn{"year", FolderNames}, LeftOutColumn{"tag", FolderNames}
	for _, c := range []struct {
		o       Options
		columns []string
		left    []LeftOutColumn
	}{
		{Options{}, []string{"x0", "x1"}, []LeftOutColumn{year, tag}},
		{Options{Categories: true}, []string{"x0", "x1"}, []LeftOutColumn{year, tag}},
		{Options{Columns: []string{"!x1"}}, []string{"x0"}, []LeftOutColumn{year, tag}},
		{Options{Columns: []string{"!year"}, Label: "tag"}, []string{"x0", "x1"}, nil},
		{Options{Columns: []string{"*"}}, []string{"x0", "x1"}, []LeftOutColumn{year, tag}},
		{Options{Columns: []string{"0:"}}, []string{"x0", "x1"}, []LeftOutColumn{year, tag}},
		{Options{Columns: []string{"x1"}}, []string{"x1"}, nil},
		{Options{Columns: []string{"2"}}, []string{"year"}, nil},
		{Options{Columns: []string{"year"}, Keep: []string{"year"}}, []string{"year"}, nil},
	} {
		src := mustOpen(t, c.o, dir)
		if diff := cmp.Diff(c.columns, src.Info().Columns) + cmp.Diff(c.left, src.LeftOut()); diff != "" {
			t.Errorf("%v: %s", c.o, diff)
		}
	}
	src := mustOpen(t, Options{Columns: []string{"x0", "tag"}, Categories: true}, dir)
	if kept := src.Info().Kept; len(kept) != 1 || !kept[0].Category || kept[0].Name != "tag" {
		t.Errorf("the categories are %v", kept)
	}
	mustContain(t, openError(t, Options{Columns: []string{"tag"}}, dir), `"tag"`, "text", "Categories onehot")
	mustContain(t, openError(t, Options{Columns: []string{"yeer"}}, dir), "did you mean", "year")
	only := filetest.FileIn(t, dir, "z=1/a.csv", "s\nword\n")
	mustContain(t, openError(t, Options{}, only), "no numeric column", "`Options.Columns 'z'`")
}

// A column of the files hides a key of the same name. Keys are matched by name, and a file without a requested key is
// an error.
func TestFolderKeysBesideColumns(t *testing.T) {
	dir := t.TempDir()
	first := filetest.FileIn(t, dir, "k=1/j=8/a.csv", "x\n1\n")
	own := filetest.FileIn(t, dir, "k=2/j=9/a.csv", "x,k\n2,7\n")
	turned := filetest.FileIn(t, dir, "j=3/k=4/a.csv", "x\n5\n")
	none := filetest.FileIn(t, dir, "none/a.csv", "x\n1\n")
	both := Options{Columns: []string{"k", "j", "x"}}
	if diff := cmp.Diff([]float64{1, 8, 1, 7, 9, 2, 4, 3, 5}, numbersOf(t, mustOpen(t, both, first, own, turned))); diff != "" {
		t.Error(diff) // the column hides the key, and keys are found by their names
	}
	if columns, _, err := Columns(t.Context(), []string{own}, Options{}); err != nil || len(columns) != 3 || columns[1].Folder || !columns[2].Folder {
		t.Error(columns, err)
	}
	for _, o := range []Options{both, {Keep: []string{"k"}}} {
		mustContain(t, openError(t, o, first, none), filepath.Base(none), "no folder", "k=...")
	}
	src := mustOpen(t, Options{}, none, first)
	if diff := cmp.Diff([]LeftOutColumn{{"k", fmt.Sprintf("not in %s, but in %s", none, first)}, {"j", fmt.Sprintf("not in %s, but in %s", none, first)}}, src.LeftOut()); diff != "" {
		t.Error(diff)
	}
	big := filetest.FileIn(t, dir, "id=9007199254740993/a.csv", "x\n1\n")
	mustContain(t, openError(t, Options{Columns: []string{"id"}}, big), `"id"`, "9007199254740993", "Inexact round")
	if v := numbersOf(t, mustOpen(t, Options{Columns: []string{"id"}, Inexact: InexactRound}, big)); v[0] != 1<<53 {
		t.Error(v)
	}
	if keys := folderKeys("https://host/k=1/a.csv?Credential=a/b=c/d"); len(keys) != 1 || keys[0].name != "k" {
		t.Errorf("keys of an address: %v", keys)
	}
}
