package blockstore

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/logical"
)

// Statistics of Parquet footers, joined over several files, give nulls and bounds of integers and dates.
func TestStatisticsOfParquetFooters(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fields := []stream.Field{stream.FieldOf("day", logical.Type{Class: logical.Date}), stream.FieldOf("big", logical.Type{Class: logical.Uint, Bits: 64}),
		stream.FieldOf("n", logical.Int64), stream.FieldOf("f", logical.Float64), stream.FieldOf("none", logical.Int64)}
	write := func(name string, day, big, n []int64, valid []bool) string {
		path := filepath.Join(dir, name)
		b := &stream.Batch{X: matrix.New(len(n), 0), Kept: stream.Info{Kept: fields}.NewKept()}
		for k, values := range [][]int64{day, big, n, nil, n} {
			b.Kept[k].Ints, b.Kept[k].Valid = values, valid
		}
		b.Kept[3].Floats, b.Kept[3].Ints, b.Kept[4].Valid = make([]float64, len(n)), nil, make([]bool, len(n))
		writeMoments(t, path, fields, b)
		return path
	}
	a := write("a.parquet", []int64{19000, -3, 7}, []int64{-1, 5, 9}, []int64{-1 << 62, 1 << 62, 9007199254740993}, []bool{true, true, false})
	b := write("b.parquet", []int64{-70000}, []int64{0}, []int64{3}, nil)
	bounds := func(paths ...string) map[int]ColumnStatistics {
		files, err := OpenFiles(t.Context(), paths, Options{})
		if err != nil {
			t.Fatal(err)
		}
		found, err := files.Statistics(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	both := bounds(a, b)
	for k, want := range map[int][]string{0: {"1778-05-07", "2022-01-08"}, 1: {"0", "18446744073709551615"}, 2: {"-4611686018427387904", "4611686018427387904"}, 4: nil} {
		s, ok := both[k]
		var texts []string
		for i := range s.Bounds.Len() {
			texts = append(texts, ValueText(&s.Bounds, i))
		}
		for _, w := range want {
			ok = ok && slices.Contains(texts, w)
		}
		if nulls := map[int]int64{0: 1, 1: 1, 2: 1, 4: 4}[k]; !ok || s.Nulls != nulls || want == nil && len(texts) > 0 {
			t.Errorf("column %d: %v, %d nulls", k, texts, s.Nulls)
		}
	}
	if _, ok := both[3]; ok {
		t.Error("a footer does not say which floats are NaN")
	}
	copyAs(t, b, filepath.Join(dir, "c.csv"), Options{Carry: CarryAll, NoNumbers: true})
	if found := bounds(a, filepath.Join(dir, "c.csv")); found != nil {
		t.Error(found)
	}
}
