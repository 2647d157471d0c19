package blockstore

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v16/arrow/array"
	"github.com/apache/arrow/go/v16/arrow/ipc"
	"github.com/google/go-cmp/cmp"

	"github.com/nystream/nystream/blockstore/internal/arrow"
	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/blockstore/internal/parquet"
	"github.com/nystream/nystream/stream"
)

// Columnar files hold the rows that were written, for our readers and for independent ones.
func TestColumnarWritersRoundTrip(t *testing.T) {
	t.Parallel()
	const n, d = 3000, 3
	schema := Schema{Columns: []string{"z", "a", "m"}, Rows: n, Kept: []stream.Field{{Name: "s", Kind: stream.String}, {Name: "i", Kind: stream.Int64}, {Name: "f", Kind: stream.Float64}}}
	rows := make([][]float64, n)
	kept := []stream.Column{{Kind: stream.String}, {Kind: stream.Int64}, {Kind: stream.Float64}}
	for i := range rows {
		rows[i] = []float64{float64(i), math.Sin(float64(i)), []float64{math.NaN(), math.Inf(1), math.Copysign(0, -1), 5e-324}[i%4]}
		if filetest.IsNull(i) {
			for k := range kept {
				column.AppendNull(&kept[k])
			}
			continue
		}
		kept[0].Strings = append(kept[0].Strings, filetest.Text(i))
		kept[1].Ints = append(kept[1].Ints, math.MaxInt64-int64(i))
		kept[2].Floats = append(kept[2].Floats, float64(i)/3)
		for k := range kept {
			column.AppendValid(&kept[k])
		}
	}
	for extension, open := range map[string]filetest.Opener{".parquet": parquet.Open, ".arrow": arrow.Open, ".feather": arrow.Open} {
		path := filepath.Join(t.TempDir(), "a"+extension)
		if err := writeRows(path, schema, rows, kept, 700); err != nil {
			t.Fatal(err)
		}
		tb, err := open(context.Background(), nil, path)
		if err != nil {
			t.Fatal(err)
		}
		src, err := column.Choose(tb, []int{0, 1, 2}, []int{3, 4, 5})
		if err != nil {
			t.Fatal(err)
		}
		gotRows, gotKept, err := filetest.Slurp(src, 999)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(rows, gotRows, filetest.SameBits); diff != "" {
			t.Errorf("%s: %s", extension, diff)
		}
		if diff := cmp.Diff(kept, gotKept, filetest.SameBits); diff != "" {
			t.Errorf("%s: %s", extension, diff)
		}
		if diff := cmp.Diff(schema.Columns, src.Info().Columns); diff != "" {
			t.Errorf("%s: %s", extension, diff)
		}
		filetest.CheckGather(t, src)
	}
}

// A file without rows keeps its columns.
func TestColumnarWritersWithoutRows(t *testing.T) {
	for extension, open := range map[string]filetest.Opener{".parquet": parquet.Open, ".arrow": arrow.Open} {
		path := filepath.Join(t.TempDir(), "a"+extension)
		if err := writeRows(path, Schema{Columns: []string{"a", "b"}, Rows: 0}, nil, nil, 10); err != nil {
			t.Fatal(err)
		}
		tb, err := open(context.Background(), nil, path)
		if err != nil {
			t.Fatal(err)
		}
		rows, _, err := filetest.Slurp(filetest.ChooseAll(t, tb), 10)
		if err != nil || len(rows) != 0 || len(tb.About().Columns) != 2 {
			t.Errorf("%s: %d rows, %v, %v", extension, len(rows), tb.About().Columns, err)
		}
	}
	_, err := Create(filepath.Join(t.TempDir(), "a.parquet"), Schema{Columns: []string{"a", "a"}})
	filetest.WantError(t, err, `"a"`, "rename")
	for _, extension := range []string{".parquet", ".arrow"} {
		path := filepath.Join(t.TempDir(), "a"+extension)
		_, err = Create(path, Schema{})
		filetest.WantError(t, err, path, "no columns")
		err = writeRows(path, Schema{Columns: []string{"a"}, Rows: 3}, [][]float64{{1}, {2}}, nil, 2)
		filetest.WantError(t, err, path, "2 rows came, 3 were announced")
		if _, err := os.Stat(path); err == nil {
			t.Errorf("there is a file %s", path)
		}
	}
}

// Arrow's own library reads our files.
func TestArrowWriterForOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.arrow")
	rows := make([][]float64, 100)
	for i := range rows {
		rows[i] = []float64{float64(i)}
	}
	if err := writeRows(path, Schema{Columns: []string{"a"}, Rows: 100}, rows, nil, 30); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r, err := ipc.NewFileReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	n := 0
	for k := range r.NumRecords() {
		record, err := r.Record(k)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range record.Column(0).(*array.Float64).Float64Values() {
			if v != float64(n) {
				t.Fatalf("row %d is %v", n, v)
			}
			n++
		}
	}
	if n != 100 || !strings.HasPrefix(r.Schema().Field(0).Name, "a") {
		t.Errorf("%d rows", n)
	}
}
