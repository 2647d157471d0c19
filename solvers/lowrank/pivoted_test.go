package lowrank

import (
	"context"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// panelOf returns all rows of x, numbered 3, 10, 17, … as in a larger source.
func panelOf(t *tiles, x blas64.General) *panel {
	numbers := make([]int64, x.Rows)
	for i := range numbers {
		numbers[i] = int64(7*i + 3)
	}
	return t.pack(x, numbers, nil)
}

// TestPivotsStop: duplicates are never pivots together, a kernel matrix of rank
// 3 has 3, and one of zeros has a row nevertheless.
func TestPivotsStop(t *testing.T) {
	t.Parallel()
	base := clusters(200, 3, 5)
	five := filled(200, 3, func(i, j int) float64 { return base.Data[(i%5)*3+j] })
	for _, c := range []struct {
		name string
		x    blas64.General
		k    kernelgen.Kernel
		want int
	}{
		{"five different rows", five, kernelgen.RBF(2), 5},
		{"rank 3", base, kernelgen.Linear(), 3},
		{"rank 3, tiny", scaled(base, 1e-140), kernelgen.Linear(), 3},
		{"all rows zero", stream.NewMatrix(200, 3), kernelgen.Linear(), 1},
		{"one row", filled(1, 3, func(int, int) float64 { return 2 }), kernelgen.RBF(1), 1},
		{"no positive diagonal", base, kernelgen.Sigmoid(1e-9, -1), 1},
	} {
		tl := newTiles(c.k)
		got, err := tl.pivotRows(context.Background(), stream.Engine{}, panelOf(tl, c.x), min(30, c.x.Rows), 1, "x", "pivots")
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != c.want {
			t.Errorf("%s: %d pivots, expected %d", c.name, len(got), c.want)
		}
	}
	f, err := Nystrom{Rank: 30, Rule: RulePivoted, Seed: 1}.Fit(context.Background(), stream.Engine{}, model.Sources{Left: stream.FromMatrix("x", five)}, kernelgen.RBF(2))
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Values) != 5 || len(f.Notes) != 1 {
		t.Errorf("five different rows: %d values, notes %q", len(f.Values), f.Notes)
	}
}

// TestPivotsNotFinite: the row is named by its number in the source.
func TestPivotsNotFinite(t *testing.T) {
	t.Parallel()
	x := clusters(50, 3, 5)
	x.Data[11*3] = 1e200
	tl := newTiles(kernelgen.Linear())
	_, err := tl.pivotRows(context.Background(), stream.Engine{}, panelOf(tl, x), 5, 1, "source", "pivots")
	if want := "source: row 80"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v does not begin with %q", err, want)
	}
}

// TestDrawInProportion at its edges.
func TestDrawInProportion(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		weights []float64
		u       float64
		want    int
	}{
		{nil, 0.5, -1},
		{[]float64{0, 0}, 0.5, -1},
		{[]float64{math.NaN(), 1}, 0.5, -1},
		{[]float64{0, 1, 0}, 0, 1},
		{[]float64{0, 1, 0}, 1 - 0x1p-53, 1},
		{[]float64{1, 2, 1}, 0.2499, 0},
		{[]float64{1, 2, 1}, 0.25, 1},
		{[]float64{1, 2, 1}, 0.75, 2},
		{[]float64{1, 1e-30, 0}, 1 - 0x1p-53, 0},
	} {
		if got := drawInProportion(c.weights, c.u); got != c.want {
			t.Errorf("%v at %v: %d, expected %d", c.weights, c.u, got, c.want)
		}
	}
}
