package prepare_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"pgregory.net/rapid"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// wordOf returns the word of a row. Rows of weight 0 have words of their own.
func wordOf(row int, weight float64) string {
	if weight == 0 {
		return "absent"
	}
	return []string{"", "a", "b", "c"}[row%4]
}

// copied returns rows with weights and a category, and a table with k copies of a row of weight k.
func copied(x blas64.General, weights []float64) (weighted, plain *table) {
	build := func(times func(i int) int) *table {
		var data, of []float64
		var words []string
		for i := range x.Rows {
			for range times(i) {
				data, of = append(data, matrix.Row(x, i)...), append(of, weights[i])
				words = append(words, wordOf(i, weights[i]))
			}
		}
		t := newTable("x", blas64.General{Rows: len(of), Cols: x.Cols, Stride: x.Cols, Data: data})
		t.info.Kept = []stream.Field{{Name: "c", Kind: stream.String, Category: true}, {Name: "w", Kind: stream.Float64}}
		t.kept = []stream.Column{{Kind: stream.String, Strings: words}, {Kind: stream.Float64, Floats: of}}
		return t
	}
	return build(func(int) int { return 1 }), build(func(i int) int { return int(weights[i]) })
}

func near(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) <= 1e-12*(math.Abs(x)+math.Abs(y)) })
}

// A row of weight 0 is absent, and a row of weight k counts as k rows.
func TestWeightsAreCopies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 60).Draw(t, "rows")
		x := randomMatrix(rapid.Uint64().Draw(t, "seed"), n, 2)
		weights := make([]float64, n)
		for i := range weights {
			weights[i] = float64(rapid.IntRange(0, 3).Draw(t, "weight"))
			if weights[i] == 0 && rapid.Bool().Draw(t, "odd") {
				matrix.Row(x, i)[0] = rapid.SampledFrom([]float64{math.NaN(), 1e300, -1e9}).Draw(t, "value")
			} else if i > 1 && rapid.IntRange(0, 9).Draw(t, "null") == 0 {
				matrix.Row(x, i)[1] = math.NaN()
			}
		}
		weights[0], weights[1] = 1, 2
		weighted, plain := copied(x, weights)
		how := prepare.Treatment{
			Nulls: rapid.SampledFrom([]prepare.Nulls{prepare.NullsDrop, prepare.NullsZero, prepare.NullsMean,
				prepare.NullsIndicator}).Draw(t, "nulls"),
			Scale: rapid.SampledFrom([]prepare.Scaling{prepare.ScaleStandard, prepare.ScaleMinMax,
				prepare.ScaleQuantile}).Draw(t, "scale"),
			Categories: rapid.SampledFrom([]prepare.Encoding{prepare.EncodeOneHot, prepare.EncodeOrdinal}).Draw(t, "categories"),
		}
		want, err := prepare.New(t.Context(), stream.Engine{BlockRows: 8}, plain, how)
		if err != nil {
			t.Fatal(err)
		}
		how.Weights = "w"
		got, err := prepare.New(t.Context(), stream.Engine{BlockRows: 8, Threads: 3}, weighted, how)
		if err != nil {
			t.Fatal(err)
		}
		if !near(got.Fill, want.Fill) || !near(got.Shift, want.Shift) || !near(got.Factor, want.Factor) ||
			!near(got.Knots.Data, want.Knots.Data) || fmt.Sprint(got.Missing, got.Categories) != fmt.Sprint(want.Missing, want.Categories) {
			t.Fatalf("prepared by\n%+v, and by copies\n%+v", got.Preparation, want.Preparation)
		}
		rows, kept := readAll(t, got)
		if int64(len(rows)) != got.Info().Rows || got.ZeroWeightRows() != int64(n-len(slices.DeleteFunc(slices.Clone(weights), func(w float64) bool { return w == 0 }))) {
			t.Fatalf("%d rows of %d, %d absent", len(rows), got.Info().Rows, got.ZeroWeightRows())
		}
		if slices.Contains(kept[0].Floats, 0) {
			t.Fatal("a row of weight 0 is left")
		}
		all := make([]int64, len(rows))
		for i := range all {
			all[i] = int64(i)
		}
		gathered, err := stream.GatherRows(t.Context(), got, all)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range rows {
			if !sameBits(matrix.Row(gathered, i), r) {
				t.Fatalf("row %d is %v when gathered, and %v in a pass", i, matrix.Row(gathered, i), r)
			}
		}
	})
}

// Weights may be scaled by any factor.
func TestSharesAreWeights(t *testing.T) {
	x := randomMatrix(1, 50, 2)
	for _, scale := range []prepare.Scaling{prepare.ScaleStandard, prepare.ScaleMinMax, prepare.ScaleQuantile} {
		var first prepare.Preparation
		for _, unit := range []float64{1, 1. / 128, 1e-200, 1e-300} {
			weights := make([]float64, 50)
			for i := range weights {
				weights[i] = unit * float64(1+i%3)
			}
			src, _ := copied(x, weights)
			p, err := prepare.New(t.Context(), stream.Engine{}, src, prepare.Treatment{Scale: scale, Weights: "w"})
			if err != nil {
				t.Fatal(err)
			}
			if unit == 1 {
				first = p.Preparation
			}
			if !near(p.Shift, first.Shift) || !near(p.Factor, first.Factor) || !near(p.Knots.Data, first.Knots.Data) {
				t.Errorf("scale %v, weights times %g: %+v, not %+v", scale, unit, p.Preparation, first)
			}
		}
	}
}

// Equal weights do not change a bit of the rows.
func TestEqualWeightsChangeNothing(t *testing.T) {
	x, weights := randomMatrix(2, 90, 3), slices.Repeat([]float64{1}, 90)
	src, _ := copied(x, weights)
	for _, scale := range []prepare.Scaling{prepare.ScaleNone, prepare.ScaleStandard, prepare.ScaleQuantile} {
		var rows [2][][]float64
		for k, name := range []string{"", "w"} {
			p, err := prepare.New(t.Context(), stream.Engine{BlockRows: 16}, src, prepare.Treatment{Scale: scale, Weights: name})
			if err != nil {
				t.Fatal(err)
			}
			rows[k], _ = readAll(t, p)
		}
		if fmt.Sprint(rows[0]) != fmt.Sprint(rows[1]) {
			t.Errorf("scale %v: weights of 1 change the rows", scale)
		}
	}
}

func TestWrongWeights(t *testing.T) {
	for what, weight := range map[string]float64{"is -1, and `Treatment.Weights` are 0 or more": -1, "is NaN": math.NaN(), "is +Inf": math.Inf(1)} {
		src, _ := copied(randomMatrix(1, 5, 1), []float64{1, 1, 1, 1, 1})
		src.kept[1].Floats[3] = weight
		_, err := prepare.New(t.Context(), stream.Engine{}, src, prepare.Treatment{Weights: "w"})
		checkError(t, err, "x", "row 3 (counted from 0)", `column "w"`, what)
	}
	src, _ := copied(randomMatrix(1, 5, 1), make([]float64, 5))
	_, err := prepare.New(t.Context(), stream.Engine{}, src, prepare.Treatment{Weights: "w"})
	checkError(t, err, "x: all weights are 0")
	_, err = prepare.New(t.Context(), stream.Engine{}, src, prepare.Treatment{Weights: "c"})
	checkError(t, err, `column "c" of `+"`Treatment.Weights`"+` holds text`)
	_, err = prepare.New(t.Context(), stream.Engine{}, src, prepare.Treatment{Weights: "z"})
	checkError(t, err, "no kept column", `"z"`)
}
