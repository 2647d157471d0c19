package conformance

import (
	"context"
	"io"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// Opening checks a source with a known number of rows. From every starting row it must yield the
// same rows as from the first, with and without its kept columns, and nothing after the last row.
// It must return an error for other starting rows.
func Opening(t fataler, src stream.Source, seed uint64) {
	t.Helper()
	info := src.Info()
	random := rand.New(rand.NewPCG(seed, 14))
	all := rowsFrom(t, src, 0, true, random)
	if int64(len(all.x)) != info.Rows {
		t.Fatalf("%s: %d rows from the first on, %d promised", info.Name, len(all.x), info.Rows)
	}
	firsts := []int64{0, 1, info.Rows / 2, info.Rows - 1, info.Rows}
	for range 12 {
		firsts = append(firsts, random.Int64N(info.Rows+1))
	}
	for _, first := range firsts {
		if first < 0 || first > info.Rows {
			continue
		}
		kept := random.IntN(2) == 0
		all.mustEnd(t, rowsFrom(t, src, first, kept, random), first, kept)
	}
	for _, first := range []int64{-1, info.Rows + 1, math.MaxInt64} {
		if r, err := src.Open(context.Background(), first); err == nil {
			r.Close()
			t.Fatalf("%s: it can be opened at row %d of %d", info.Name, first, info.Rows)
		}
	}
}

// table holds rows that were read.
type table struct {
	x    [][]float64
	kept []stream.Column
}

// rowsFrom reads the rows from first on, in reads of random size.
func rowsFrom(t fataler, src stream.Source, first int64, kept bool, random *rand.Rand) table {
	t.Helper()
	info := src.Info()
	r, err := src.Open(context.Background(), first)
	if err != nil {
		t.Fatalf("%s: opening at row %d: %v", info.Name, first, err)
	}
	defer r.Close()
	all := table{kept: emptyColumns(info.Kept)}
	for err == nil {
		b := &stream.Batch{X: matrix.New(1+random.IntN(3000), len(info.Columns))}
		if kept {
			b.Kept = emptyColumns(info.Kept)
		}
		var n int
		n, err = stream.ReadFull(r, b)
		for i := range n {
			all.x = append(all.x, b.X.Data[i*b.X.Cols:(i+1)*b.X.Cols])
		}
		for k := range b.Kept {
			all.kept[k].Append(&b.Kept[k], 0, n)
		}
	}
	if err != io.EOF {
		t.Fatalf("%s: after %d rows from row %d on: %v", info.Name, len(all.x), first, err)
	}
	return all
}

// emptyColumns returns empty columns of the kinds of fields.
func emptyColumns(fields []stream.Field) []stream.Column {
	columns := make([]stream.Column, len(fields))
	for k, f := range fields {
		columns[k].Kind = f.Kind
	}
	return columns
}

// mustEnd fails unless part equals the rows of all from first on.
func (all table) mustEnd(t fataler, part table, first int64, kept bool) {
	t.Helper()
	if len(part.x) != len(all.x)-int(first) {
		t.Fatalf("%d rows from row %d on, of %d", len(part.x), first, len(all.x))
	}
	for i, x := range part.x {
		if !slices.EqualFunc(all.x[int(first)+i], x, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }) {
			t.Fatalf("opened at row %d, row %d is %v, not %v", first, int(first)+i, x, all.x[int(first)+i])
		}
	}
	for k := range all.kept {
		if !kept {
			break
		}
		for i := range part.x {
			if !sameValue(&all.kept[k], int(first)+i, &part.kept[k], i) {
				t.Fatalf("opened at row %d, kept column %d of row %d differs", first, k, int(first)+i)
			}
		}
	}
}

// sameValue compares value i of a with value j of b.
func sameValue(a *stream.Column, i int, b *stream.Column, j int) bool {
	if a.Null(i) || b.Null(j) {
		return a.Null(i) == b.Null(j)
	}
	switch a.Kind {
	case stream.Float64:
		return math.Float64bits(a.Floats[i]) == math.Float64bits(b.Floats[j])
	case stream.Int64:
		return a.Ints[i] == b.Ints[j]
	default:
		return a.Strings[i] == b.Strings[j]
	}
}
