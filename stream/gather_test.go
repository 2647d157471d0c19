package stream_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/passcount"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// Skimming yields the same rows as gathering.
func TestGatherAndSkim(t *testing.T) {
	x := randomMatrix(1, 2500, 3) // more than a chunk
	rapid.Check(t, func(t *rapid.T) {
		src := newTable("x", x).keep()
		src.step = odd(rapid.Uint64().Draw(t, "steps"))
		if rapid.Bool().Draw(t, "rows unknown") {
			src.info.Rows = -1
		}
		src.lazy = rapid.Bool().Draw(t, "lazy")
		var rows []int64
		for r := rapid.Int64Range(-1, 2499).Draw(t, "skip"); ; {
			r += rapid.Int64Range(1, 400).Draw(t, "next")
			if r >= 2500 {
				break
			}
			rows = append(rows, r)
		}
		var got [2]stream.Batch
		for i, from := range []stream.Source{src, sequential{src}} {
			got[i] = stream.Batch{X: matrix.New(len(rows), 3), Kept: emptyKept(src.info)}
			if err := stream.Gather(context.Background(), from, rows, &got[i]); err != nil {
				t.Fatal(err)
			}
		}
		if !sameBits(got[0].X.Data, got[1].X.Data) {
			t.Fatal("other rows")
		}
		if diff := cmp.Diff(values(got[0].Kept), values(got[1].Kept)); diff != "" {
			t.Fatal(diff)
		}
		for i, r := range rows {
			if !sameBits(matrix.Row(got[0].X, i), matrix.Row(x, int(r))) || got[0].Kept[0].Ints[i] != r {
				t.Fatalf("row %d is %v", r, matrix.Row(got[0].X, i))
			}
		}
	})
}

// The batch holds only gathered values, none from earlier use.
func TestSkimTruncatesKept(t *testing.T) {
	src := newTable("x", randomMatrix(1, 30, 2)).keep()
	batch := stream.Batch{X: matrix.New(2, 2), Kept: emptyKept(src.info)}
	for _, rows := range [][]int64{{3, 7}, {4, 9}} {
		if err := stream.Gather(context.Background(), sequential{src}, rows, &batch); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(rows, batch.Kept[0].Ints); diff != "" {
			t.Error(diff)
		}
	}
}

// Skimming does not read beyond the last requested row.
func TestSkimStopsAtLastRow(t *testing.T) {
	src := newTable("x", randomMatrix(1, 3000, 2))
	last := 0
	src.before = func(row int) error { last = row; return nil }
	if _, err := stream.GatherRows(context.Background(), sequential{src}, []int64{5, 1200}); err != nil {
		t.Fatal(err)
	}
	if last > 2048 || src.closes.Load() != 1 {
		t.Errorf("read on to row %d, closed %d times", last, src.closes.Load())
	}
}

func TestGatherNothing(t *testing.T) {
	src := newTable("pipe", randomMatrix(1, 10, 2))
	src.info.OnePass = true
	m, err := stream.GatherRows(context.Background(), src, nil)
	if err != nil || m.Rows != 0 || m.Cols != 2 || src.opens.Load() != 0 {
		t.Errorf("%v, %v, opened %d times", m, err, src.opens.Load())
	}
}

func TestGatherErrors(t *testing.T) {
	leavesNothing(t)
	ctx := context.Background()
	src := newTable("a.csv", randomMatrix(1, 3000, 2))
	gather := func(ctx context.Context, src stream.Source, rows ...int64) error {
		_, err := stream.GatherRows(ctx, src, rows)
		return err
	}
	for _, rows := range [][]int64{{-1}, {3000}, {5, 1 << 40}} {
		for _, s := range []stream.Source{src, sequential{src}} {
			checkPanic(t, "stream: gather rows", func() { gather(ctx, s, rows...) })
		}
	}
	checkPanic(t, "another size", func() {
		_ = stream.Gather(ctx, src, []int64{1, 2}, &stream.Batch{X: matrix.New(3, 2)})
	})

	src.info.Rows = 5000 // a lie
	checkError(t, gather(ctx, sequential{src}, 7, 3000), "a.csv: it ends after 3000 rows, and row 3000 (counted from 0) is missing", "changed or is damaged")
	src.info.Rows = -1
	checkError(t, gather(ctx, sequential{src}, 3500), "a.csv: it ends after 3000 rows, and row 3500 (counted from 0)")

	broken := errors.New("broken")
	src.before = func(row int) error {
		if row > 1000 {
			return broken
		}
		return nil
	}
	if err := gather(ctx, sequential{src}, 7, 2000); !errors.Is(err, broken) || src.closes.Load() != src.opens.Load() {
		t.Errorf("error %v, opened %d times and closed %d times", err, src.opens.Load(), src.closes.Load())
	}
	if err := gather(ctx, sequential{src}, 7, 900); err != nil {
		t.Errorf("an error behind the last row wanted: %v", err)
	}
	src.open = func() error { return broken }
	if err := gather(ctx, sequential{src}, 7); !errors.Is(err, broken) {
		t.Errorf("opening: %v", err)
	}

	src.info.OnePass = true
	for _, s := range []stream.Source{src, sequential{src}, passcount.New(src)} {
		checkError(t, gather(ctx, s, 7), "a.csv can be read only once", "`Session.Spool`")
	}
}

// Skimming and loading stop when their context is cancelled.
func TestSkimAndLoadAreCancelled(t *testing.T) {
	gone := errors.New("gone")
	for name, read := range map[string]func(context.Context, stream.Source) error{
		"skim": func(ctx context.Context, src stream.Source) error {
			_, err := stream.GatherRows(ctx, src, []int64{0, 90000})
			return err
		},
		"load": func(ctx context.Context, src stream.Source) error {
			_, err := stream.InMemory(ctx, src, 0)
			return err
		},
	} {
		ctx, cancel := context.WithCancelCause(context.Background())
		src := newTable("x", randomMatrix(1, 100000, 1))
		last := 0
		src.before = func(row int) error {
			if row > 2000 {
				cancel(gone)
			}
			last = row
			return nil
		}
		if err := read(ctx, sequential{src}); !errors.Is(err, gone) || last > 5000 || src.closes.Load() != 1 {
			t.Errorf("%s: error %v, read on to row %d, closed %d times", name, err, last, src.closes.Load())
		}
		cancel(nil)
	}
}

// prepared applies a null policy to src, in small blocks.
func prepared(t *testing.T, src stream.Source, nulls prepare.Nulls) stream.Source {
	t.Helper()
	p, err := prepare.New(t.Context(), stream.Engine{Threads: 2, BlockRows: 8}, src, prepare.Treatment{Nulls: nulls})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Gathering takes a pass only from a source without random access.
func TestPassesOfGatheringAreCounted(t *testing.T) {
	ctx := context.Background()
	table := newTable("x", randomMatrix(1, 100, 2))
	table.info.PassesToOpen = 1
	for name, c := range map[string]struct {
		src  stream.Source
		want int // passes that gathering takes
	}{
		"by number":           {table, 0},
		"skimmed":             {sequential{table}, 1},
		"prepared":            {prepared(t, table, prepare.NullsZero), 0},
		"prepared and skim":   {prepared(t, sequential{table}, prepare.NullsZero), 1},
		"counted and skim":    {passcount.New(sequential{table}), 1},
		"dropped, by number":  {prepared(t, table, prepare.NullsDrop), 0},
		"dropped and skimmed": {prepared(t, sequential{table}, prepare.NullsDrop), 1},
	} {
		counted := passcount.New(c.src)
		start := counted.Passes()
		if start != c.src.Info().PassesToOpen {
			t.Errorf("%s: %d passes before any", name, start)
		}
		if _, err := stream.GatherRows(ctx, counted, []int64{3, 50}); err != nil {
			t.Fatal(err)
		}
		if got := counted.Passes() - start; got != c.want {
			t.Errorf("%s: gathering took %d passes, want %d", name, got, c.want)
		}
		if _, err := foldSums(ctx, stream.Engine{}, counted); err != nil {
			t.Fatal(err)
		}
		if got := counted.Passes() - start; got != c.want+1 {
			t.Errorf("%s: %d passes after a fold, want %d", name, got, c.want+1)
		}
	}
}

// spoiled returns all requested rows together with an error: the file has changed.
type spoiled struct{ *table }

func (s spoiled) Open(ctx context.Context, first int64) (stream.Reader, error) {
	r, err := s.table.Open(ctx, first)
	return spoiledReader{r}, err
}

type spoiledReader struct{ stream.Reader }

func (r spoiledReader) Read(dst *stream.Batch) (int, error) {
	n, _ := r.Reader.Read(dst)
	return n, errSpoiled
}

var errSpoiled = errors.New("the file was changed")

// Rows that arrive with an error are discarded, even the last ones.
func TestSkimKeepsErrors(t *testing.T) {
	src := sequential{spoiled{newTable("x", randomMatrix(1, 30, 2))}}
	if _, err := stream.GatherRows(context.Background(), src, []int64{3, 7}); !errors.Is(err, errSpoiled) {
		t.Error(err)
	}
}
