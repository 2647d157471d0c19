package ksvd

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/krylov"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// graphs returns all kinds of them: node 0 of each has no edge out of it, and node 1 none
// into it unless there are self-loops.
func graphs(t testing.TB) map[string]*stream.CSR {
	t.Helper()
	plain, weighted := randomGraph(t, 150, 3, false, 1), randomGraph(t, 150, 3, true, 2)
	negative := *weighted
	negative.Value = slices.Clone(weighted.Value)
	for p := range negative.Value {
		if p%3 == 0 {
			negative.Value[p] *= -1
		}
	}
	return map[string]*stream.CSR{
		"plain": plain, "weighted": weighted, "negative": &negative,
		"looped": plain.AddIdentity(), "looped and weighted": weighted.AddIdentity(),
		"by rows": scaled(t, plain.AddIdentity(), stream.RowStochastic), "by degrees": scaled(t, weighted, stream.SymmetricByDegrees),
		"no edges": {Rows: 7, Cols: 7, Start: make([]int64, 8)},
		"one node": {Rows: 1, Cols: 1, Start: make([]int64, 2)},
		"hub":      hub(t, 60),
	}
}

func scaled(t testing.TB, m *stream.CSR, s stream.DegreeScaling) *stream.CSR {
	t.Helper()
	m, err := m.ScaledByDegrees(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// hub returns a graph in which all nodes lead to one, and it to all: every pair is joined.
func hub(t testing.TB, n int) *stream.CSR {
	t.Helper()
	m, err := stream.NewCSR(n, n, func(yield func(stream.Entry) bool) {
		for i := range n {
			if !yield(stream.Entry{Row: int32(i), Col: 0, Value: 1}) || i > 0 && !yield(stream.Entry{Row: 0, Col: int32(i), Value: 1}) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// sparseKernels are of every kind that sparse rows take.
var sparseKernels = []string{"sne(gamma=2)", "3*sne(gamma=0.05)", "t()", "softmax(scale=2)", "rbf(sigma=3)", "2*rbf(sigma=1) + 0.5*rbf(sigma=4)", "linear()",
	"poly(degree=2, gamma=0.5, coef0=1)", "cosine()", "expdot(scale=0.3)", "matern32(length=2)", "2*t()"}

// loadedGrid returns the grid of all rows.
func loadedGrid(t testing.TB, e stream.Engine, d *Data, k *entries) *grid {
	t.Helper()
	left, right, err := d.load(background, k)
	if err != nil {
		t.Fatal(err)
	}
	return newGrid(e, d, k, left, right)
}

// setUp makes entries and statistics for products with G of a graph.
func setUp(t testing.TB, d *Data, k kernelgen.Kernel) (*entries, *grid, *statistics) {
	t.Helper()
	e, err := newEntries(k, true)
	if err != nil {
		t.Fatal(err)
	}
	g := loadedGrid(t, stream.Engine{}, d, e)
	s, err := g.statistics(background, false)
	if err != nil {
		t.Fatal(err)
	}
	return e, g, s
}

// products multiplies an operator by random vectors from both sides.
func products(t testing.TB, op krylov.Operator, n, b int) (aq, atp blas64.General) {
	t.Helper()
	q, p := gaussian(n, b, 1, 5), gaussian(n, b, 1, 6)
	aq, atp = stream.NewMatrix(n, b), stream.NewMatrix(n, b)
	if err := op.Multiply(background, q, aq, p, atp); err != nil {
		t.Fatal(err)
	}
	return aq, atp
}

func largest(m blas64.General) float64 {
	most := 0.0
	for i := range m.Rows {
		for _, v := range dense.Row(m, i) {
			most = math.Max(most, math.Abs(v))
		}
	}
	return most
}

// TestPathOperator compares products and means by the paths of a graph with those by
// tiles, for all kinds of graphs and kernels, centred and not, and asks for the same
// bits from any number of threads and rows in a block.
func TestPathOperator(t *testing.T) {
	worst := 0.0
	for name, a := range graphs(t) {
		for _, text := range sparseKernels {
			for _, centred := range []bool{false, true} {
				what := fmt.Sprintf("%s, %s, centred %v", name, text, centred)
				d := graph(t, a)
				e, g, s := setUp(t, d, parse(t, text))
				if e.normalised && name == "negative" {
					continue
				}
				tiles := &exactOperator{grid: g, stats: &statistics{logSums: s.logSums}, centre: centred}
				held, err := (&exactOperator{grid: g, stats: &statistics{logSums: s.logSums}, centre: centred}).hold(background)
				if err != nil {
					t.Fatal(what, err)
				}
				wantQ, wantP := products(t, held, a.Rows, 4)
				tileQ, tileP := products(t, tiles, a.Rows, 4)
				paths, err := newPathOperator(background, stream.Engine{Threads: 1, BlockRows: 40}, d, e, &statistics{logSums: s.logSums}, centred)
				if err != nil {
					t.Fatal(what, err)
				}
				gotQ, gotP := products(t, paths, a.Rows, 4)
				// Without a product with anything, rounding is of the entries themselves.
				unit := math.Max(largest(wantQ), largest(wantP)) + e.weight
				for _, pair := range [][2]blas64.General{{gotQ, wantQ}, {gotP, wantP}, {tileQ, wantQ}, {tileP, wantP}} {
					checkClose(t, what, pair[0], pair[1], 2e-13*unit)
					for i := range pair[0].Rows {
						for j, v := range dense.Row(pair[0], i) {
							worst = math.Max(worst, math.Abs(v-dense.Row(pair[1], i)[j])/unit)
						}
					}
				}
				other, err := newPathOperator(background, stream.Engine{Threads: 3}, d, e, &statistics{logSums: s.logSums}, centred)
				if err != nil {
					t.Fatal(what, err)
				}
				sameQ, sameP := products(t, other, a.Rows, 4)
				checkClose(t, what, sameQ, gotQ, 0)
				checkClose(t, what, sameP, gotP, 0)
				if !centred {
					continue
				}
				means := paths.means
				for side, pair := range [][2][]float64{{means.rowMeans, tiles.stats.rowMeans}, {means.colMeans, tiles.stats.colMeans}} {
					for i, v := range pair[0] {
						if w := pair[1][i]; !(math.Abs(v-w) <= 1e-13*math.Max(unit, math.Abs(w))) {
							t.Fatalf("%s: mean %d of side %d is %v, want %v", what, i, side, v, w)
						}
					}
				}
				if v, w := means.grand, tiles.stats.grand; !(math.Abs(v-w) <= 1e-13*math.Max(unit, math.Abs(w))) {
					t.Fatalf("%s: the mean of all is %v, want %v", what, v, w)
				}
			}
		}
	}
	t.Logf("products differ by at most %.2g of the largest", worst)
}

// TestExactOperators fits graphs by either operator, and embeds their own rows.
func TestExactOperators(t *testing.T) {
	for name, kernels := range map[string][]string{"weighted": {"3*sne(gamma=2)", "rbf(sigma=3)"}, "by rows": {"sne(gamma=0.5)"}, "looped": {"t()", "cosine()"}, "hub": {"sne(gamma=2)"}} {
		a := graphs(t)[name]
		for _, text := range kernels {
			what := name + ", " + text
			var fits [2]*Fit
			for i, o := range []Operator{OperatorTiles, OperatorPaths} {
				var err error
				fits[i], err = Exact{Rank: 4, Centre: true, Operator: o}.Fit(background, stream.Engine{Threads: 2}, graph(t, a), parse(t, text))
				if err != nil {
					t.Fatal(what, err)
				}
				if fits[i].Operator != o {
					t.Errorf("%s: operator %v, not %v", what, fits[i].Operator, o)
				}
			}
			tiles, paths := fits[0], fits[1]
			if tiles.ExactPasses == 0 || paths.ExactPasses != 0 {
				t.Errorf("%s: %d exact passes by tiles, %d by paths", what, tiles.ExactPasses, paths.ExactPasses)
			}
			if paths.Rank() != tiles.Rank() {
				t.Fatalf("%s: rank %d by paths, %d by tiles", what, paths.Rank(), tiles.Rank())
			}
			for s, v := range paths.Values {
				if w := tiles.Values[s]; !(math.Abs(v-w) <= 1e-12*tiles.Values[0]) {
					t.Errorf("%s: value %d is %v, want %v", what, s, v, w)
				}
			}
			u := stream.NewMatrix(a.Rows, paths.Rank())
			err := paths.Transform(background, stream.Engine{}, model.Left, stream.NewSparseRows("again", a, nil), false, func(b *stream.Block, part blas64.General) error {
				for i := range part.Rows {
					copy(dense.Row(u, int(b.Start)+i), dense.Row(part, i))
				}
				return nil
			})
			if err != nil {
				t.Fatal(what, err)
			}
			// The model has U up to residual/σ.
			tol := 1e-9 * paths.Values[0] / paths.Values[paths.Rank()-1]
			checkClose(t, what, u, paths.U, tol)
		}
	}
}

// TestChooseOperator: tiles for what paths cannot do or do slowly, and paths for a
// large sparse graph.
func TestChooseOperator(t *testing.T) {
	sparse := graph(t, randomGraph(t, 3000, 3, false, 1)).Shape()
	negative := sparsely(sparse, func(p *model.Sparsity) { p.Negative = true })
	norms := sparsely(sparse, func(p *model.Sparsity) { p.Norms = [2]int64{1e6, 1e6} })
	norms.Rows, norms.Cols = 1e6, 1e6
	dense := sparsely(sparse, func(p *model.Sparsity) { p.Paths, p.Pairs = 3000*3000*1500, 3000*3000 })
	rows := model.Shape{Rows: 3000, Cols: 3000, Columns: 3000}
	for _, c := range []struct {
		name, kernel string
		shape        model.Shape
		want         Operator
		impossible   bool // to ask for paths
	}{
		{"a sparse graph", "sne(gamma=2)", sparse, OperatorPaths, false},
		{"a word", "sne(gamma=median)", sparse, OperatorPaths, false},
		{"distances", "t()", sparse, OperatorPaths, false},
		{"negative weights", "sne(gamma=2)", negative, OperatorTiles, true},
		{"negative weights without sums", "rbf(gamma=2)", negative, OperatorPaths, false},
		{"many norms", "t()", norms, OperatorTiles, true},
		{"many norms without sums", "matern32(length=1)", norms, OperatorTiles, true},
		{"many norms of exponentials", "rbf(gamma=1)", norms, OperatorPaths, false},
		{"a dense graph", "sne(gamma=2)", dense, OperatorTiles, false},
		{"dense rows", "sne(gamma=2)", rows, OperatorTiles, true},
	} {
		k := parse(t, c.kernel)
		if got, err := (Exact{Rank: 5}).Choose(stream.Engine{}, c.shape, k); got != c.want || err != nil {
			t.Errorf("%s: %v, %v, want %v", c.name, got, err, c.want)
		}
		if _, err := (Exact{Rank: 5, Operator: OperatorPaths}).Choose(stream.Engine{}, c.shape, k); (err != nil) != c.impossible {
			t.Errorf("%s: asking for paths: %v", c.name, err)
		}
		if got, err := (Exact{Rank: 5, Operator: OperatorTiles}).Choose(stream.Engine{}, c.shape, k); got != OperatorTiles || err != nil {
			t.Errorf("%s: asking for tiles: %v, %v", c.name, got, err)
		}
	}
	if _, err := (Exact{Rank: 5, Operator: 9}).Choose(stream.Engine{}, sparse, kernelgen.SNE(1)); err == nil || !strings.Contains(err.Error(), "Operator(9)") {
		t.Errorf("operator 9: %v", err)
	}
}

// TestShape counts a graph by hand.
func TestShape(t *testing.T) {
	// 0→1, 0→2, 1→2, 2→2: the paths are 0→1→2, 0→2→2, 1→2→2 and 2→2→2.
	a, err := stream.NewCSR(4, 4, slices.Values([]stream.Entry{{Row: 0, Col: 1, Value: 1}, {Row: 0, Col: 2, Value: 1}, {Row: 1, Col: 2, Value: 1}, {Row: 2, Col: 2, Value: 1}}))
	if err != nil {
		t.Fatal(err)
	}
	want := model.Sparsity{Entries: 4, Paths: 4, Pairs: 4, Norms: [2]int64{3, 3}}
	if got := graph(t, a).Shape(); *got.Sparse != want || got.Rows != 4 || got.Cols != 4 || got.Columns != 4 {
		t.Errorf("%+v, %+v, want %+v", got, got.Sparse, want)
	}
	a.Value = []float64{1, -1, 2, 1}
	want.Negative, want.Norms = true, [2]int64{4, 3}
	if got := graph(t, a).Shape(); *got.Sparse != want || got.Rows != 4 || got.Cols != 4 || got.Columns != 4 {
		t.Errorf("%+v, %+v, want %+v", got, got.Sparse, want)
	}
}
