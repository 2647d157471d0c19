package scores

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/bench/papers/graphs"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/sparse"
)

// TestAgainstScikitLearn compares scores with scikit-learn 1.2.1.
func TestAgainstScikitLearn(t *testing.T) {
	// roc_auc_score([0,1,1,0,1,0,0,1,1,0], [.1,.4,.35,.4,.8,.35,.2,.35,.9,.8])
	positive := []bool{false, true, true, false, true, false, false, true, true, false}
	if got, err := AUROC(positive, []float64{.1, .4, .35, .4, .8, .35, .2, .35, .9, .8}); math.Abs(got-0.72) > 1e-14 {
		t.Errorf("AUROC %v, %v, want 0.72", got, err)
	}
	if got, err := AUROC([]bool{true, false, true}, []float64{1, 1, 1}); got != 0.5 {
		t.Errorf("AUROC of equal scores %v, %v", got, err)
	}
	// np.sqrt(mean_squared_error([1,2,3.5], [1.5,0,3]))
	if got, err := RMSE([]float64{1, 2, 3.5}, []float64{1.5, 0, 3}); math.Abs(got-1.224744871391589) > 1e-14 {
		t.Errorf("RMSE %v, %v", got, err)
	}
	if got, err := NewF1([]int{0, 0, 1, 2}, []int{0, 1, 1, 1}); got.Micro != 0.5 || math.Abs(got.Macro-7.0/18) > 1e-14 {
		t.Errorf("F1 %v, %v", got, err)
	}
	_, infinite := RMSE([]float64{1}, []float64{math.Inf(1)})
	_, one := AUROC([]bool{true, true}, []float64{1, 2})
	_, nan := AUROC([]bool{true, false}, []float64{1, math.NaN()})
	if infinite == nil || one == nil || nan == nil {
		t.Errorf("no error among %v, %v, %v", infinite, one, nan)
	}
}

// randomGraph draws each edge with probability p.
func randomGraph(t *testing.T, n int, p float64, seed uint64) *sparse.CSR {
	t.Helper()
	g, err := sparse.NewCSR(n, n, func(yield func(sparse.Entry) bool) {
		draws := sketch.NewRandom(seed, "graph test").At(0)
		for i := range n * n {
			if draws.Float64() < p && !yield(sparse.Entry{Row: int32(i / n), Col: int32(i % n), Value: 1}) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestReconstruct compares with a stable sort of all nodes, over several tiles and with ties.
func TestReconstruct(t *testing.T) {
	const n, d = 300, 3
	graph, u, v := randomGraph(t, n, 0.02, 1), stream.NewMatrix(n, d), stream.NewMatrix(n, d)
	for i := range u.Data {
		u.Data[i], v.Data[i] = float64(i*i%7), float64(i*i*i%5-i%3)
	}
	got, err := Reconstruct(t.Context(), graph, ByDistance, u, v)
	if err != nil {
		t.Fatal(err)
	}
	nodes := make([]int32, n)
	for i := range n {
		score := func(j int32) float64 { return floats.Distance(u.Data[i*d:][:d], v.Data[int(j)*d:][:d], 2) }
		for j := range nodes {
			nodes[j] = int32(j)
		}
		slices.SortStableFunc(nodes, func(a, b int32) int { return cmp.Compare(score(a), score(b)) })
		row, _ := graph.Row(i)
		edges, _ := got.Row(i)
		if want := slices.Sorted(slices.Values(nodes[:len(row)])); !slices.Equal(edges, want) {
			t.Fatalf("node %d: edges %v, want %v", i, edges, want)
		}
	}
}

// TestCompareGraphs compares with dense norms: random graphs, and a ring, whose spectral norm lies in a cluster.
func TestCompareGraphs(t *testing.T) {
	const n = 60
	none := randomGraph(t, n, 0, 0)
	ring, err := sparse.NewCSR(n, n, func(yield func(sparse.Entry) bool) {
		for i := 0; i < n && yield(sparse.Entry{Row: int32(i), Col: int32((i + 1) % n), Value: 1}) &&
			yield(sparse.Entry{Row: int32(i), Col: int32((i + n - 1) % n), Value: 1}); i++ {
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, pair := range [][2]*sparse.CSR{{ring, none}, {none, none}, {randomGraph(t, n, 1, 0), randomGraph(t, n, 0.2, 1)},
		{randomGraph(t, n, 0.05, 1), randomGraph(t, n, 0.2, 2)}, {randomGraph(t, 1, 0, 0), randomGraph(t, 1, 1, 0)}} {
		got, err := CompareGraphs(pair[0], pair[1])
		if err != nil {
			t.Fatal(err)
		}
		var d mat.Dense
		var f mat.SVD
		d.Sub(graphs.Dense(pair[0]), graphs.Dense(pair[1]))
		f.Factorize(&d, mat.SVDNone)
		entries := floats.Count(func(v float64) bool { return v != 0 }, d.RawMatrix().Data)
		want := GraphDifference{entries, mat.Norm(&d, 1), f.Values(nil)[0]}
		if !(math.Abs(got.Spectral-want.Spectral) <= 1e-2*want.Spectral) {
			t.Errorf("spectral norm %v, want %v", got.Spectral, want.Spectral)
		}
		if got.Spectral = want.Spectral; got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
}
