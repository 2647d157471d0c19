package text

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/blockstore/internal/filetest"
	"github.com/nystream/nystream/stream"
)

func TestLibsvmKnownAnswers(t *testing.T) {
	negativeZero := math.Copysign(0, -1)
	tests := []struct {
		name, text string
		rows       [][]float64
		label      stream.Column
	}{
		{"plain", "+1 1:0.5 3:2\n-1 2:1e-3\n", [][]float64{{0.5, 0, 2}, {0, 1e-3, 0}}, stream.Column{Kind: stream.Int64, Ints: []int64{1, -1}}},
		{"comments, blanks and CRLF", "# head\n\n1 1:1 # 5:5\r\n  2\t1:2  2:3  \r\n#", [][]float64{{1, 0}, {2, 3}}, stream.Column{Kind: stream.Int64, Ints: []int64{1, 2}}},
		{"byte order mark", "\ufeff1 1:1\n", [][]float64{{1}}, stream.Column{Kind: stream.Int64, Ints: []int64{1}}},
		{"queries", "0.5 qid:3 1:1\n2 qid:4 2:1\n", [][]float64{{1, 0}, {0, 1}}, stream.Column{Kind: stream.Float64, Floats: []float64{0.5, 2}}},
		{"several labels, or none", "1,3 1:1\n 2:1\n2 1:-0", [][]float64{{1, 0}, {0, 1}, {negativeZero, 0}}, stream.Column{Kind: stream.String, Strings: []string{"1,3", "", "2"}, Valid: []bool{true, false, true}}},
		{"a row of zeros", "1\n1 1:nan\n", [][]float64{{0}, {math.NaN()}}, stream.Column{Kind: stream.Int64, Ints: []int64{1, 1}}},
		{"indices from zero", "1 0:0.5 2:2\n2 1:3\n", [][]float64{{0.5, 0, 2}, {0, 3, 0}}, stream.Column{Kind: stream.Int64, Ints: []int64{1, 2}}},
		{"index zero in a later row", "1 1:3\n2 0:7 2:1\n", [][]float64{{0, 3, 0}, {7, 0, 1}}, stream.Column{Kind: stream.Int64, Ints: []int64{1, 2}}},
		{"index zero alone", "1 0:0\n", [][]float64{{0}}, stream.Column{Kind: stream.Int64, Ints: []int64{1}}},
		{"labels only", "1\n2\n", [][]float64{{}, {}}, stream.Column{Kind: stream.Int64, Ints: []int64{1, 2}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tb, err := openLibsvm(context.Background(), filetest.TempFile(t, "a.svm", test.text), 0)
			if err != nil {
				t.Fatal(err)
			}
			src := filetest.Features(t, tb)
			rows, kept, err := filetest.Slurp(src, 2)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.rows, rows, filetest.SameBits, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(test.label, kept[0], filetest.SameBits, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
			filetest.CheckGather(t, src)
			filetest.CheckSlots(t, tb)
		})
	}
}

func TestLibsvmChoice(t *testing.T) {
	tb, err := openLibsvm(context.Background(), filetest.TempFile(t, "a.svm", "7 1:1 2:2 3:3\n8 2:5\n"), 0)
	if err != nil {
		t.Fatal(err)
	}
	src, err := column.Choose(tb, []int{2, 3, 0, 2}, []int{1, 3})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"x2", "label", "x0", "x2"}, src.Info().Columns); diff != "" {
		t.Error(diff)
	}
	rows, kept, err := filetest.Slurp(src, 1)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]float64{{3, 7, 1, 3}, {0, 8, 0, 0}}, rows); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]float64{2, 5}, kept[0].Floats); diff != "" {
		t.Error(diff)
	}
}

func TestLibsvmRefuses(t *testing.T) {
	tests := []struct {
		name, text string
		words      []string
	}{
		{"empty", "", []string{"no rows"}},
		{"comments only", "# a\n", []string{"no rows"}},
		{"negative index", "1 -1:1\n", []string{"negative"}},
		{"zero after another index", "1 1:1 0:1\n", []string{"ascend", "1"}},
		{"zero twice", "1 0:1 0:1\n", []string{"ascend", "0"}},
		{"too wide from zero", "1 0:1 1000000:1\n", []string{"1000000"}},
		{"descending", "1 3:1 2:1\n", []string{"line 1", "ascend", "3"}},
		{"twice", "1 3:1 3:1\n", []string{"ascend"}},
		{"too wide", "1 1000001:1\n", []string{"1000000"}},
		{"huge index", "1 99999999999999999999:1\n", []string{"range"}},
		{"no pair", "1 2 3\n", []string{`"2"`, "index:value"}},
		{"no value", "1 1:\n", []string{"feature 1", "not a number"}},
		{"two colons", "1 1:2:3\n", []string{"not a number"}},
		{"hexadecimal", "1 1:0x1p3\n", []string{"not a number"}},
		{"no index", "1 :3\n", []string{"feature index"}},
		{"binary", "1 1:1\n\x00", []string{"binary"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := filetest.TempFile(t, "a.svm", test.text)
			_, err := openLibsvm(context.Background(), path, 0)
			filetest.WantError(t, err, append(test.words, path)...)
		})
	}
}

func TestLibsvmGather(t *testing.T) {
	var text strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&text, "%d %d:%d 11:1\n", i%3, i%10+1, i)
	}
	tb, err := openLibsvm(context.Background(), filetest.TempFile(t, "a.svm", text.String()), 0)
	if err != nil {
		t.Fatal(err)
	}
	filetest.CheckGather(t, filetest.Features(t, tb))
}

func TestLibsvmRealFiles(t *testing.T) {
	tests := []struct {
		file     string
		rows     int64
		features int
	}{{"a9a", 32561, 123}, {"satimage.scale", 4435, 36}}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			path := filetest.RealData(t, test.file)
			tb, err := openLibsvm(context.Background(), path, 0)
			if err != nil {
				t.Fatal(err)
			}
			if tb.About().Rows != test.rows || len(tb.About().Columns) != test.features+1 {
				t.Errorf("%d rows of %d features, want %v", tb.About().Rows, len(tb.About().Columns)-1, test)
			}
		})
	}
}

func FuzzLibsvm(f *testing.F) {
	for _, seed := range []string{"1 1:1 3:2\n-1 2:4\n", "1,2 1:1\n 1:2\n", "0.5 qid:1 1:nan # c\n", "1\n2\n", "1 0:1\n", "1 1:1\n1 0:1 5:2\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tb, err := openLibsvm(context.Background(), filetest.TempFile(t, "a.svm", text), 0)
		if err != nil || len(tb.About().Columns) > 1000 {
			return
		}
		src := filetest.Features(t, tb)
		rows, _, err := filetest.Slurp(src, 3)
		if err == nil && int64(len(rows)) != tb.About().Rows {
			t.Fatalf("%d rows, promised %d", len(rows), tb.About().Rows)
		}
		if err == nil {
			filetest.CheckGather(t, src)
		}
	})
}
