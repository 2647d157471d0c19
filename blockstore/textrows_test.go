package blockstore

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
	"github.com/nystream/nystream/stream"
	"gonum.org/v1/gonum/blas/blas64"
)

// sameBits compares numbers by their bits; any NaN is like any other. Rows are
// compared as a whole, which is much faster.
var sameBits = cmp.Options{
	cmp.Comparer(isSame),
	cmp.FilterValues(func(a, b []float64) bool { return len(a)+len(b) > 0 },
		cmp.Comparer(func(a, b []float64) bool { return slices.EqualFunc(a, b, isSame) })),
}

func isSame(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
}

// tempFile writes content to a new file of that name and returns its path.
func tempFile(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// computableColumns splits the columns of a table into numbers and text.
func computableColumns(tb table) (numbers, texts []int) {
	for i, c := range tb.about().columns {
		if c.kind == textColumn {
			texts = append(texts, i)
		} else {
			numbers = append(numbers, i)
		}
	}
	return numbers, texts
}

// newBatch makes a batch of n rows for src, with slack in the stride.
func newBatch(src stream.Source, n int) *stream.Batch {
	info := src.Info()
	d := len(info.Columns)
	b := &stream.Batch{X: blas64.General{Rows: n, Cols: d, Stride: d + 2, Data: make([]float64, (n+1)*(d+2))}}
	if d == 0 {
		b.X.Stride, b.X.Data = 1, nil // all that gonum asks for
	}
	for i := range b.X.Data {
		b.X.Data[i] = -77 // whatever was there before must not shine through
	}
	b.Kept = make([]stream.Column, len(info.Kept))
	return b
}

// slurp reads a source to its end, batch rows at a time.
func slurp(src stream.Source, batch int) (rows [][]float64, kept []stream.Column, err error) {
	r, err := src.Open(context.Background())
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	b := newBatch(src, batch)
	kept = make([]stream.Column, len(b.Kept))
	for {
		n, err := r.Read(b)
		if n < batch && err == nil {
			return rows, kept, errors.New("fewer rows than asked for, and no error")
		}
		for i := range n {
			rows = append(rows, append([]float64{}, rowOf(b.X, i)...))
			for k := range kept {
				copyValue(&kept[k], &b.Kept[k], i)
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

// copyValue appends value i of src to dst.
func copyValue(dst, src *stream.Column, i int) {
	dst.Kind = src.Kind
	if src.Null(i) {
		appendNull(dst)
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
	appendValid(dst)
}

// checkGather compares Gather of a few sets of rows with a sequential read.
func checkGather(t testing.TB, src stream.Source) {
	t.Helper()
	rows, kept, err := slurp(src, 7)
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
		b := newBatch(src, len(wanted))
		if err := src.(stream.Gatherer).Gather(context.Background(), wanted, b); err != nil {
			t.Fatal(err)
		}
		wantKept := make([]stream.Column, len(kept))
		for i, row := range wanted {
			if diff := cmp.Diff(rows[row], rowOf(b.X, i), sameBits, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("step %d, row %d (-read +gathered): %s", step, row, diff)
			}
			for k := range kept {
				copyValue(&wantKept[k], &kept[k], int(row))
			}
		}
		if len(wanted) == 0 {
			continue
		}
		if diff := cmp.Diff(wantKept, b.Kept, sameBits, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("step %d, kept (-read +gathered): %s", step, diff)
		}
	}
}

// choose returns a source of all number columns, and of all text as kept.
func chooseAll(t testing.TB, tb table) stream.Source {
	t.Helper()
	numbers, texts := computableColumns(tb)
	src, err := choose(tb, numbers, texts)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// wantError fails unless err holds all the words.
func wantError(t testing.TB, err error, words ...string) {
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

func TestTextFileThatShrinks(t *testing.T) {
	path := tempFile(t, "a.csv", "1,2\n3,4\n5,6\n")
	tb, err := openCSV(context.Background(), path, csvOptions{})
	if err != nil {
		t.Fatal(err)
	}
	src := chooseAll(t, tb)
	if err := os.WriteFile(path, []byte("1,2\n3,4\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	rows, _, err := slurp(src, 2)
	wantError(t, err, path, "row 2", "changed")
	if len(rows) != 2 {
		t.Errorf("%d rows, want 2", len(rows))
	}
}

func TestCancelledRead(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	tb, err := openCSV(context.Background(), tempFile(t, "a.csv", "1,2\n3,4\n"), csvOptions{})
	if err != nil {
		t.Fatal(err)
	}
	src := chooseAll(t, tb)
	r, err := src.Open(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if n, err := r.Read(newBatch(src, 2)); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("Read = %d, %v", n, err)
	}
}
