package sketch_test

import (
	"errors"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/internal/conformance"
	"github.com/nystream/nystream/sketch"
)

// sumsOf returns the column sums of a, added in blocks that end at the given rows.
func sumsOf(t testing.TB, a *mat.Dense, ends ...int) *sketch.ColumnSums {
	t.Helper()
	rows, cols := a.Dims()
	m := sketch.NewColumnSums(cols)
	from := 0
	for _, to := range append(ends, rows) {
		if err := m.Add(general(a, from, to)); err != nil {
			t.Fatal(err)
		}
		from = to
	}
	return m
}

func TestColumnSumsConformance(t *testing.T) {
	conformance.Run(t, func() *sketch.ColumnSums { return sketch.NewColumnSums(5) }, func(block int64) *sketch.ColumnSums {
		a := random(9, 5, uint64(block))
		a.Scale(math.Pow(10, float64(block)), a) // makes the order of summation matter
		return sumsOf(t, a)
	}, 11)
}

// exactSum sums without rounding errors.
func exactSum(values []float64) float64 {
	total := new(big.Float).SetPrec(3000)
	for _, v := range values {
		total.Add(total, new(big.Float).SetFloat64(v))
	}
	f, _ := total.Float64()
	return f
}

func TestColumnSums(t *testing.T) {
	a := random(300, 4, 1)
	a.Apply(func(i, j int, v float64) float64 { return v * math.Pow(10, float64((i*7+j)%17)) }, a)
	m := sumsOf(t, mat.DenseCopyOf(a.Slice(0, 200, 0, 4)), 1, 1, 120)
	if err := m.Merge(sumsOf(t, mat.DenseCopyOf(a.Slice(200, 300, 0, 4)), 70)); err != nil {
		t.Fatal(err)
	}
	for j, got := range m.Totals() {
		if want := exactSum(mat.Col(nil, j, a)); math.Abs(got-want) > 2*eps*math.Abs(want) {
			t.Errorf("sum of column %d: %v, want %v", j, got, want)
		}
	}
}

// Terms that cancel across a merge lose nothing: sums are compensated.
func TestColumnSumsCancel(t *testing.T) {
	parts := []*sketch.ColumnSums{
		sumsOf(t, mat.NewDense(2, 1, []float64{1e16, 1})),
		sumsOf(t, mat.NewDense(2, 1, []float64{1, -1e16})),
	}
	if err := parts[0].Merge(parts[1]); err != nil {
		t.Fatal(err)
	}
	if got := parts[0].Totals(); !slices.Equal(got, []float64{2}) {
		t.Errorf("sum %v, want 2", got)
	}
}

func TestColumnSumsErrors(t *testing.T) {
	var where *sketch.NonFiniteError
	block := randomBlock(4, 3, 1)
	block.Data[2*block.Stride] = math.Inf(-1)
	if err := sketch.NewColumnSums(3).Add(block); !errors.As(err, &where) || where.Row != 2 || where.Col != 0 {
		t.Errorf("error %v", err)
	}
	huge := whole(mat.NewDense(2, 1, []float64{1.5e308, 1.5e308}))
	if err := sketch.NewColumnSums(1).Add(huge); err == nil || !strings.Contains(err.Error(), "scale the data down") {
		t.Errorf("error %v", err)
	}
	if err := sketch.NewColumnSums(1).Merge(sketch.NewColumnSums(2)); err == nil {
		t.Error("sums of different widths were merged")
	}
	checkPanics(t, "width", func() { sketch.NewColumnSums(1).Add(randomBlock(2, 2, 1)) })
	checkPanics(t, "no columns", func() { sketch.NewColumnSums(0) })
}
