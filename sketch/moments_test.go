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

func momentsOf(t testing.TB, a *mat.Dense, ends ...int) *sketch.Moments {
	t.Helper()
	rows, cols := a.Dims()
	m := sketch.NewMoments(cols)
	from := 0
	for _, to := range append(ends, rows) {
		if err := m.Add(general(a, from, to)); err != nil {
			t.Fatal(err)
		}
		from = to
	}
	return m
}

func TestMomentsConformance(t *testing.T) {
	conformance.Run(t, func() *sketch.Moments { return sketch.NewMoments(5) }, func(block int64) *sketch.Moments {
		a := random(9, 5, uint64(block))
		a.Scale(math.Pow(10, float64(block)), a) // so that order matters
		m := momentsOf(t, a)
		if err := m.AddDiagonal(a.RawRowView(3)); err != nil {
			t.Error(err)
		}
		return m
	}, 11)
}

// exactSum adds without rounding.
func exactSum(values []float64) float64 {
	total := new(big.Float).SetPrec(3000)
	for _, v := range values {
		total.Add(total, new(big.Float).SetFloat64(v))
	}
	f, _ := total.Float64()
	return f
}

func TestMoments(t *testing.T) {
	a := random(300, 4, 1)
	a.Apply(func(i, j int, v float64) float64 { return v * math.Pow(10, float64((i*7+j)%17)) }, a)
	m := momentsOf(t, mat.DenseCopyOf(a.Slice(0, 200, 0, 4)), 1, 1, 120)
	if err := m.Merge(momentsOf(t, mat.DenseCopyOf(a.Slice(200, 300, 0, 4)), 70)); err != nil {
		t.Fatal(err)
	}
	sums := make([]float64, 4)
	m.ColumnSums(sums)
	for j := range sums {
		if want := exactSum(mat.Col(nil, j, a)); math.Abs(sums[j]-want) > 2*eps*math.Abs(want) {
			t.Errorf("sum of column %d: %v, want %v", j, sums[j], want)
		}
	}
	if want := exactSum(a.RawMatrix().Data); math.Abs(m.Sum()-want) > 2*eps*math.Abs(want) {
		t.Errorf("sum %v, want %v", m.Sum(), want)
	}
	if want := mat.Norm(a, 2); math.Abs(m.Frobenius()-want) > 20*eps*want {
		t.Errorf("Frobenius norm %v, want %v", m.Frobenius(), want)
	}
	if want := math.Max(mat.Max(a), -mat.Min(a)); m.MaxAbs() != want {
		t.Errorf("largest magnitude %v, want %v", m.MaxAbs(), want)
	}
	if m.Rows() != 300 || m.Entries() != 1200 {
		t.Errorf("%d rows, %v entries", m.Rows(), m.Entries())
	}
}

func TestMomentsCancel(t *testing.T) {
	parts := []*sketch.Moments{
		momentsOf(t, mat.NewDense(2, 1, []float64{1e16, 1})),
		momentsOf(t, mat.NewDense(2, 1, []float64{1, -1e16})),
	}
	if err := errors.Join(parts[0].AddDiagonal([]float64{1e16, 1}), parts[1].AddDiagonal([]float64{-1e16}), parts[0].Merge(parts[1])); err != nil {
		t.Fatal(err)
	}
	trace, entries := parts[0].Trace()
	if got := []float64{parts[0].Sum(), trace, float64(entries)}; !slices.Equal(got, []float64{2, 1, 3}) {
		t.Errorf("sum, trace, diagonal entries: %v, want [2 1 3]", got)
	}
}

func TestMomentsExtremes(t *testing.T) {
	for _, scale := range []float64{1e300, 1e200, 1, 1e-200, 1e-300, 0x1p-1060, 0} {
		m := momentsOf(t, mat.NewDense(2, 2, []float64{3 * scale, 0, 0, -4 * scale}), 1)
		if want := 5 * scale; math.Abs(m.Frobenius()-want) > 4*eps*want {
			t.Errorf("Frobenius norm %v, want %v", m.Frobenius(), want)
		}
	}
}

func TestMomentsErrors(t *testing.T) {
	var where *sketch.NonFiniteError
	block := randomBlock(4, 3, 1)
	block.Data[2*block.Stride] = math.Inf(-1)
	if err := sketch.NewMoments(3).Add(block); !errors.As(err, &where) || where.Row != 2 || where.Col != 0 {
		t.Errorf("error %v", err)
	}
	if err := sketch.NewMoments(3).AddDiagonal([]float64{1, math.NaN()}); !errors.As(err, &where) || where.Row != 1 || where.Col != 1 {
		t.Errorf("error %v", err)
	}
	huge := whole(mat.NewDense(2, 1, []float64{1.5e308, 1.5e308}))
	if err := sketch.NewMoments(1).Add(huge); err == nil || !strings.Contains(err.Error(), "scale the data down") {
		t.Errorf("error %v", err)
	}
	if err := sketch.NewMoments(1).Merge(sketch.NewMoments(2)); err == nil {
		t.Error("moments of different widths were merged")
	}
	checkPanics(t, "width", func() { sketch.NewMoments(1).Add(randomBlock(2, 2, 1)) })
	checkPanics(t, "no columns", func() { sketch.NewMoments(0) })
}
