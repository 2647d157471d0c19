package blockstore

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v16/arrow/array"
	"github.com/apache/arrow/go/v16/arrow/ipc"
	"github.com/google/go-cmp/cmp"
	"github.com/nystream/nystream/stream"
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

// The library reads our Arrow files too.
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
