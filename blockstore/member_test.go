package blockstore

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// writeIDs writes integers as a kept column, beside a column x of the same numbers.
func writeIDs(t *testing.T, path string, ids []int64) {
	t.Helper()
	n := len(ids)
	w, err := Create(path, Schema{Columns: []string{"x"}, Kept: []stream.Field{{Name: "id", Kind: stream.Int64}}, Rows: int64(n)})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	b := &stream.Batch{X: matrix.New(n, 1), Kept: []stream.Column{{Kind: stream.Int64, Ints: ids}}}
	for i := range n {
		b.X.Data[i] = float64(i)
	}
	if err := w.Write(b, n); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
}

// Integers are kept as floats if another file has floats in the column. One that float64 cannot represent is an error
// with its row, unless rounding is allowed.
func TestIntegersKeptAsFloats(t *testing.T) {
	const inexact = 1<<53 + 1
	for _, format := range []string{"parquet", "arrow", "nys", "csv", "jsonl"} {
		folder := t.TempDir()
		path := filepath.Join(folder, "a."+format)
		floats := filetest.FileIn(t, folder, "b.csv", "id,x\n0.5,7\n")
		open := func(ids []int64, inexact Inexact) (stream.Source, error) {
			writeIDs(t, path, ids)
			return Open(context.Background(), []string{path, floats}, Options{Columns: []string{"x"}, Keep: []string{"id"}, Inexact: inexact})
		}
		for _, test := range []struct {
			ids     []int64
			inexact Inexact
			want    []float64
		}{
			{[]int64{3, -4, 1 << 60}, InexactRefuse, []float64{3, -4, 1 << 60, 0.5}},
			{[]int64{3, inexact, 5}, InexactRound, []float64{3, 1 << 53, 5, 0.5}},
			{[]int64{3, inexact, 5}, InexactRefuse, nil},
		} {
			src, err := open(test.ids, test.inexact)
			if err != nil {
				t.Fatal(format, err)
			}
			all, err := filetest.ReadAll(src, 3)
			if test.want == nil {
				filetest.WantError(t, err, path, "row 1", `"id"`, "9007199254740993", "Inexact round")
			} else if err != nil || !cmp.Equal(test.want, all.Kept[0].Floats) {
				t.Errorf("%s: %v, %v", format, all, err)
			}
		}
	}
}
