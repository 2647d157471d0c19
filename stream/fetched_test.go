package stream_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// fetches counts the rows gathered from a source.
type fetches struct {
	stream.Gatherer
	rows int
}

func (f *fetches) Info() stream.Info {
	info := f.Gatherer.Info()
	info.InMemory = false
	return info
}

func (f *fetches) Gather(ctx context.Context, rows []int64, dst *stream.Batch) error {
	f.rows += len(rows)
	return f.Gatherer.Gather(ctx, rows, dst)
}

// Rows gathered by one process of a fit are not gathered again by the others, unless these see
// other rows, or the stored rows are damaged or unreadable.
func TestRunFetchesOnce(t *testing.T) {
	x, y := randomMatrix(1, 500, 3), randomMatrix(2, 500, 3)
	var rows []int64
	for i := range 100 {
		rows = append(rows, int64(4*i+1))
	}
	const sample = 32 // rows of a fingerprint
	shelf := newShelf()
	fetch := func(of blas64.General, o stream.RunOptions, rows []int64) (fetched int, run *stream.Run) {
		t.Helper()
		numbers, words := numberedColumns(of.Rows)
		beside, err := stream.Beside(stream.FromMatrix("x", of), []stream.Field{{Name: "number"}, {Name: "word"}}, numbers, words)
		if err != nil {
			t.Fatal(err)
		}
		src := &fetches{Gatherer: beside}
		run = runOf(t, shelf, "a fit", 1, o).Run
		got := matrix.New(len(rows), 3)
		batch := &stream.Batch{X: got, Kept: src.Info().NewKept()}
		if err := run.Gather(t.Context(), src, rows, batch); err != nil {
			t.Fatal(err)
		}
		for i, n := range rows {
			if !sameBits(matrix.Row(got, i), matrix.Row(of, int(n))) {
				t.Fatalf("row %d is %v", n, matrix.Row(got, i))
			}
			k := batch.Kept
			if k[0].Floats[i] != float64(n) || k[1].Null(i) != (n%5 == 0) || k[1].Strings[i] != words.Strings[n] {
				t.Fatalf("row %d has the kept columns of another", n)
			}
		}
		return src.rows, run
	}
	want := func(what string, fetched, want int) {
		t.Helper()
		if fetched != want {
			t.Errorf("%s fetches %d rows, not %d", what, fetched, want)
		}
	}
	first, end := stream.RunOptions{Part: 1, Parts: 2}, stream.RunOptions{Finish: true}
	n, _ := fetch(x, end, rows)
	want("one that nobody comes after", n, sample+100)
	n, _ = fetch(x, stream.RunOptions{}, rows)
	want("one that shares nothing", n, 100)
	n, _ = fetch(x, first, rows)
	want("the first", n, sample+100)
	n, _ = fetch(x, stream.RunOptions{Part: 2, Parts: 2}, rows)
	want("the second", n, sample)
	n, _ = fetch(x, stream.RunOptions{Join: true}, rows)
	want("one that joins", n, sample)
	n, _ = fetch(y, first, rows)
	want("a machine with other rows", n, sample+100)
	n, _ = fetch(x, first, rows[1:])
	want("one that wants others", n, sample+99)
	if infos, err := stream.ListStates(shelf); err != nil || len(infos) > 0 {
		t.Errorf("states: %v, error %v", infos, err)
	}
	for name, data := range shelf.states {
		data[len(data)/2] ^= 1
		if !strings.HasSuffix(name, stream.RowsSuffix) {
			t.Errorf("a file %s", name)
		}
	}
	n, _ = fetch(x, first, rows)
	want("one that finds damaged rows", n, sample+100)
	n, run := fetch(x, end, rows)
	want("the end", n, sample)
	before := len(shelf.states)
	if err := run.Done(); err != nil || len(shelf.states) != before-1 {
		t.Errorf("%v are left, error %v", slices.Collect(maps.Keys(shelf.states)), err)
	}
	shelf.fail = func(string) error { return errors.New("no disk") }
	n, _ = fetch(x, first, rows)
	want("one without a store", n, sample+100)
}
