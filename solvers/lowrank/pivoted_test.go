package lowrank

import (
	"context"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// naivePivots draws pivots from the diagonal of the residual A − A_S·A_SS⁻¹·A_Sᵀ,
// worked out afresh for every pivot.
func naivePivots(t *testing.T, a blas64.General, c int, seed uint64) []int {
	t.Helper()
	var pivots []int
	for step := range c {
		residual := make([]float64, a.Rows)
		sum := 0.0
		for i := range residual {
			residual[i] = schurDiagonal(t, a, pivots, i)
			sum += residual[i]
		}
		draws := sketch.NewStream(seed, "pivots").At(uint64(step))
		u, below, pivot := draws.Float64(), 0.0, 0
		for below+residual[pivot] <= u*sum {
			below += residual[pivot]
			pivot++
		}
		pivots = append(pivots, pivot)
	}
	return pivots
}

// schurDiagonal is a_ii − a_iS·a_SS⁻¹·a_Si.
func schurDiagonal(t *testing.T, a blas64.General, s []int, i int) float64 {
	t.Helper()
	if slices.Contains(s, i) {
		return 0
	}
	if len(s) == 0 {
		return a.Data[i*a.Stride+i]
	}
	w, b := mat.NewDense(len(s), len(s), nil), mat.NewVecDense(len(s), nil)
	for p, row := range s {
		b.SetVec(p, a.Data[i*a.Stride+row])
		for q, col := range s {
			w.Set(p, q, a.Data[row*a.Stride+col])
		}
	}
	var solved mat.VecDense
	if err := solved.SolveVec(w, b); err != nil {
		t.Fatal(err)
	}
	return math.Max(0, a.Data[i*a.Stride+i]-mat.Dot(b, &solved))
}

// panelOf are all rows of x, numbered 3, 10, 17, … as in a larger source.
func panelOf(t *tiles, x blas64.General) *panel {
	numbers := make([]int64, x.Rows)
	for i := range numbers {
		numbers[i] = int64(7*i + 3)
	}
	return t.pack(x, numbers, nil)
}

// TestPivotsAgainstNaive: the same random numbers give the same pivots.
func TestPivotsAgainstNaive(t *testing.T) {
	for seed := range uint64(4) {
		x := clusters(90, 3, seed)
		for _, text := range []string{"rbf(gamma=3)", "1e150*laplace(gamma=1)", "1e-300*rbf(gamma=9)", "linear() + 0.1*rbf(gamma=5)"} {
			k, err := kernelgen.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			tl := newTiles(k, Float64)
			got, err := tl.pivotRows(panelOf(tl, x), 20, seed, "x", "pivots")
			if err != nil {
				t.Fatal(err)
			}
			if want := naivePivots(t, kernelMatrix(k, x, x), 20, seed); !slices.Equal(got, want) {
				t.Errorf("%s, seed %d: pivots %v, expected %v", text, seed, got, want)
			}
		}
	}
}

// TestPivotsStop: duplicates are never pivots together, a kernel matrix of rank
// 3 has 3, and one of zeros has a row nevertheless.
func TestPivotsStop(t *testing.T) {
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
		tl := newTiles(c.k, Float64)
		got, err := tl.pivotRows(panelOf(tl, c.x), min(30, c.x.Rows), 1, "x", "pivots")
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != c.want {
			t.Errorf("%s: %d pivots, expected %d", c.name, len(got), c.want)
		}
	}
	f, err := Nystrom{Rank: 30, Choice: ChoicePivoted, Seed: 1}.Fit(context.Background(), stream.Engine{}, stream.FromMatrix("x", five), kernelgen.RBF(2))
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Values) != 5 || len(f.Notes) != 1 {
		t.Errorf("five different rows: %d values, notes %q", len(f.Values), f.Notes)
	}
}

// TestPivotsNotFinite: the row is named by its number in the source.
func TestPivotsNotFinite(t *testing.T) {
	x := clusters(50, 3, 5)
	x.Data[11*3] = 1e200
	tl := newTiles(kernelgen.Linear(), Float64)
	_, err := tl.pivotRows(panelOf(tl, x), 5, 1, "source", "pivots")
	if want := "source: row 80"; err == nil || !hasPrefix(err, want) {
		t.Errorf("error %v does not begin with %q", err, want)
	}
}

// TestDrawInProportion at its edges.
func TestDrawInProportion(t *testing.T) {
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
