package prepare_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// A column without any value changes nothing, whatever the null policy.
func TestEmptyColumnsAreLeftOut(t *testing.T) {
	const n = 300
	x := randomMatrix(1, n, 2)
	matrix.Row(x, 7)[1] = math.NaN()
	with := matrix.New(n, 4)
	for i := range n {
		copy(matrix.Row(with, i), []float64{math.NaN(), matrix.Row(x, i)[0], math.Inf(i%2*2 - 1), matrix.Row(x, i)[1]})
	}
	for _, nulls := range []prepare.Nulls{prepare.NullsRefuse, prepare.NullsDrop, prepare.NullsZero, prepare.NullsMean, prepare.NullsIndicator} {
		for _, scale := range []prepare.Scaling{prepare.ScaleNone, prepare.ScaleStandard, prepare.ScaleQuantile} {
			if matrix.Row(x, 7)[1], matrix.Row(with, 7)[3] = math.NaN(), math.NaN(); nulls == prepare.NullsRefuse {
				matrix.Row(x, 7)[1], matrix.Row(with, 7)[3] = 2, 2
			}
			what := fmt.Sprint("nulls ", nulls, ", scale ", scale)
			src := newTable("x", with)
			src.info.Columns = []string{"a", "b", "c", "d"}
			p := prepared(t, src, nulls, scale)
			got, _ := readAll(t, p)
			plain := newTable("x", x)
			plain.info.Columns = []string{"b", "d"}
			want, _ := readAll(t, prepared(t, plain, nulls, scale))
			if !slices.Equal(p.EmptyColumns(), []string{"a", "c"}) || !slices.Equal(p.Columns, []string{"b", "d"}) {
				t.Errorf("%s: %v are left out, %v are left", what, p.EmptyColumns(), p.Columns)
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s: the rows are others than without the columns", what)
			}
			applied, err := p.Apply(t.Context(), stream.Engine{BlockRows: 8}, plain) // new rows need not have the empty columns
			if err != nil {
				t.Errorf("%s: %v", what, err)
				continue
			}
			if again, _ := readAll(t, applied); fmt.Sprint(again) != fmt.Sprint(want) {
				t.Errorf("%s: rows without the columns are prepared to others", what)
			}
			if applied, err = p.Apply(t.Context(), stream.Engine{BlockRows: 8}, src); err != nil {
				t.Errorf("%s: %v", what, err)
				continue
			}
			if again, _ := readAll(t, applied); fmt.Sprint(again) != fmt.Sprint(want) {
				t.Errorf("%s: rows with the columns are prepared to others", what)
			}
		}
	}
}

// A column is empty only if no row has a value in it.
func TestLateValues(t *testing.T) {
	x := matrix.New(500, 2)
	for i := range 499 {
		x.Data[2*i] = math.NaN()
	}
	for _, scale := range []prepare.Scaling{prepare.ScaleNone, prepare.ScaleStandard} {
		_, err := prepare.New(t.Context(), stream.Engine{BlockRows: 16}, newTable("x", x), prepare.Treatment{Scale: scale})
		checkError(t, err, `column "x0"`, "null or NaN")
		p := prepared(t, newTable("x", x), prepare.NullsZero, scale)
		if len(p.EmptyColumns()) > 0 || len(p.Info().Columns) != 2 {
			t.Errorf("scale %v: %v are left out", scale, p.EmptyColumns())
		}
	}
	for i := range x.Data {
		x.Data[i] = math.NaN()
	}
	_, err := prepare.New(t.Context(), stream.Engine{}, newTable("x", x), prepare.Treatment{})
	checkError(t, err, "x: no column of numbers has a finite value in any row")
}

// Values that differ by rounding are constant to scaling; all other differences count.
func TestRoundedColumns(t *testing.T) {
	tenth, two := .1, .2
	sums := func(n int) (list []float64) { // the same n numbers in different orders
		for start := range n {
			sum := 0.0
			for i := range n {
				sum += 1 / float64(1+(start+i)%n)
			}
			list = append(list, sum)
		}
		return list
	}
	times := func(list []float64, factor float64) (out []float64) {
		for _, v := range list {
			out = append(out, v*factor)
		}
		return out
	}
	noise := []float64{tenth + two, .3, .3, tenth + two, .3}
	for name, c := range map[string]struct {
		values  []float64
		rounded bool
	}{
		"a sum":                 {noise, true},
		"tiny":                  {times(noise, 1e-300), true},
		"huge":                  {times(noise, 1e300), true},
		"negative":              {times(noise, -1), true},
		"sums of 40 numbers":    {sums(40), true},
		"subnormal":             {[]float64{5e-324, 1e-323, 0}, true},
		"small integers at 1e8": {[]float64{1e8, 1e8 + 1, 1e8 + 2}, false},
		"milliseconds":          {[]float64{1.7e12, 1.7e12 + 1, 1.7e12 + 7}, false},
		"microseconds":          {[]float64{1.7e9, 1.7e9 + 1e-6, 1.7e9 + 3e-5}, false},
		"1 + 1e-9·k":            {[]float64{1, 1 + 1e-9, 1 + 3e-9}, false},
		"mixed signs":           {[]float64{-1e-17, 1e-17, 3e-17}, false},
		"small ratio":           {[]float64{1e-100, 1.001e-100}, false},
		"constant":              {[]float64{.3, .3}, false},
	} {
		for _, scale := range []prepare.Scaling{prepare.ScaleStandard, prepare.ScaleMinMax, prepare.ScaleQuantile} {
			x := matrix.Of(c.values, len(c.values), 1)
			p := prepared(t, stream.FromMatrix("x", x), prepare.NullsRefuse, scale)
			rows, _ := readAll(t, p)
			moved := slices.ContainsFunc(rows, func(r []float64) bool { return r[0] != 0 })
			if moved == (c.rounded || name == "constant") || (len(p.ConstantColumns()) > 0) != c.rounded {
				t.Errorf("%s, scale %v: %v becomes %v; %v are called rounded", name, scale, c.values, rows, p.ConstantColumns())
			}
			if c.rounded || name == "constant" || scale != prepare.ScaleStandard {
				continue
			}
			mean, deviation := moments(c.values)
			unit := math.Nextafter(math.Abs(mean), math.Inf(1)) - math.Abs(mean)
			digits := 1e-12 * deviation // the precision of a scan
			if math.Abs(p.Shift[0]-mean) > 2*unit+digits || math.Abs(1/p.Factor[0]-deviation) > 4*unit+digits {
				t.Errorf("%s: mean %v ± %v, want %v ± %v", name, p.Shift[0], 1/p.Factor[0], mean, deviation)
			}
		}
	}
	names := strings.Join(prepared(t, stream.FromMatrix("x", blas64.General{Rows: 5, Cols: 1, Stride: 1, Data: noise}),
		prepare.NullsRefuse, prepare.ScaleNone).ConstantColumns(), ",")
	if names != "" {
		t.Errorf("without scaling %s are called rounded", names)
	}
}
