package ksvd

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/krylov"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/sparse"
)

// graphs returns one graph of each kind. Node 0 has no outgoing edges and node 1 no incoming ones, except for
// self-loops.
func graphs(t testing.TB) map[string]*sparse.CSR {
	t.Helper()
	plain, weighted := randomGraph(t, 150, 3, false, 1), randomGraph(t, 150, 3, true, 2)
	negative := *weighted
	negative.Value = slices.Clone(weighted.Value)
	for p := range negative.Value {
		if p%3 == 0 {
			negative.Value[p] *= -1
		}
	}
	return map[string]*sparse.CSR{
		"plain": plain, "weighted": weighted, "negative": &negative,
		"looped": plain.AddIdentity(), "looped and weighted": weighted.AddIdentity(),
		"by rows": scaled(t, plain.AddIdentity(), sparse.RowStochastic), "by degrees": scaled(t, weighted, sparse.SymmetricByDegrees),
		"no edges": {Rows: 7, Cols: 7, Start: make([]int64, 8)},
		"one node": {Rows: 1, Cols: 1, Start: make([]int64, 2)},
		"hub":      hub(t, 60),
	}
}

// scaled returns the matrix with its entries divided by degrees.
func scaled(t testing.TB, m *sparse.CSR, s sparse.DegreeScaling) *sparse.CSR {
	t.Helper()
	m, err := m.ScaledByDegrees(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// hub returns a graph in which all nodes have edges to and from a single node, so that every pair shares a neighbour.
func hub(t testing.TB, n int) *sparse.CSR {
	t.Helper()
	m, err := sparse.NewCSR(n, n, func(yield func(sparse.Entry) bool) {
		for i := range n {
			if !yield(sparse.Entry{Row: int32(i), Col: 0, Value: 1}) || i > 0 && !yield(sparse.Entry{Row: 0, Col: int32(i), Value: 1}) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// sparseKernels are kernels of every kind that sparse rows support.
var sparseKernels = []string{"sne(gamma=2)", "3*sne(gamma=0.05)", "t()", "softmax(scale=2)", "rbf(sigma=3)", "2*rbf(sigma=1) + 0.5*rbf(sigma=4)", "linear()",
	"poly(degree=2, gamma=0.5, coef0=1)", "cosine()", "expdot(scale=0.3)", "matern32(length=2)", "2*t()"}

// loadedGrid returns the grid of both sides, loaded into memory.
func loadedGrid(t testing.TB, e stream.Engine, d *Data, k *tiles.Tiles) *tiles.Grid {
	t.Helper()
	left, right, err := d.load(background, k)
	if err != nil {
		t.Fatal(err)
	}
	return k.NewGrid(e, d.names(), left, right)
}

// setUp returns tiles, grid and sums for products with G of a graph.
func setUp(t testing.TB, d *Data, k kernelgen.Kernel) (*tiles.Tiles, *tiles.Grid, *tiles.Sums) {
	t.Helper()
	e, err := tiles.New(k, true)
	if err != nil {
		t.Fatal(err)
	}
	g := loadedGrid(t, stream.Engine{}, d, e)
	s, err := g.Sums(background, false)
	if err != nil {
		t.Fatal(err)
	}
	return e, g, s
}

// products returns products of an operator with random vectors from both sides.
func products(t testing.TB, op krylov.Operator, n, b int) (aq, atp blas64.General) {
	t.Helper()
	q, p := gaussian(n, b, 1, 5), gaussian(n, b, 1, 6)
	aq, atp = matrix.New(n, b), matrix.New(n, b)
	if err := op.Multiply(background, q, aq, p, atp); err != nil {
		t.Fatal(err)
	}
	return aq, atp
}

// largest returns the largest magnitude.
func largest(m blas64.General) float64 {
	most := 0.0
	for i := range m.Rows {
		for _, v := range matrix.Row(m, i) {
			most = math.Max(most, math.Abs(v))
		}
	}
	return most
}

// TestExactProducts compares products with G by tiles with those by G in memory, for all kinds of graphs and kernels,
// centred and not.
func TestExactProducts(t *testing.T) {
	for name, a := range graphs(t) {
		for _, text := range sparseKernels {
			for _, centred := range []bool{false, true} {
				what := fmt.Sprintf("%s, %s, centred %v", name, text, centred)
				k := parse(t, text)
				e, g, s := setUp(t, graph(t, a), k)
				if e.Normalised() && name == "negative" {
					continue
				}
				op := &tiles.Operator{Grid: g, Sums: &tiles.Sums{LogSums: s.LogSums}, Centered: centred}
				held, err := (&tiles.Operator{Grid: g, Sums: &tiles.Sums{LogSums: s.LogSums}, Centered: centred}).Form(background)
				if err != nil {
					t.Fatal(what, err)
				}
				wantQ, wantP := products(t, held, a.Rows, 4)
				gotQ, gotP := products(t, op, a.Rows, 4)
				// Rounding errors are relative to the entries themselves.
				unit := math.Max(largest(wantQ), largest(wantP)) + k.Weight()
				checkClose(t, what, gotQ, wantQ, 2e-13*unit)
				checkClose(t, what, gotP, wantP, 2e-13*unit)
			}
		}
	}
}

// TestExactGraphs: fits of graphs have the singular values of fits of the same rows as dense ones. Their models embed
// the rows of the graphs.
func TestExactGraphs(t *testing.T) {
	for name, kernels := range map[string][]string{"weighted": {"3*sne(gamma=2)", "rbf(sigma=3)"}, "by rows": {"sne(gamma=0.5)"}, "looped": {"t()", "cosine()"}, "hub": {"sne(gamma=2)"}} {
		a := graphs(t)[name]
		for _, text := range kernels {
			what, m := name+", "+text, Exact{Rank: 4, Center: true}
			fit, err := m.Fit(background, stream.Engine{Threads: 2}, graph(t, a), parse(t, text))
			if err != nil {
				t.Fatal(what, err)
			}
			rows, err := m.Fit(background, stream.Engine{}, between(t, denseOf(a), matrix.Transpose(denseOf(a))), parse(t, text))
			if err != nil {
				t.Fatal(what, err)
			}
			if fit.Rank() != rows.Rank() {
				t.Fatalf("%s: rank %d, %d of dense rows", what, fit.Rank(), rows.Rank())
			}
			for s, v := range fit.Values {
				if w := rows.Values[s]; !(math.Abs(v-w) <= 1e-10*rows.Values[0]) {
					t.Errorf("%s: value %d is %v, want %v", what, s, v, w)
				}
			}
			u := matrix.New(a.Rows, fit.Rank())
			err = fit.Transform(background, stream.Engine{}, sparse.NewRows("again", a, nil), model.Request{}, func(b *stream.Block, part blas64.General) error {
				for i := range part.Rows {
					copy(matrix.Row(u, int(b.Start)+i), matrix.Row(part, i))
				}
				return nil
			})
			if err != nil {
				t.Fatal(what, err)
			}
			// The model reproduces U up to residual/σ.
			checkClose(t, what, u, fit.U, 1e-9*fit.Values[0]/fit.Values[fit.Rank()-1])
		}
	}
}

// TestShape compares the size of a small graph with counts by hand.
func TestShape(t *testing.T) {
	// 0→1, 0→2, 1→2, 2→2: the paths are 0→1→2, 0→2→2, 1→2→2 and 2→2→2.
	a, err := sparse.NewCSR(4, 4, slices.Values([]sparse.Entry{{Row: 0, Col: 1, Value: 1}, {Row: 0, Col: 2, Value: 1}, {Row: 1, Col: 2, Value: 1}, {Row: 2, Col: 2, Value: 1}}))
	if err != nil {
		t.Fatal(err)
	}
	want := model.Sparsity{Entries: 4, Paths: 4}
	if got := graph(t, a).Size(); *got.Sparse != want || got.Rows != 4 || got.Cols != 4 || got.Columns != 4 {
		t.Errorf("%+v, %+v, want %+v", got, got.Sparse, want)
	}
	a.Value = []float64{1, -1, 2, 1}
	want.Negative = true
	if got := graph(t, a).Size(); *got.Sparse != want || got.Rows != 4 || got.Cols != 4 || got.Columns != 4 {
		t.Errorf("%+v, %+v, want %+v", got, got.Sparse, want)
	}
}
