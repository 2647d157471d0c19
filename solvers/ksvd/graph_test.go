package ksvd

import (
	"encoding/csv"
	"fmt"
	"iter"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/sparse"
)

// randomGraph returns a graph of n nodes with about degree outgoing edges each, and a few hubs. Node 0 has no outgoing
// edges and node 1 no incoming ones.
func randomGraph(t testing.TB, n, degree int, weighted bool, seed uint64) *sparse.CSR {
	t.Helper()
	random := sketch.NewRandom(seed, "test graph")
	var entries iter.Seq[sparse.Entry] = func(yield func(sparse.Entry) bool) {
		for i := 1; i < n; i++ {
			draws := random.At(uint64(i))
			seen := map[int32]bool{}
			for range 1 + draws.Uint64n(uint64(2*degree)) {
				u := draws.Float64()
				j := int32(float64(n) * u * u * u)
				w := 1.0
				if weighted {
					w = 0.5 + draws.Float64()
				}
				if j != 1 && !seen[j] && !yield(sparse.Entry{Row: int32(i), Col: j, Value: w}) {
					return
				}
				seen[j] = true
			}
		}
	}
	m, err := sparse.NewCSR(n, n, entries)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// denseOf returns a sparse matrix as a dense one.
func denseOf(m *sparse.CSR) blas64.General {
	d := matrix.New(m.Rows, m.Cols)
	for e := range m.Entries() {
		matrix.Row(d, int(e.Row))[e.Col] = e.Value
	}
	return d
}

// graph returns the data of a graph.
func graph(t testing.TB, a *sparse.CSR) *Data {
	t.Helper()
	d, err := Graph("graph", a)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestSparseTiles compares tiles of a graph with those of the same dense rows and columns, by both algorithms and for
// slices.
func TestSparseTiles(t *testing.T) {
	for _, weighted := range []bool{false, true} {
		a := randomGraph(t, 90, 5, weighted, 1)
		x, z := denseOf(a), matrix.Transpose(denseOf(a))
		for _, f := range formulas {
			k := parse(t, f.text)
			e, err := tiles.New(k, true)
			if f.text == "kl(a=2)" {
				if err == nil {
					t.Error("kl between sparse rows: no error")
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			left, right := &tiles.Rows{Sparse: a}, &tiles.Rows{Sparse: a.Transpose()}
			want := matrix.New(90, 90)
			var w tiles.Work
			e.Fill(want, &tiles.Rows{Dense: x}, &tiles.Rows{Dense: z}, &w)
			byRows, byColumns := matrix.New(90, 90), matrix.New(90, 90)
			e.Fill(byRows, left, right, &w)
			turned := &tiles.Rows{Sparse: a}
			turned.Transpose()
			e.Fill(byColumns, turned, &tiles.Rows{Sparse: right.Sparse}, &w)
			tol := 1e-12
			if k.String() == "t()" || f.text == "poly(degree=2, gamma=0.5, coef0=1)" {
				tol = 1e-9
			}
			checkClose(t, f.text, byRows, want, tol*100)
			checkClose(t, f.text+" by columns", byColumns, byRows, 0)
			part := matrix.New(20, 30)
			e.Fill(part, left.Slice(40, 20), right.Slice(7, 30), &w)
			for i := range part.Rows {
				for j, v := range matrix.Row(part, i) {
					if v != matrix.Row(byRows, 40+i)[7+j] {
						t.Fatalf("%s: entry (%d, %d) of a slice is %v, want %v", f.text, i, j, v, matrix.Row(byRows, 40+i)[7+j])
					}
				}
			}
		}
	}
}

// TestGraphFits: all methods give the same results for a graph and for its dense rows and columns.
func TestGraphFits(t *testing.T) {
	a := randomGraph(t, 300, 4, false, 2)
	x, z := denseOf(a), matrix.Transpose(denseOf(a))
	for _, f := range []formula{formulas[0], formulas[4], formulas[6]} {
		k := parse(t, f.text)
		fit, err := Exact{Rank: 5, Center: true}.Fit(background, stream.Engine{}, graph(t, a), k)
		if err != nil {
			t.Fatal(err)
		}
		checkDecomposition(t, f.text, denseG(f, k, x, z, true), fit.Values, fit.U, fit.V, 1e-9, 1e-6)
		for _, sums := range []Sums{SumsExact, SumsSampled} {
			m := Nystrom{Rank: 5, Rows: 80, Cols: 70, Center: true, Sums: sums, Scaling: ScaleOrthonormal, Seed: 1}
			sparse, err := m.Fit(background, stream.Engine{}, graph(t, a), k)
			if err != nil {
				t.Fatal(err)
			}
			formed, err := m.Fit(background, stream.Engine{}, between(t, x, z), k)
			if err != nil {
				t.Fatal(err)
			}
			u, v, err := factors(sparse, stream.Engine{})
			if err != nil {
				t.Fatal(err)
			}
			wantU, wantV, err := factors(formed, stream.Engine{})
			if err != nil {
				t.Fatal(err)
			}
			what := fmt.Sprint(f.text, sums)
			for s := range sparse.Values {
				if math.Abs(sparse.Values[s]-formed.Values[s]) > 1e-8*formed.Values[0] {
					t.Errorf("%s: value %d is %v, want %v", what, s, sparse.Values[s], formed.Values[s])
				}
			}
			product := func(u, v blas64.General, values []float64) blas64.General {
				u = matrix.Clone(u)
				dense.ScaleColumns(u, values)
				return dense.Mul(blas.NoTrans, u, blas.Trans, v)
			}
			checkClose(t, what, product(u, v, sparse.Values), product(wantU, wantV, formed.Values), 1e-7*formed.Values[0])
		}
	}
}

// TestGraphErrors: Graph refuses invalid matrices.
func TestGraphErrors(t *testing.T) {
	if _, err := Graph("g", &sparse.CSR{Rows: 2, Cols: 3, Start: make([]int64, 3)}); err == nil {
		t.Error("2×3: no error")
	}
	if _, err := Graph("g", &sparse.CSR{Start: make([]int64, 1)}); err == nil {
		t.Error("no nodes: no error")
	}
	bad := &sparse.CSR{Rows: 1, Cols: 1, Start: []int64{0, 1}, Index: []int32{0}, Value: []float64{math.NaN()}}
	if _, err := Graph("g", bad); err == nil {
		t.Error("NaN: no error")
	}
	a := graph(t, randomGraph(t, 20, 2, false, 1))
	if _, err := (SSRSVD{Rank: 2}).Fit(background, stream.Engine{}, a, kernelgen.RBF(1)); err == nil {
		t.Error("ssrsvd of a graph: no error")
	}
	if _, err := (Exact{Rank: 2}).Fit(background, stream.Engine{}, a, kernelgen.Laplace(1)); err == nil {
		t.Error("laplace between sparse rows: no error")
	}
}

// cora returns the citation graph with self-loops. It skips the test if the data are absent.
func cora(t testing.TB) *sparse.CSR {
	t.Helper()
	dir := os.Getenv("NYSTREAM_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "data")
	}
	file, err := os.Open(filepath.Join(dir, "cora.edges.csv"))
	if err != nil {
		t.Skipf("no real data: %v (set NYSTREAM_DATA)", err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	m, err := sparse.NewCSR(2708, 2708, func(yield func(sparse.Entry) bool) {
		for _, line := range lines[1:] {
			i, _ := strconv.Atoi(line[0])
			j, _ := strconv.Atoi(line[1])
			if !yield(sparse.Entry{Row: int32(i), Col: int32(j), Value: 1}) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return m.AddIdentity()
}

// countedSNE returns the dense centred matrix of sne(gamma=2) of an unweighted graph. ‖x_i−z_j‖² of 0-1 rows is a
// count.
func countedSNE(a *sparse.CSR) blas64.General {
	product := matrix.New(a.Rows, a.Rows)
	out, in := a.RowSums(), a.ColumnSums()
	for i := range a.Rows {
		row := matrix.Row(product, i)
		index, _ := a.Row(i)
		for _, l := range index {
			next, _ := a.Row(int(l))
			for _, j := range next {
				row[j]++
			}
		}
		sum := 0.0
		for j := range row {
			row[j] = math.Exp(-(out[i] + in[j] - 2*row[j]) / 4)
			sum += row[j]
		}
		for j := range row {
			row[j] /= sum
		}
	}
	dense.CenterColumns(product)
	g := matrix.Transpose(product)
	dense.CenterColumns(g)
	return matrix.Transpose(g)
}

// BenchmarkSparsePass embeds all nodes of a graph of 100,000 nodes and 500,000 edges with 400 sampled columns: the pass
// over one side by the Nyström method.
func BenchmarkSparsePass(b *testing.B) {
	d := graph(b, randomGraph(b, 100_000, 5, false, 1))
	fit, err := Nystrom{Rank: 20, Rows: 400, Sums: SumsSampled}.Fit(background, stream.Engine{}, d, kernelgen.SNE(2))
	if err != nil {
		b.Fatal(err)
	}
	worker, rows, err := fit.Fitted(model.Left)
	if err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	for range b.N {
		if _, err := stream.MapRows(background, stream.Engine{}, "transform", rows, fit.Rank(), worker); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(100_000*400*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mentries/s")
}

// TestPathSums compares sums over the paths of a graph with sums over all entries.
func TestPathSums(t *testing.T) {
	for _, weighted := range []bool{false, true} {
		d := graph(t, randomGraph(t, 300, 5, weighted, 4))
		for _, text := range []string{"sne(gamma=2)", "3*sne(gamma=0.05)", "softmax(scale=2)", "cosine()", "poly(degree=2, gamma=1, coef0=1)"} {
			e, err := tiles.New(parse(t, text), true)
			if err != nil {
				t.Fatal(err)
			}
			g := loadedGrid(t, stream.Engine{}, d, e)
			want, err := g.Sums(background, true)
			if err != nil {
				t.Fatal(err)
			}
			got, err := pathStatistics(background, stream.Engine{}, d, e, true)
			if err != nil || got == nil {
				t.Fatal(text, got, err)
			}
			for name, pair := range map[string][2][]float64{"sums": {got.LogSums, want.LogSums}, "row means": {got.RowMeans, want.RowMeans},
				"column means": {got.ColMeans, want.ColMeans}, "grand": {{got.GrandMean}, {want.GrandMean}}} {
				if len(pair[0]) != len(pair[1]) {
					t.Fatalf("%s: %d %s, want %d", text, len(pair[0]), name, len(pair[1]))
				}
				for i, v := range pair[0] {
					if w := pair[1][i]; !(math.Abs(v-w) <= 1e-12*max(1, math.Abs(w))) {
						t.Fatalf("weighted %v, %s: %s %d is %v, want %v", weighted, text, name, i, v, w)
					}
				}
			}
		}
	}
	negative, err := sparse.NewCSR(2, 2, func(yield func(sparse.Entry) bool) { yield(sparse.Entry{Row: 0, Col: 1, Value: -1}) })
	if err != nil {
		t.Fatal(err)
	}
	e, err := tiles.New(kernelgen.SNE(1), true)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := pathStatistics(background, stream.Engine{}, graph(t, negative), e, true); s != nil || err != nil {
		t.Errorf("a negative weight: %v, %v", s, err)
	}
	if _, err := (Nystrom{Rank: 1}).Fit(background, stream.Engine{}, graph(t, negative), kernelgen.SNE(1)); err != nil {
		t.Error(err)
	}
}
