package ksvd

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/sparse"
)

// constant returns a matrix of equal entries.
func constant(rows, cols int, v float64) blas64.General {
	m := matrix.New(rows, cols)
	for i := range m.Data {
		m.Data[i] = v
	}
	return m
}

// methods returns the methods for any kernel, with settings for few rows.
func methods(rank int) map[string]func(d *Data, k kernelgen.Kernel) (*Fit, error) {
	nystrom := func(m Nystrom) func(*Data, kernelgen.Kernel) (*Fit, error) {
		m.Rank, m.Rows = rank, 30
		return func(d *Data, k kernelgen.Kernel) (*Fit, error) { return m.Fit(background, stream.Engine{}, d, k) }
	}
	return map[string]func(d *Data, k kernelgen.Kernel) (*Fit, error){
		"exact": func(d *Data, k kernelgen.Kernel) (*Fit, error) {
			return Exact{Rank: rank}.Fit(background, stream.Engine{}, d, k)
		},
		"exact centred": func(d *Data, k kernelgen.Kernel) (*Fit, error) {
			return Exact{Rank: rank, Center: true}.Fit(background, stream.Engine{}, d, k)
		},
		"nystrom":             nystrom(Nystrom{}),
		"nystrom centred":     nystrom(Nystrom{Center: true}),
		"nystrom sampled":     nystrom(Nystrom{Center: true, Sums: SumsSampled}),
		"nystrom orthonormal": nystrom(Nystrom{Center: true, Scaling: ScaleOrthonormal}),
		"nystrom unit":        nystrom(Nystrom{Scaling: ScaleUnit}),
	}
}

// checkFit requires finite numbers, at most as many triplets as G has, and a note if there are fewer than requested.
func checkFit(t *testing.T, what string, fit *Fit, asked, most int) {
	t.Helper()
	u, v, err := factors(fit, stream.Engine{})
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	for _, m := range []blas64.General{u, v, {Rows: 1, Cols: fit.Rank(), Stride: max(1, fit.Rank()), Data: fit.Values}} {
		if err := checkFinite(what, m); err != nil {
			t.Error(err)
		}
	}
	if fit.Rank() > most || fit.Rank() < asked && len(fit.Notes) == 0 {
		t.Errorf("%s: rank %d of at most %d, notes %q", what, fit.Rank(), most, fit.Notes)
	}
}

// TestNasty runs all methods on degenerate and extreme data.
func TestNasty(t *testing.T) {
	one, few := gaussian(1, 3, 1, 1), gaussian(4, 3, 1, 2)
	twice := matrix.New(60, 3)
	for i := range 60 {
		copy(matrix.Row(twice, i), matrix.Row(few, i%4))
	}
	lonely := randomGraph(t, 12, 1, false, 3)
	empty := &sparse.CSR{Rows: 9, Cols: 9, Start: make([]int64, 10)}
	cases := []struct {
		name string
		data *Data
		most int // rank of G
	}{
		{"one row against one", between(t, one, one), 1},
		{"one row against few", between(t, one, few), 1},
		{"few rows", between(t, few, few), 4},
		{"duplicates", between(t, twice, twice), 4},
		{"constant columns", between(t, constant(40, 3, 2), constant(50, 3, 2)), 1},
		{"zeros", between(t, constant(40, 3, 0), constant(50, 3, 0)), 1},
		{"huge", between(t, gaussian(40, 3, 1e150, 1), gaussian(50, 3, 1e150, 2)), 40},
		{"tiny", between(t, gaussian(40, 3, 1e-150, 1), gaussian(50, 3, 1e-150, 2)), 40},
		{"far apart", between(t, gaussian(40, 3, 1e4, 1), gaussian(50, 3, 1e4, 2)), 40},
		{"graph", graph(t, lonely), 12},
		{"graph without edges", graph(t, empty), 1},
	}
	for _, c := range cases {
		for name, fit := range methods(5) {
			for _, text := range []string{"sne(gamma=1)", "t()", "rbf(sigma=1)", "softmax(scale=1)"} {
				what := fmt.Sprintf("%s, %s, %s", c.name, name, text)
				f, err := fit(c.data, parse(t, text))
				if err != nil {
					var bad *stream.DataError
					if c.name != "huge" || !errors.As(err, &bad) && text != "softmax(scale=1)" {
						t.Errorf("%s: %v", what, err)
					}
					continue
				}
				checkFit(t, what, f, 5, c.most)
			}
		}
	}
}

// TestFarApart: if all distances are so large that exponentials underflow, normalised rows still sum to 1: the nearest
// row has all the mass.
func TestFarApart(t *testing.T) {
	x, z := gaussian(50, 2, 1e3, 1), gaussian(40, 2, 1e3, 2)
	k := kernelgen.SNE(1)
	g := matrix.New(50, 40)
	for i := range 50 {
		best := 0
		for j := range 40 {
			if squared(matrix.Row(x, i), matrix.Row(z, j)) < squared(matrix.Row(x, i), matrix.Row(z, best)) {
				best = j
			}
		}
		matrix.Row(g, i)[best] = 1
	}
	fit, err := Exact{Rank: 3}.Fit(background, stream.Engine{}, between(t, x, z), k)
	if err != nil {
		t.Fatal(err)
	}
	d, err := newSVD("G", g)
	if err != nil {
		t.Fatal(err)
	}
	for s, v := range fit.Values {
		if math.Abs(v-d.S[s]) > 1e-6 {
			t.Errorf("value %d is %v, want %v", s, v, d.S[s])
		}
	}
}

// TestBadRows: an error names a row that is not finite or not a probability distribution.
func TestBadRows(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		x := gaussian(20, 3, 1, 1)
		matrix.Row(x, 13)[1] = bad
		for name, fit := range methods(3) {
			for _, k := range []kernelgen.Kernel{kernelgen.SNE(1), kernelgen.RBF(1)} {
				f, err := fit(between(t, x, gaussian(20, 3, 1, 2)), k)
				if err == nil { // not in the sample, so the pass must find it
					_, _, err = factors(f, stream.Engine{})
				}
				// An infinite distance gives a kernel of 0, which is valid.
				if err == nil && (math.IsNaN(bad) || k.String() != kernelgen.RBF(1).String()) {
					t.Errorf("%s, %v: a value of %v went unnoticed", name, k, bad)
				}
			}
		}
		if _, err := RowsAndColumns(background, stream.FromMatrix("x", x), CompatPCA, 1); err == nil {
			t.Errorf("a matrix with %v: no error", bad)
		}
	}
	if _, err := (Exact{Rank: 1}).Fit(background, stream.Engine{}, between(t, gaussian(9, 2, 1, 1), positive(9, 2, 1)), kernelgen.KL(1)); err == nil {
		t.Error("kl between rows with negative numbers: no error")
	}
}

// TestSettings: invalid settings are refused before any work.
func TestSettings(t *testing.T) {
	x, z := gaussian(20, 3, 1, 1), gaussian(30, 3, 1, 2)
	d, k := between(t, x, z), kernelgen.RBF(1)
	for i, fit := range []func() (*Fit, error){
		func() (*Fit, error) { return Exact{}.Fit(background, stream.Engine{}, d, k) },
		func() (*Fit, error) { return Exact{Rank: 1, ResidualTol: -1}.Fit(background, stream.Engine{}, d, k) },
		func() (*Fit, error) { return Nystrom{}.Fit(background, stream.Engine{}, d, k) },
		func() (*Fit, error) { return Nystrom{Rank: 2, Rows: -1}.Fit(background, stream.Engine{}, d, k) },
	} {
		if _, err := fit(); err == nil {
			t.Errorf("case %d: no error", i)
		}
	}
	for _, bad := range [][2]stream.Source{
		{stream.FromMatrix("x", matrix.New(0, 3)), nil},
		{stream.FromMatrix("x", matrix.New(3, 0)), nil},
		{stream.FromMatrix("x", x), stream.FromMatrix("y", gaussian(3, 4, 1, 1))},
	} {
		if _, err := Between(bad[0], bad[1]); err == nil {
			t.Errorf("%v: no error", bad[0].Info())
		}
	}
}

// TestSample: dense and sparse rows give the same sample.
func TestSample(t *testing.T) {
	a := randomGraph(t, 40, 3, true, 1)
	sparse, formed := graph(t, a), between(t, denseOf(a), matrix.Transpose(denseOf(a)))
	x, err := sparse.Sample(background, 11, 1)
	if err != nil {
		t.Fatal(err)
	}
	y, err := formed.Sample(background, 11, 1)
	if err != nil {
		t.Fatal(err)
	}
	if x.Rows != 11 || x.Cols != 40 {
		t.Errorf("sample of %d×%d", x.Rows, x.Cols)
	}
	checkClose(t, "sample", x, y, 0)
}

// TestComparableOverflows: for rows so small that their pseudo-inverse overflows, the error says so.
func TestComparableOverflows(t *testing.T) {
	x := matrix.New(20, 3)
	for i := range x.Data {
		x.Data[i] = float64(i*i%7+1) * 1e-311
	}
	_, err := RowsAndColumns(background, stream.FromMatrix("x", x), CompatPseudoInverse, 1)
	if err == nil || !strings.Contains(err.Error(), "overflows; scale the columns") {
		t.Error(err)
	}
}
