package stream_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// numberedColumns returns columns of the numbers of n rows, as integers and as strings with some
// nulls.
func numberedColumns(n int) (numbers, words stream.Column) {
	words.Kind = stream.String
	for i := range n {
		numbers.Floats = append(numbers.Floats, float64(i))
		words.Strings = append(words.Strings, fmt.Sprint(i))
		words.Valid = append(words.Valid, i%5 > 0)
	}
	return numbers, words
}

// Columns in memory stay aligned with their rows when rows are dropped, read in blocks and
// gathered.
func TestBesideKeepsColumnsAligned(t *testing.T) {
	const n = 50
	x := randomMatrix(1, n, 3)
	x.Data[7*3], x.Data[20*3+1] = math.NaN(), math.Inf(1)
	numbers, words := numberedColumns(n)
	src, err := stream.Beside(stream.FromMatrix("x", x), []stream.Field{{Name: "number"}}, numbers)
	if err == nil {
		src, err = stream.Beside(src, []stream.Field{{Name: "word"}}, words)
	}
	if err != nil {
		t.Fatal(err)
	}
	left, err := prepare.New(t.Context(), stream.Engine{}, src, prepare.Treatment{Nulls: prepare.NullsDrop})
	if err != nil {
		t.Fatal(err)
	}
	check := func(kept []stream.Column, i int, row blas64.General) {
		t.Helper()
		r := int(kept[0].Floats[i])
		if kept[1].Null(i) != (r%5 == 0) || kept[1].Strings[i] != fmt.Sprint(r) || !sameBits(matrix.Row(row, i), matrix.Row(x, r)) {
			t.Fatalf("row %d has the word %q", r, kept[1].Strings[i])
		}
	}
	seen, e := 0, stream.Engine{BlockRows: 8, Threads: 3}
	err = stream.Map(t.Context(), e, "", left, 0, true,
		func() func(blas64.General, *stream.Block) error {
			return func(blas64.General, *stream.Block) error { return nil }
		},
		func(b *stream.Block, _ blas64.General) error {
			for i := range b.X.Rows {
				check(b.Kept, i, b.X)
				seen++
			}
			return nil
		})
	if err != nil || seen != n-2 {
		t.Errorf("%d rows, error %v", seen, err)
	}
	rows := []int64{0, 6, 7, 30, 47}
	batch := &stream.Batch{X: matrix.New(len(rows), 3), Kept: left.Info().NewKept()}
	if err := stream.Gather(t.Context(), left, rows, batch); err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		check(batch.Kept, i, batch.X)
	}
	if batch.Kept[0].Floats[2] != 8 || batch.Kept[0].Floats[4] != 49 {
		t.Errorf("rows fetched: %v", batch.Kept[0].Floats)
	}
	for want, names := range map[string][]stream.Field{"2 names of 1": {{Name: "a"}, {Name: "b"}}, "are called \"word\"": {{Name: "word"}},
		"is a category of kind float64": {{Name: "a", Category: true}}} {
		if _, err := stream.Beside(src, names, numbers); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
	numbers.Floats = numbers.Floats[1:]
	if _, err := stream.Beside(src, []stream.Field{{Name: "a"}}, numbers); err == nil || !strings.Contains(err.Error(), "has 49") {
		t.Errorf("a column that is too short: %v", err)
	}
}

// States of a pass with kept columns are rejected if a value in them differs.
func TestRunKeyCoversKeptColumns(t *testing.T) {
	const n = 5000
	numbers, _ := numberedColumns(n)
	shelf, x := newShelf(), randomMatrix(1, n, 3)
	run := func(o stream.RunOptions) error {
		src, err := stream.Beside(&fetches{Gatherer: stream.FromMatrix("x", x)}, []stream.Field{{Name: "y"}}, numbers)
		if err != nil {
			t.Fatal(err)
		}
		newSum := func() *sketch.Sum { return sketch.NewSum(1, 1) }
		_, err = stream.Fold(t.Context(), runOf(t, shelf, "a fit", 2, o).WithKept(), "fit", src, newSum,
			func() func(*sketch.Sum, *stream.Block) error {
				return func(s *sketch.Sum, b *stream.Block) error {
					for _, v := range b.Kept[0].Floats {
						s.Data[0] += v
					}
					return nil
				}
			})
		return err
	}
	if err := run(stream.RunOptions{Part: 1, Parts: 1}); err == nil || !strings.Contains(err.Error(), "part 1 of 1") {
		t.Fatal(err)
	}
	if err := run(stream.RunOptions{Finish: true}); err != nil {
		t.Fatal(err)
	}
	numbers.Floats[1234] = 0.5
	err := run(stream.RunOptions{Finish: true})
	if err == nil || !strings.Contains(err.Error(), "column y is another file") {
		t.Errorf("another value of a kept column: %v", err)
	}
}
