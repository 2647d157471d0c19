package column_test

import (
	"context"
	"io"
	"testing"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/file"
	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// passTable is a table of one column whose passes are made by begin.
type passTable struct {
	column.TableInfo
	stamp file.Stamp
	begin column.Begin
}

func (t *passTable) Source(c column.Choice) (stream.Gatherer, error) {
	return column.NewSource(c, t.stamp, t.begin), nil
}

// newPassTable returns a table with the given number of rows.
func newPassTable(t *testing.T, rows int64, begin column.Begin) *passTable {
	t.Helper()
	path := filetest.TempFile(t, "a.bin", "content")
	f, stamp, err := (*file.Session)(nil).Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	columns := []column.Info{{Name: "x", Width: 1}}
	return &passTable{column.TableInfo{Path: path, Rows: rows, Columns: columns}, stamp, begin}
}

// brokenPass panics in one of its methods, as a library may on damaged input.
type brokenPass struct {
	file.File
	skip bool
}

func (p *brokenPass) SkipTo(int64) error {
	if p.skip {
		panic("index out of range")
	}
	return nil
}

func (p *brokenPass) Next(*stream.Batch, int) (int, error) { panic("index out of range") }

// A panic in any method of a pass is an error.
func TestPassIsGuarded(t *testing.T) {
	for _, begin := range map[string]column.Begin{
		"begin":  func(context.Context, file.File, bool) column.Pass { panic("index out of range") },
		"SkipTo": func(_ context.Context, f file.File, _ bool) column.Pass { return &brokenPass{f, true} },
		"Next":   func(_ context.Context, f file.File, _ bool) column.Pass { return &brokenPass{f, false} },
	} {
		src, err := column.Choose(newPassTable(t, 3, begin), []int{0}, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = filetest.ReadAll(src, 10)
		filetest.WantError(t, err, "a.bin: the reader failed")
		err = src.Gather(t.Context(), []int64{0, 2}, filetest.NewBatch(src, 2))
		filetest.WantError(t, err, "a.bin: the reader failed")
	}
}

// countingPass returns row numbers, at most two rows at a time.
type countingPass struct {
	file.File
	at, rows int64
	slot     int
}

func (p *countingPass) SkipTo(row int64) error {
	p.at = row
	return nil
}

func (p *countingPass) Next(dst *stream.Batch, at int) (n int, err error) {
	if p.at == p.rows {
		return 0, io.EOF
	}
	for ; n < 2 && p.at < p.rows && at+n < dst.X.Rows; n++ {
		matrix.Row(dst.X, at+n)[p.slot] = float64(p.at)
		p.at++
	}
	return n, nil
}

// Constant kept columns are in every row of a pass, and in gathered rows.
func TestConstantColumnsAreInEveryRow(t *testing.T) {
	const rows = 7
	var null stream.Column
	column.AppendNull(&null)
	c := column.Choice{Numeric: []int{0}, Slot: []int{0}, Kept: []column.Kept{
		{Column: -1, Kind: stream.String, Constant: &stream.Column{Kind: stream.String, Strings: []string{"x"}}},
		{Column: -1, Constant: &null},
	}}
	names := stream.Info{Columns: []string{"x"}, Kept: []stream.Field{{Name: "k", Kind: stream.String}, {Name: "n"}}}
	tb := newPassTable(t, rows, func(_ context.Context, f file.File, _ bool) column.Pass { return &countingPass{File: f, rows: rows} })
	src, err := column.NewRows(tb, c, names)
	if err != nil {
		t.Fatal(err)
	}
	filetest.CheckGather(t, src)
	read, kept, err := filetest.Slurp(src, 3)
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		if read[i][0] != float64(i) || kept[0].Strings[i] != "x" || !kept[1].Null(i) {
			t.Errorf("row %d: %v, %v", i, read[i], kept)
		}
	}
}
