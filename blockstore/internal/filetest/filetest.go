// Package filetest holds helpers for the tests of blockstore and its internal packages: test files,
// readers of whole sources, bitwise comparisons, and checks that every format must pass.
package filetest

import (
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore/internal/column"
	"github.com/nystream/nystream/internal/conformance"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// CheckPromise fails if a table yields another number of rows than promised without an error, or if
// gathered rows differ.
func CheckPromise(t *testing.T, tb column.Table) {
	t.Helper()
	numbers, texts := ComputableColumns(tb)
	src, err := column.ChooseInexact(tb, numbers, texts, column.InexactRound)
	if err != nil {
		t.Fatal(err)
	}
	rows, _, err := Slurp(src, 3)
	if err != nil {
		return
	}
	if int64(len(rows)) != tb.About().Rows {
		t.Fatalf("%d rows, promised %d", len(rows), tb.About().Rows)
	}
	CheckGather(t, src)
}

// Features selects the features of a libsvm file as numbers and keeps its label. For other formats
// see ChooseAll.
func Features(t testing.TB, tb column.Table) stream.Source {
	t.Helper()
	d := tb.About().NotByDefault[0]
	numeric := make([]int, d)
	for j := range numeric {
		numeric[j] = j
	}
	src, err := column.Choose(tb, numeric, []int{d})
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// FileIn writes a file in dir, creating folders as needed, and returns its path.
func FileIn(t testing.TB, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// SameBits compares numbers bitwise, with all NaNs equal. Rows are compared as a whole, which is
// much faster.
var SameBits = cmp.Options{
	cmp.Comparer(isSame),
	cmp.FilterValues(func(a, b []float64) bool { return len(a)+len(b) > 0 },
		cmp.Comparer(SameRow)),
}

// SameRow compares numbers bitwise, with all NaNs equal. It is far cheaper than cmp.
func SameRow(a, b []float64) bool { return slices.EqualFunc(a, b, isSame) }

// isSame reports whether two numbers have the same bits, or are both NaN.
func isSame(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
}

// TempFile writes content to a new file with the given name and returns its path.
func TempFile(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// ComputableColumns splits the columns of a table into numbers and text.
func ComputableColumns(tb column.Table) (numbers, texts []int) {
	for i, c := range tb.About().Columns {
		if c.Kind == column.Text {
			texts = append(texts, i)
		} else if c.Kind.Computable() {
			numbers = append(numbers, i)
		}
	}
	return numbers, texts
}

// NewBatch returns a batch of n rows for src, with padding between rows.
func NewBatch(src stream.Source, n int) *stream.Batch {
	info := src.Info()
	d := len(info.Columns)
	b := &stream.Batch{X: blas64.General{Rows: n, Cols: d, Stride: d + 2, Data: make([]float64, (n+1)*(d+2))}}
	if d == 0 {
		b.X.Stride, b.X.Data = 1, nil // the minimum that gonum requires
	}
	for i := range b.X.Data {
		b.X.Data[i] = -77 // old contents must not show
	}
	b.Kept = make([]stream.Column, len(info.Kept))
	return b
}

// Slurp reads all of a source, batch rows at a time.
func Slurp(src stream.Source, batch int) (rows [][]float64, kept []stream.Column, err error) {
	r, err := src.Open(context.Background(), 0)
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	b := NewBatch(src, batch)
	kept = make([]stream.Column, len(b.Kept))
	for {
		n, err := r.Read(b)
		if n < batch && err == nil {
			return rows, kept, errors.New("fewer rows than asked for, and no error")
		}
		for i := range n {
			rows = append(rows, append([]float64{}, matrix.Row(b.X, i)...))
			for k := range kept {
				CopyValue(&kept[k], &b.Kept[k], i)
			}
		}
		if err == io.EOF {
			return rows, kept, nil
		}
		if err != nil {
			return rows, kept, err
		}
	}
}

// CopyValue appends value i of src to dst.
func CopyValue(dst, src *stream.Column, i int) {
	dst.Kind = src.Kind
	if src.Null(i) {
		column.AppendNull(dst)
		return
	}
	switch src.Kind {
	case stream.Float64:
		dst.Floats = append(dst.Floats, src.Floats[i])
	case stream.Int64:
		dst.Ints = append(dst.Ints, src.Ints[i])
	case stream.String:
		dst.Strings = append(dst.Strings, src.Strings[i])
	}
	column.AppendValid(dst)
}

// CheckGather compares gathered rows, and reads that begin in the middle, with a sequential read.
func CheckGather(t testing.TB, src stream.Source) {
	t.Helper()
	conformance.Opening(t, src, 1)
	rows, kept, err := Slurp(src, 7)
	if err != nil {
		t.Fatal(err)
	}
	n := int64(len(rows))
	if n != src.Info().Rows {
		t.Fatalf("%d rows read, %d promised", n, src.Info().Rows)
	}
	for _, step := range []int64{1, 2, 3, 7, 1000, 1023, 1024, 1025, 4096} {
		var wanted []int64
		for row := step / 2; row < n; row += step {
			wanted = append(wanted, row)
			if row+1 < n && step > 2 {
				wanted = append(wanted, row+1) // a run of two
			}
		}
		b := NewBatch(src, len(wanted))
		if err := src.(stream.Gatherer).Gather(context.Background(), wanted, b); err != nil {
			t.Fatal(err)
		}
		wantKept := make([]stream.Column, len(kept))
		for i, row := range wanted {
			if got := matrix.Row(b.X, i); !SameRow(rows[row], got) {
				t.Fatalf("step %d, row %d: %v was read, %v gathered", step, row, rows[row], got)
			}
			for k := range kept {
				CopyValue(&wantKept[k], &kept[k], int(row))
			}
		}
		if len(wanted) == 0 {
			continue
		}
		if !sameColumns(wantKept, b.Kept) {
			t.Fatalf("step %d, kept (-read +gathered): %s", step, cmp.Diff(wantKept, b.Kept, SameBits, cmpopts.EquateEmpty()))
		}
	}
}

// ChooseAll returns a source of all number columns, and of all text as kept.
func ChooseAll(t testing.TB, tb column.Table) stream.Source {
	t.Helper()
	numbers, texts := ComputableColumns(tb)
	src, err := column.Choose(tb, numbers, texts)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// WantError fails unless the message of err contains all the words.
func WantError(t testing.TB, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, wanted one with %q", words)
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("error %q does not say %q", err, word)
		}
	}
}
