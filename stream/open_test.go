package stream_test

import (
	"context"
	"iter"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"pgregory.net/rapid"

	"github.com/nystream/nystream/internal/conformance"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// Every source of the package gives from any row on what it gives from the first.
func TestOpening(t *testing.T) {
	ctx := context.Background()
	x := randomMatrix(3, 5000, 3)
	holes := randomMatrix(4, 5000, 3)
	for i := range holes.Rows {
		if i%11 == 3 || i > 2000 && i < 3100 || i > 4990 {
			matrix.Row(holes, i)[i%3] = math.NaN()
		}
	}
	pieces := func() iter.Seq2[blas64.General, error] {
		return func(yield func(blas64.General, error) bool) {
			for first := 0; first < x.Rows; first += 700 {
				if !yield(matrix.Rows(x, first, min(700, x.Rows-first)), nil) {
					return
				}
			}
		}
	}
	columns := stream.NumberedColumns(3)
	sources := []stream.Source{
		stream.FromMatrix("matrix", x),
		stream.FromMatrix("no rows", matrix.New(0, 3)),
		stream.FromSeq(stream.Info{Name: "sequence", Columns: columns, Rows: 5000}, pieces),
		stream.NewRowNumbers("numbers", 5000),
		sparse(t).Source("csr", nil),
		stream.NewCounted(newTable("counted", x).keep()),
		newTable("table", x).keep(),
	}
	loaded, err := stream.Load(ctx, newTable("loaded", x), 0)
	if err != nil {
		t.Fatal(err)
	}
	sources = append(sources, loaded)
	for _, nulls := range []stream.Nulls{stream.NullsDrop, stream.NullsZero, stream.NullsMean} {
		for _, block := range []int{1, 100, 4096} {
			for _, raw := range []stream.Source{newTable("prepared", holes).keep(), sequential{newTable("skimmed", holes).keep()}} {
				p, err := stream.Prepare(ctx, stream.Engine{BlockRows: block}, raw,
					stream.Treatment{Nulls: nulls, Scale: stream.ScaleStandard})
				if err != nil {
					t.Fatal(err)
				}
				sources = append(sources, p)
			}
		}
	}
	for _, raw := range []stream.Source{newTable("selected", x).keep(), sequential{newTable("skimmed", x).keep()}, stream.NewRowNumbers("numbers", 5000)} {
		sources = append(sources, stream.NewSelected(raw, everyThird(5000)), stream.NewSelected(raw, nil), stream.NewSelected(raw, []int64{0, 4999}))
	}
	for i, src := range sources {
		conformance.Opening(t, src, uint64(i))
	}
}

// everyThird returns about a third of the numbers up to n, in runs and gaps.
func everyThird(n int64) (rows []int64) {
	for i := range n {
		if i%3 == 1 && i < 2000 || i > 3000 && i%64 < 20 {
			rows = append(rows, i)
		}
	}
	return rows
}

// TestSelected: the rows are those asked for, in passes and by number, and a file that
// ends early is told.
func TestSelected(t *testing.T) {
	x := randomMatrix(3, 5000, 3)
	rows := everyThird(5000)
	s := stream.NewSelected(newTable("table", x).keep(), rows)
	got, _ := readAll(t, s)
	gathered, err := stream.GatherRows(context.Background(), s, []int64{0, 5, 900})
	if err != nil || len(got) != len(rows) {
		t.Fatalf("%d rows of %d, %v", len(got), len(rows), err)
	}
	for i, r := range rows {
		if got[i][0] != matrix.Row(x, int(r))[0] {
			t.Fatalf("row %d is not row %d", i, r)
		}
	}
	for i, r := range []int64{0, 5, 900} {
		if matrix.Row(gathered, i)[1] != matrix.Row(x, int(rows[r]))[1] {
			t.Errorf("row %d was not gathered", r)
		}
	}
	short := newTable("short", matrix.Rows(x, 0, 4000))
	short.info.Rows = 5000
	if _, _, err := tryReadAll(stream.NewSelected(short, rows)); err == nil {
		t.Error("rows that are gone were read")
	}
}

// sparse returns a sparse matrix of 900 rows.
func sparse(t *testing.T) *stream.CSR {
	random := rand.New(rand.NewPCG(8, 8))
	c := &stream.CSR{Rows: 900, Cols: 40, Start: make([]int64, 901)}
	for i := range c.Rows {
		for j := range c.Cols {
			if random.IntN(10) == 0 {
				c.Index, c.Value = append(c.Index, int32(j)), append(c.Value, random.NormFloat64())
			}
		}
		c.Start[i+1] = int64(len(c.Index))
	}
	return c
}

// A source that can be read only once begins at its first row.
func TestOpeningOnce(t *testing.T) {
	once := newTable("pipe", randomMatrix(1, 10, 2))
	once.info.Once = true
	if _, err := once.Open(context.Background(), 1); err == nil {
		t.Error("it was opened in the middle")
	}
}

// Rows that are left out in the middle of a block of raw rows are found whatever the
// blocks are.
func TestOpeningAfterDroppedRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := randomMatrix(6, rapid.IntRange(1, 60).Draw(t, "rows"), 2)
		for i := range x.Rows {
			if rapid.IntRange(0, 2).Draw(t, "null") == 0 {
				matrix.Row(x, i)[0] = math.Inf(1)
			}
		}
		raw := newTable("x", x).keep()
		raw.step = odd(rapid.Uint64().Draw(t, "steps"))
		p, err := stream.Prepare(context.Background(), stream.Engine{BlockRows: rapid.IntRange(1, 20).Draw(t,
			"block")}, raw, stream.Treatment{Nulls: stream.NullsDrop})
		if err != nil {
			t.Fatal(err)
		}
		conformance.Opening(t, p, rapid.Uint64().Draw(t, "seed"))
	})
}
