package prepare_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/blas/blas64"
	"pgregory.net/rapid"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/passcount"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

func prepared(t fataler, src stream.Source, nulls prepare.Nulls, scale prepare.Scaling) *prepare.Source {
	t.Helper()
	p, err := prepare.New(context.Background(), stream.Engine{Threads: 2, BlockRows: 8}, src,
		prepare.Treatment{Nulls: nulls, Scale: scale})
	if err != nil {
		t.Fatalf("preparing: %v", err)
	}
	return p
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// plainly prepares a matrix column by column as documented, with exact sums. left are the numbers
// of the rows that remain.
func plainly(x blas64.General, nulls prepare.Nulls, scale prepare.Scaling) (rows [][]float64, left []int) {
	for i := range x.Rows {
		if nulls != prepare.NullsDrop || !slices.ContainsFunc(matrix.Row(x, i), func(v float64) bool { return !finite(v) }) {
			rows, left = append(rows, slices.Clone(matrix.Row(x, i))), append(left, i)
		}
	}
	for j := range x.Cols {
		column := make([]float64, len(rows))
		for i := range rows {
			column[i] = rows[i][j]
		}
		fillPlainly(column, nulls)
		scalePlainly(column, scale)
		for i := range rows {
			rows[i][j] = column[i]
		}
	}
	return rows, left
}

func fillPlainly(column []float64, nulls prepare.Nulls) {
	fill := 0.0
	if nulls == prepare.NullsMean {
		fill, _ = moments(slices.DeleteFunc(slices.Clone(column), func(v float64) bool { return !finite(v) }))
	}
	for i, v := range column {
		if !finite(v) {
			column[i] = fill
		}
	}
}

func scalePlainly(column []float64, scale prepare.Scaling) {
	if scale == prepare.ScaleNone || len(column) == 0 {
		return
	}
	shift, spread := moments(column)
	if scale == prepare.ScaleMinMax {
		shift, spread = slices.Min(column), slices.Max(column)-slices.Min(column)
	}
	if slices.Min(column) == slices.Max(column) {
		shift, spread = column[0], 1
	}
	for i := range column {
		column[i] = (column[i] - shift) / spread
	}
}

// moments returns the mean and the standard deviation in 200-bit precision.
func moments(v []float64) (mean, deviation float64) {
	if len(v) == 0 {
		return 0, 0
	}
	exact := func(x float64) *big.Float { return new(big.Float).SetPrec(2200).SetFloat64(x) }
	n := exact(float64(len(v)))
	sum := exact(0)
	for _, x := range v {
		sum.Add(sum, exact(x))
	}
	mu := sum.Quo(sum, n)
	squares := exact(0)
	for _, x := range v {
		d := exact(x)
		d.Sub(d, mu)
		squares.Add(squares, d.Mul(d, d))
	}
	mean, _ = mu.Float64()
	deviation, _ = squares.Sqrt(squares.Quo(squares, n)).Float64()
	return mean, deviation
}

// withNulls returns a random matrix with missing values, some of them in long runs of rows, so that
// whole blocks are dropped. Each column has a value.
func withNulls(t *rapid.T) blas64.General {
	x := randomMatrix(rapid.Uint64().Draw(t, "seed"), rapid.IntRange(0, 90).Draw(t, "rows"), 3)
	bad := rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1)})
	for range rapid.IntRange(0, 6).Draw(t, "runs") {
		if x.Rows == 0 {
			break
		}
		first := rapid.IntRange(0, x.Rows-1).Draw(t, "first")
		length := rapid.IntRange(1, 30).Draw(t, "length")
		column, value := rapid.IntRange(0, 2).Draw(t, "column"), bad.Draw(t, "value")
		for i := first; i < min(x.Rows, first+length); i++ {
			x.Data[i*x.Stride+column] = value
		}
	}
	for j := range x.Cols {
		if x.Rows > 0 && !slices.ContainsFunc(columnOf(x, j), finite) {
			x.Data[(x.Rows-1)*x.Stride+j] = 1
		}
	}
	return x
}

func columnOf(x blas64.General, j int) (values []float64) {
	for i := range x.Rows {
		values = append(values, matrix.Row(x, i)[j])
	}
	return values
}

func TestPrepareAgainstPlain(t *testing.T) {
	policies := rapid.SampledFrom([]prepare.Nulls{prepare.NullsDrop, prepare.NullsZero, prepare.NullsMean})
	scalings := rapid.SampledFrom([]prepare.Scaling{prepare.ScaleNone, prepare.ScaleStandard, prepare.ScaleMinMax})
	rapid.Check(t, func(t *rapid.T) {
		x := withNulls(t)
		nulls, scale := policies.Draw(t, "nulls"), scalings.Draw(t, "scale")
		src := newTable("x", x).keep()
		src.step, src.lazy = odd(rapid.Uint64().Draw(t, "steps")), rapid.Bool().Draw(t, "lazy")
		p := prepared(t, src, nulls, scale)
		want, left := plainly(x, nulls, scale)
		got, kept := readAll(t, p)
		info := p.Info()
		if info.Rows != int64(len(want)) || p.Dropped() != int64(x.Rows-len(want)) {
			t.Fatalf("%d rows and %d dropped, want %d of %d", info.Rows, p.Dropped(), len(want), x.Rows)
		}
		checkRows(t, got, want)
		for i, r := range left {
			if kept[0].Ints[i] != int64(r) || kept[2].Floats[i] != float64(r)/4 || kept[1].Null(i) != (r%3 == 0) {
				t.Fatalf("row %d, once row %d, keeps %v", i, r, values(kept))
			}
		}
		scans := 1
		if nulls == prepare.NullsZero && scale == prepare.ScaleNone {
			scans = 0
		}
		if info.PassesToOpen != scans || scans == 0 && src.opens.Load() == 0 {
			t.Fatalf("%d scans, opened %d times", info.PassesToOpen, src.opens.Load())
		}
	})
}

func checkRows(t fataler, got, want [][]float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d rows, want %d", len(got), len(want))
	}
	for i := range want {
		for j, w := range want[i] {
			if !(math.Abs(got[i][j]-w) <= 1e-11*(1+math.Abs(w))) {
				t.Fatalf("row %d is %v, want %v", i, got[i], want[i])
			}
		}
	}
}

// Gathering dropped rows gives the same rows as reading, with and without random access.
func TestDropAndGather(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := withNulls(t)
		table := newTable("x", x).keep()
		table.step = odd(rapid.Uint64().Draw(t, "steps"))
		src := rapid.SampledFrom([]stream.Source{table, withoutGather{table}, passcount.New(withoutGather{table}), passcount.New(table)}).Draw(t, "source")
		p := prepared(t, src, prepare.NullsDrop, rapid.SampledFrom([]prepare.Scaling{prepare.ScaleNone, prepare.ScaleMinMax}).Draw(t, "scale"))
		all, kept := readAll(t, p)
		var wanted []int64
		for i := range all {
			if rapid.IntRange(0, 3).Draw(t, "take") == 0 {
				wanted = append(wanted, int64(i))
			}
		}
		batch := stream.Batch{X: matrix.New(len(wanted), 3), Kept: emptyKept(p.Info())}
		batch.Kept[0].Ints = []int64{-7} // left over from another use
		batch.Kept[2].Floats = []float64{-7}
		if len(wanted) == 0 {
			batch.Kept[0].Ints, batch.Kept[2].Floats = nil, nil
		}
		if err := stream.Gather(context.Background(), p, wanted, &batch); err != nil {
			t.Fatal(err)
		}
		want := emptyKept(p.Info())
		for i, r := range wanted {
			if !sameBits(matrix.Row(batch.X, i), all[r]) {
				t.Fatalf("row %d is %v, want %v", r, matrix.Row(batch.X, i), all[r])
			}
			for k := range want {
				want[k].Append(&kept[k], int(r), int(r)+1)
			}
		}
		if diff := cmp.Diff(values(want), values(batch.Kept)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// Gathering rows after dropping from a source without random access takes one pass, not one per
// block.
func TestDropAndSkimTakesOnePass(t *testing.T) {
	x := randomMatrix(1, 200, 2)
	x.Data[3*x.Stride] = math.NaN()
	src := passcount.New(withoutGather{newTable("x", x)})
	p := prepared(t, src, prepare.NullsDrop, prepare.ScaleNone) // blocks of 8 rows
	before := src.Passes()
	if _, err := stream.GatherRows(context.Background(), p, []int64{0, 50, 100, 150, 198}); err != nil {
		t.Fatal(err)
	}
	if passes := src.Passes() - before; passes != 1 {
		t.Errorf("gathering took %d passes", passes)
	}
}

func TestPrepareNamesBadValue(t *testing.T) {
	for _, c := range []struct {
		value float64
		text  string
	}{{math.NaN(), "null or NaN"}, {math.Inf(1), "+Inf"}, {math.Inf(-1), "-Inf"}} {
		x := randomMatrix(1, 50, 3)
		x.Data[21*x.Stride+1], x.Data[22*x.Stride] = c.value, math.NaN()
		src := newTable("people.parquet", x)
		src.info.Columns = []string{"height", "weight", "age"}
		src.step = odd(1)
		check := func(err error) {
			t.Helper()
			checkError(t, err, "people.parquet", "row 21 (counted from 0)", `column "weight"`, c.text,
				"`Treatment.Nulls drop`, zero, mean or indicator")
			var bad *stream.DataError
			if !errors.As(err, &bad) || bad.Row != 21 || bad.Column != "weight" || bad.Path != "people.parquet" {
				t.Errorf("not the error of the value: %#v", err)
			}
		}
		for _, scale := range []prepare.Scaling{prepare.ScaleStandard, prepare.ScaleMinMax} { // found by the scan
			_, err := prepare.New(context.Background(), stream.Engine{BlockRows: 8, Threads: 3}, src,
				prepare.Treatment{Scale: scale})
			check(err)
		}
		p := prepared(t, src, prepare.NullsRefuse, prepare.ScaleNone) // found by the pass
		_, _, err := tryReadAll(p)
		check(err)
		_, err = stream.GatherRows(context.Background(), p, []int64{3, 21, 22})
		check(err)
		if _, err := stream.GatherRows(context.Background(), p, []int64{3, 20, 23}); err != nil {
			t.Error(err)
		}
	}
}

// Columns that are easily scaled incorrectly.
func TestScalingOfNastyColumns(t *testing.T) {
	nan := math.NaN()
	offset := make([]float64, 500)
	for i := range offset {
		offset[i] = 1e9 + math.Sin(float64(i*i))
	}
	for name, column := range map[string][]float64{
		"one row":            {3},
		"constant":           {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1},
		"constant 1e308":     {1e308, 1e308, 1e308},
		"constant zero":      {0, 0, 0},
		"offset 1e9":         offset,
		"scale 1e-140":       {1e-140, 3e-140, -2e-140},
		"scale 1e150":        {1e150, 3e150, -2e150, 5e149},
		"outlier":            {1, 2, 3, 4, 1e100},
		"first block absent": {nan, nan, nan, nan, nan, nan, nan, nan, nan, 1e200, 1e200},
		"nothing":            {nan, nan, nan},
		"subnormal spread":   {0, 5e-324, 1e-320},
		"too small":          {0, 1e-160, 3e-160},
		"too large":          {1e308, -1e308, 1.7e308},
		"large, one sign":    {1e308, 1.1e308, 1.7e308},
		"large, two blocks":  {1e200, 1e200, 1e200, 1e200, 1e200, 1e200, 1e200, 1e200, 2e200},
		"squares too large":  {1e160, 2e160},
	} {
		for _, nulls := range []prepare.Nulls{prepare.NullsZero, prepare.NullsMean} {
			for _, scale := range []prepare.Scaling{prepare.ScaleStandard, prepare.ScaleMinMax} {
				x := blas64.General{Rows: len(column), Cols: 2, Stride: 2}
				for i, v := range column {
					x.Data = append(x.Data, float64(i), v)
				}
				src := stream.FromMatrix("nasty.npy", x)
				p, err := prepare.New(context.Background(), stream.Engine{BlockRows: 8}, src,
					prepare.Treatment{Nulls: nulls, Scale: scale})
				what := fmt.Sprint(name, ", nulls ", nulls, ", scale ", scale)
				if err != nil {
					checkError(t, err, "nasty.npy", `column "x1"`, "in float64")
					t.Log(what, ": ", err)
					if mayFail := map[string]bool{"subnormal spread": true, "too small": true, "too large": true, "large, one sign": true, "large, two blocks": true, "squares too large": true, "first block absent": nulls == prepare.NullsZero}; !mayFail[name] {
						t.Errorf("%s: %v", what, err)
					}
					continue
				}
				got, _ := readAll(t, p)
				want, _ := plainly(x, nulls, scale)
				if name == "nothing" {
					if !slices.Equal(p.EmptyColumns(), []string{"x1"}) || len(got[0]) != 1 {
						t.Errorf("%s: %v is left out, rows are %v", what, p.EmptyColumns(), got)
					}
					continue
				}
				for i := range want {
					tolerance := 1e-12 * (1 + math.Abs(want[i][1]))
					if name == "offset 1e9" {
						tolerance = 3e-7 // the last bit of 1e9 is 1e-7 of the spread
					}
					if !(math.Abs(got[i][1]-want[i][1]) <= tolerance) {
						t.Errorf("%s: value %d is %g, want %g", what, i, got[i][1], want[i][1])
					}
				}
			}
		}
	}
}

func TestMeanFillOfHugeColumn(t *testing.T) {
	x := blas64.General{Rows: 4, Cols: 1, Stride: 1, Data: []float64{1.5e308, -1.5e308, 1e308, math.NaN()}}
	_, err := prepare.New(context.Background(), stream.Engine{}, stream.FromMatrix("huge.npy", x),
		prepare.Treatment{Nulls: prepare.NullsMean})
	checkError(t, err, "huge.npy", `column "x0"`, "-1.5e+308 to 1.5e+308")
	x.Data[1] = 1.4e308
	p := prepared(t, stream.FromMatrix("huge.npy", x), prepare.NullsMean, prepare.ScaleNone)
	if want, got := 1.3e308, p.Fill[0]; math.Abs(got-want) > 1e294 {
		t.Errorf("mean %g, want %g", got, want)
	}
}

// The mean of 1e9 + N(0, 1) over many blocks keeps its digits.
func TestMeanIsAccurate(t *testing.T) {
	x := blas64.General{Rows: 20000, Cols: 1, Stride: 1, Data: make([]float64, 20000)}
	for i := range x.Data {
		x.Data[i] = 1e9 + math.Sin(float64(i)*math.Sqrt2)
	}
	mean, deviation := moments(x.Data)
	p := prepared(t, stream.FromMatrix("x", x), prepare.NullsRefuse, prepare.ScaleStandard)
	if math.Abs(p.Shift[0]-mean) > 1.2e-7 { // one unit in the last place of 1e9
		t.Errorf("mean %.10f, want %.10f", p.Shift[0], mean)
	}
	if math.Abs(p.Factor[0]*deviation-1) > 1e-7 {
		t.Errorf("deviation %.12f, want %.12f", 1/p.Factor[0], deviation)
	}
}

func TestScanIsTheSameForAllThreads(t *testing.T) {
	x := randomMatrix(8, 3000, 4)
	for i := range 60 {
		x.Data[i*47*x.Stride+i%4] = math.NaN()
	}
	var want prepare.Preparation
	for _, threads := range []int{1, 2, 8} {
		src := newTable("x", x)
		src.step = odd(uint64(threads))
		p, err := prepare.New(context.Background(), stream.Engine{Threads: threads, BlockRows: 100}, src,
			prepare.Treatment{Nulls: prepare.NullsMean, Scale: prepare.ScaleStandard})
		if err != nil {
			t.Fatal(err)
		}
		if threads == 1 {
			want = p.Preparation
		}
		if !sameBits(p.Fill, want.Fill) || !sameBits(p.Shift, want.Shift) || !sameBits(p.Factor, want.Factor) {
			t.Errorf("%d threads: %v, want %v", threads, p.Preparation, want)
		}
	}
}

func TestApply(t *testing.T) {
	nan := math.NaN()
	old := stream.FromMatrix("old", blas64.General{Rows: 4, Cols: 2, Stride: 2, Data: []float64{0, 10, 2, nan, 4, 30, 6, 20}})
	fresh := newTable("new", blas64.General{Rows: 3, Cols: 2, Stride: 2, Data: []float64{nan, 40, 3, nan, 9, 20}})
	for _, c := range []struct {
		nulls   prepare.Nulls
		scale   prepare.Scaling
		want    [][]float64
		dropped int64
	}{
		{prepare.NullsZero, prepare.ScaleNone, [][]float64{{0, 40}, {3, 0}, {9, 20}}, 0},
		{prepare.NullsMean, prepare.ScaleNone, [][]float64{{3, 40}, {3, 20}, {9, 20}}, 0},
		{prepare.NullsMean, prepare.ScaleMinMax, [][]float64{{0.5, 1.5}, {0.5, 0.5}, {1.5, 0.5}}, 0},
		{prepare.NullsZero, prepare.ScaleMinMax, [][]float64{{0, 4. / 3}, {0.5, 0}, {1.5, 2. / 3}}, 0},
		{prepare.NullsDrop, prepare.ScaleMinMax, [][]float64{{1.5, 0.5}}, 2},
	} {
		fit := prepared(t, old, c.nulls, c.scale)
		p, err := fit.Apply(context.Background(), stream.Engine{}, fresh)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := readAll(t, p)
		checkRows(t, got, c.want)
		if p.Dropped() != c.dropped || p.Info().Rows != int64(len(c.want)) {
			t.Errorf("%v: dropped %d, %d rows", c.nulls, p.Dropped(), p.Info().Rows)
		}
	}
	wide := newTable("wide.csv", randomMatrix(1, 3, 3))
	_, err := prepared(t, old, prepare.NullsZero, prepare.ScaleNone).Apply(context.Background(), stream.Engine{}, wide)
	checkError(t, err, "wide.csv", "3 columns", "of 2")
}

// New rows may be far from the rows that determined the scaling.
func TestApplyOverflow(t *testing.T) {
	tiny := stream.FromMatrix("tiny", blas64.General{Rows: 2, Cols: 2, Stride: 2, Data: []float64{0, 0, 1, 1e-100}})
	p := prepared(t, tiny, prepare.NullsDrop, prepare.ScaleMinMax)
	huge := stream.FromMatrix("huge", blas64.General{Rows: 2, Cols: 2, Stride: 2, Data: []float64{0, 0, 1, 1e300}})
	applied, err := p.Apply(context.Background(), stream.Engine{}, huge)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = tryReadAll(applied)
	checkError(t, err, "huge", "row 1", `column "x1"`, "overflows")
	_, err = stream.GatherRows(context.Background(), applied, []int64{0, 1})
	checkError(t, err, "huge", "row 1", `column "x1"`, "overflows")
}

func TestPrepareOnce(t *testing.T) {
	x := randomMatrix(1, 30, 2)
	x.Data[5*x.Stride] = math.NaN()
	pipe := func() *table {
		src := newTable("stdin", x)
		src.info.OnePass, src.info.Rows = true, -1
		return src
	}
	for nulls, scale := range map[prepare.Nulls]prepare.Scaling{prepare.NullsRefuse: prepare.ScaleStandard, prepare.NullsZero: prepare.ScaleMinMax, prepare.NullsMean: prepare.ScaleNone, prepare.NullsDrop: prepare.ScaleNone} {
		src := pipe()
		_, err := prepare.New(context.Background(), stream.Engine{}, src, prepare.Treatment{Nulls: nulls, Scale: scale})
		checkError(t, err, "stdin", "only once", "`Session.Spool`")
		if src.opens.Load() != 0 {
			t.Errorf("nulls %v: the pipe was read before it was refused", nulls)
		}
	}
	src := pipe()
	rows, _ := readAll(t, prepared(t, src, prepare.NullsZero, prepare.ScaleNone))
	if len(rows) != 30 || rows[5][0] != 0 || src.opens.Load() != 1 {
		t.Errorf("%d rows, row 5 is %v, opened %d times", len(rows), rows[5], src.opens.Load())
	}
	p, err := prepare.Preparation{Nulls: prepare.NullsDrop}.Apply(context.Background(), stream.Engine{}, pipe())
	if err != nil {
		t.Fatal(err)
	}
	if p.Info().Rows != -1 {
		t.Errorf("%d rows", p.Info().Rows)
	}
	_, err = stream.GatherRows(context.Background(), p, []int64{3})
	checkError(t, err, "stdin", "only once")
	if rows, _ := readAll(t, p); len(rows) != 29 {
		t.Errorf("%d rows", len(rows))
	}
}

func TestDropEverything(t *testing.T) {
	x := matrix.New(40, 2)
	for i := range x.Rows {
		x.Data[2*i+i%2] = math.NaN()
	}
	p := prepared(t, stream.FromMatrix("x", x), prepare.NullsDrop, prepare.ScaleStandard)
	rows, _ := readAll(t, p)
	if len(rows) != 0 || p.Info().Rows != 0 || p.Dropped() != 40 {
		t.Errorf("%d rows, dropped %d", len(rows), p.Dropped())
	}
}

// A file that changes after its rows were counted is an error; other rows are never returned.
func TestDropNoticesChange(t *testing.T) {
	x := randomMatrix(1, 40, 1)
	p := prepared(t, newTable("x.csv", x), prepare.NullsDrop, prepare.ScaleNone)
	for i := range 8 {
		x.Data[i*x.Stride] = math.NaN()
	}
	_, err := stream.GatherRows(context.Background(), p, []int64{3})
	checkError(t, err, "x.csv", "row 3", "changed")
	_, _, err = tryReadAll(p)
	checkError(t, err, "x.csv", "after its first 8 rows 0 are left", "8 were counted")
}

// Columns named x0 and x1 are found by name, and columns without names by position.
func TestNamelessColumns(t *testing.T) {
	x := matrix.New(1, 2)
	x.Data[0], x.Data[1] = 1, 2
	named := newTable("named", x)
	named.info.Columns = []string{"x1", "x0"}
	for _, c := range []struct {
		src  stream.Source
		of   []string
		want []float64 // nil for an error
	}{
		{stream.FromMatrix("m", x), []string{"size", "age"}, []float64{1, 2}},
		{stream.FromMatrix("m", x), []string{"size"}, nil},
		{newTable("x", x), []string{"size", "age"}, nil},
		{named, []string{"x0", "x1"}, []float64{2, 1}},
		{named, nil, []float64{1, 2}},
	} {
		p, err := prepare.Preparation{Columns: c.of}.Apply(t.Context(), stream.Engine{}, c.src)
		if c.want == nil || err != nil {
			if (err == nil) != (c.want != nil) {
				t.Errorf("%v of %s: %v", c.of, c.src.Info().Name, err)
			}
			continue
		}
		if got, err := stream.ReadAll(t.Context(), p); err != nil || !slices.Equal(got.Data, c.want) {
			t.Errorf("%v of %s: %v, %v", c.of, c.src.Info().Name, got.Data, err)
		}
	}
}
