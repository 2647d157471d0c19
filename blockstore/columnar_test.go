package blockstore

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nystream/nystream/stream"
	"golang.org/x/sync/errgroup"
)

// What our writers write comes back, and other readers agree.
func TestColumnarWritersRoundTrip(t *testing.T) {
	t.Parallel()
	const n, d = 3000, 3
	schema := Schema{Columns: []string{"z", "a", "m"}, Rows: n, Kept: []stream.Field{{Name: "s", Kind: stream.String}, {Name: "i", Kind: stream.Int64}, {Name: "f", Kind: stream.Float64}}}
	rows := make([][]float64, n)
	kept := []stream.Column{{Kind: stream.String}, {Kind: stream.Int64}, {Kind: stream.Float64}}
	for i := range rows {
		rows[i] = []float64{float64(i), math.Sin(float64(i)), []float64{math.NaN(), math.Inf(1), math.Copysign(0, -1), 5e-324}[i%4]}
		if isNull(i) {
			for k := range kept {
				appendNull(&kept[k])
			}
			continue
		}
		kept[0].Strings = append(kept[0].Strings, testText(i))
		kept[1].Ints = append(kept[1].Ints, math.MaxInt64-int64(i))
		kept[2].Floats = append(kept[2].Floats, float64(i)/3)
		for k := range kept {
			appendValid(&kept[k])
		}
	}
	for extension, open := range map[string]func(string) (table, error){".parquet": openParquet, ".arrow": openArrow, ".feather": openArrow} {
		path := filepath.Join(t.TempDir(), "a"+extension)
		if err := writeRows(path, schema, rows, kept, 700); err != nil {
			t.Fatal(err)
		}
		tb, err := open(path)
		if err != nil {
			t.Fatal(err)
		}
		src, err := choose(tb, []int{0, 1, 2}, []int{3, 4, 5})
		if err != nil {
			t.Fatal(err)
		}
		gotRows, gotKept, err := slurp(src, 999)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(rows, gotRows, sameBits); diff != "" {
			t.Errorf("%s: %s", extension, diff)
		}
		if diff := cmp.Diff(kept, gotKept, sameBits); diff != "" {
			t.Errorf("%s: %s", extension, diff)
		}
		if diff := cmp.Diff(schema.Columns, src.Info().Columns); diff != "" {
			t.Errorf("%s: %s", extension, diff)
		}
		checkGather(t, src)
	}
}

func TestColumnarWritersWithoutRows(t *testing.T) {
	for extension, open := range map[string]func(string) (table, error){".parquet": openParquet, ".arrow": openArrow} {
		path := filepath.Join(t.TempDir(), "a"+extension)
		if err := writeRows(path, Schema{Columns: []string{"a", "b"}, Rows: 0}, nil, nil, 10); err != nil {
			t.Fatal(err)
		}
		tb, err := open(path)
		if err != nil {
			t.Fatal(err)
		}
		rows, _, err := slurp(chooseAll(t, tb), 10)
		if err != nil || len(rows) != 0 || len(tb.about().columns) != 2 {
			t.Errorf("%s: %d rows, %v, %v", extension, len(rows), tb.about().columns, err)
		}
	}
	_, err := Create(filepath.Join(t.TempDir(), "a.parquet"), Schema{Columns: []string{"a", "a"}})
	wantError(t, err, `"a"`, "rename")
	for _, extension := range []string{".parquet", ".arrow"} {
		path := filepath.Join(t.TempDir(), "a"+extension)
		_, err = Create(path, Schema{})
		wantError(t, err, path, "no columns")
		err = writeRows(path, Schema{Columns: []string{"a"}, Rows: 3}, [][]float64{{1}, {2}}, nil, 2)
		wantError(t, err, path, "2 rows came, 3 were announced")
		if _, err := os.Stat(path); err == nil {
			t.Errorf("there is a file %s", path)
		}
	}
}

// Passes and gatherings of one source do not disturb each other, and leave no
// goroutine behind.
func TestColumnarConcurrency(t *testing.T) {
	dir := t.TempDir()
	parquetPath, arrowPath := filepath.Join(dir, "a.parquet"), filepath.Join(dir, "a.arrow")
	if err := os.WriteFile(parquetPath, smallParquet(t, 1200), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(arrowPath, smallArrow(t, 1200, true), 0o666); err != nil {
		t.Fatal(err)
	}
	before := runtime.NumGoroutine()
	for path, open := range map[string]func(string) (table, error){parquetPath: openParquet, arrowPath: openArrow} {
		tb, err := open(path)
		if err != nil {
			t.Fatal(err)
		}
		src, err := readable(tb)
		if err != nil {
			t.Fatal(err)
		}
		want, _, err := slurp(src, 100)
		if err != nil {
			t.Fatal(err)
		}
		var g errgroup.Group
		for k := range 4 {
			g.Go(func() error {
				got, _, err := slurp(src, 50+k)
				if err == nil && !cmp.Equal(got, want, sameBits) {
					err = fmt.Errorf("pass %d differs", k)
				}
				return err
			})
			g.Go(func() error {
				b := newBatch(src, 3)
				err := src.(stream.Gatherer).Gather(t.Context(), []int64{int64(k), 600, 1199}, b)
				if err == nil && !cmp.Equal(rowOf(b.X, 1), want[600], sameBits) {
					err = fmt.Errorf("row 600 differs")
				}
				return err
			})
		}
		if err := g.Wait(); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	for range 100 { // those that are just ending
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines before, %d after", before, runtime.NumGoroutine())
}
