package blockstore

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/stream"
)

// Dates, timestamps and times of Parquet files, and lists of them, are left out unless they are named.
func TestMomentsAreFeaturesOnlyIfNamed(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "a.parquet")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	schema := parquet.NewSchema("rows", parquet.Group{
		"b_date": parquet.Date(), "c_stamp": parquet.Timestamp(parquet.Microsecond), "d_milli": parquet.Time(parquet.Millisecond),
		"e_micro": parquet.Optional(parquet.Time(parquet.Microsecond)), "f_list": parquet.Repeated(parquet.Time(parquet.Microsecond)),
		"a_number": parquet.Leaf(parquet.DoubleType),
	})
	w := parquet.NewWriter(file, schema)
	row := parquet.Row{parquet.DoubleValue(.5).Level(0, 0, 0), parquet.Int32Value(20000).Level(0, 0, 1), parquet.Int64Value(17).Level(0, 0, 2),
		parquet.Int32Value(3600e3).Level(0, 0, 3), parquet.Int64Value(7200e6).Level(0, 1, 4), parquet.Int64Value(1).Level(0, 1, 5), parquet.Int64Value(2).Level(1, 1, 5)}
	if _, err := w.WriteRows([]parquet.Row{row}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	src, err := Open(ctx, []string{path}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a_number"}, src.Info().Columns); diff != "" {
		t.Error(diff)
	}
	want := "[{b_date date} {c_stamp timestamp} {d_milli time} {e_micro time} {f_list.0 time} {f_list.1 time}]"
	if got := fmt.Sprint(src.LeftOut()); got != want {
		t.Errorf("left out: %s, want %s", got, want)
	}
	src, err = Open(ctx, []string{path}, Options{Columns: []string{"e_micro", "f_list", "d_milli"}})
	if err != nil {
		t.Fatal(err)
	}
	x, err := stream.ReadAll(ctx, src)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float64{7200, 1, 2, 3600}, x.Data, filetest.SameBits); diff != "" {
		t.Error(diff)
	}
	if got := strings.Join(src.Info().Columns, " "); got != "e_micro f_list.0 f_list.1 d_milli" {
		t.Error(got)
	}
}
