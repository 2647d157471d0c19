package stream_test

import (
	"context"
	"iter"
	"testing"

	"github.com/nystream/nystream/internal/conformance"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/passcount"
	"github.com/nystream/nystream/stream"
)

// Every source of the package yields the same rows from any starting row.
func TestOpening(t *testing.T) {
	ctx := context.Background()
	x := randomMatrix(3, 5000, 3)
	pieces := func(context.Context) iter.Seq2[stream.Batch, error] {
		return func(yield func(stream.Batch, error) bool) {
			for first := 0; first < x.Rows; first += 700 {
				if !yield(stream.Batch{X: matrix.Rows(x, first, min(700, x.Rows-first))}, nil) {
					return
				}
			}
		}
	}
	columns := stream.NumberedColumns(3)
	sources := []stream.Source{
		stream.FromMatrix("matrix", x),
		stream.FromMatrix("no rows", matrix.New(0, 3)),
		stream.FromSeq(stream.Info{Name: "sequence", Columns: columns, Rows: 5000}, pieces),
		&stream.RowNumbers{Name: "numbers", Rows: 5000},
		passcount.New(newTable("counted", x).keep()),
		newTable("table", x).keep(),
	}
	loaded, err := stream.InMemory(ctx, newTable("loaded", x), 0)
	if err != nil {
		t.Fatal(err)
	}
	sources = append(sources, loaded)
	for _, raw := range []stream.Source{newTable("selected", x).keep(), sequential{newTable("skimmed", x).keep()}, &stream.RowNumbers{Name: "numbers", Rows: 5000}} {
		sources = append(sources, stream.Select(raw, everyThird(5000)), stream.Select(raw, nil), stream.Select(raw, []int64{0, 4999}))
	}
	for i, src := range sources {
		conformance.Opening(t, src, uint64(i))
	}
}

// everyThird returns about a third of the numbers below n, in runs and gaps.
func everyThird(n int64) (rows []int64) {
	for i := range n {
		if i%3 == 1 && i < 2000 || i > 3000 && i%64 < 20 {
			rows = append(rows, i)
		}
	}
	return rows
}

// Select yields the requested rows in passes and by Gather, and reports a file that ends early.
func TestSelectYieldsRequestedRows(t *testing.T) {
	x := randomMatrix(3, 5000, 3)
	rows := everyThird(5000)
	s := stream.Select(newTable("table", x).keep(), rows)
	got, _ := readAll(t, s)
	gathered, err := stream.GatherRows(context.Background(), s, []int64{0, 5, 900})
	if err != nil || len(got) != len(rows) {
		t.Fatalf("%d rows of %d, %v", len(got), len(rows), err)
	}
	for i, r := range rows {
		if got[i][0] != matrix.Row(x, int(r))[0] {
			t.Fatalf("row %d is not row %d", i, r)
		}
	}
	for i, r := range []int64{0, 5, 900} {
		if matrix.Row(gathered, i)[1] != matrix.Row(x, int(rows[r]))[1] {
			t.Errorf("row %d was not gathered", r)
		}
	}
	short := newTable("short", matrix.Rows(x, 0, 4000))
	short.info.Rows = 5000
	if _, _, err := tryReadAll(stream.Select(short, rows)); err == nil {
		t.Error("rows that are gone were read")
	}
}

// A source that can be read only once must be read from its first row.
func TestOpeningOnce(t *testing.T) {
	once := newTable("pipe", randomMatrix(1, 10, 2))
	once.info.OnePass = true
	if _, err := once.Open(context.Background(), 1); err == nil {
		t.Error("it was opened in the middle")
	}
}
