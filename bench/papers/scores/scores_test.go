package scores

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// TestAgainstScikitLearn compares with figures of scikit-learn 1.2.1.
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
	// f1_score([0,0,1,2], [0,1,1,1], average='macro')
	if got, err := NewF1([]int{0, 0, 1, 2}, []int{0, 1, 1, 1}); got.Micro != 0.5 || math.Abs(got.Macro-7.0/18) > 1e-14 {
		t.Errorf("F1 %v, %v", got, err)
	}
}

func TestRefuses(t *testing.T) {
	second := func(_ float64, err error) error { return err }
	for name, err := range map[string]error{
		"no rows":             second(RMSE(nil, nil)),
		"one class":           second(AUROC([]bool{true, true}, []float64{1, 2})),
		"NaN score":           second(AUROC([]bool{true, false}, []float64{1, math.NaN()})),
		"infinite prediction": second(RMSE([]float64{1}, []float64{math.Inf(1)})),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// randomGraph draws each edge with the given probability.
func randomGraph(n int, p float64, seed uint64) *stream.CSR {
	random := sketch.NewRandom(seed, "graph test")
	g := &stream.CSR{Rows: n, Cols: n, Start: []int64{0}}
	for i := range n {
		d := random.At(uint64(i))
		for j := range n {
			if d.Float64() < p {
				g.Index = append(g.Index, int32(j))
			}
		}
		g.Start = append(g.Start, int64(len(g.Index)))
	}
	return g
}

// randomRows draws features on a coarse grid, so that many are equal.
func randomRows(n, d int, seed uint64) blas64.General {
	m := stream.NewMatrix(n, d)
	sketch.NewRandom(seed, "feature test").Normals(m)
	for i, v := range m.Data {
		m.Data[i] = math.Round(2 * v)
	}
	return m
}

func denseOf(g *stream.CSR) *mat.Dense {
	d := mat.NewDense(g.Rows, g.Cols, nil)
	for e := range g.Entries() {
		d.Set(int(e.Row), int(e.Col), e.Value)
	}
	return d
}

// TestReconstruct compares with a stable sort of all nodes, over several tiles, with ties.
func TestReconstruct(t *testing.T) {
	const n, d = 300, 3
	graph, u, v := randomGraph(n, 0.02, 1), randomRows(n, d, 2), randomRows(n, d, 3)
	for name, c := range map[string]struct {
		by    Near
		score func(x, z []float64) float64
	}{
		"distance": {ByDistance, func(x, z []float64) (sum float64) {
			for k := range x {
				sum += (x[k] - z[k]) * (x[k] - z[k])
			}
			return sum
		}},
		"product": {ByProduct, func(x, z []float64) (sum float64) {
			for k := range x {
				sum -= x[k] * z[k]
			}
			return sum
		}},
	} {
		got, err := Reconstruct(t.Context(), graph, c.by, u, v)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			row, _ := graph.Row(i)
			nodes := make([]int32, n)
			for j := range nodes {
				nodes[j] = int32(j)
			}
			score := func(j int32) float64 { return c.score(u.Data[i*d:][:d], v.Data[int(j)*d:][:d]) }
			slices.SortStableFunc(nodes, func(a, b int32) int { return cmp.Compare(score(a), score(b)) })
			want := slices.Sorted(slices.Values(nodes[:len(row)]))
			if edges, _ := got.Row(i); !slices.Equal(edges, want) {
				t.Fatalf("by %s, node %d: edges %v, want %v", name, i, edges, want)
			}
		}
	}
}

// TestCompareGraphs compares with dense norms.
func TestCompareGraphs(t *testing.T) {
	for i, density := range []float64{0, 0.05, 0.3, 1} {
		for _, n := range []int{1, 9, 60} {
			a, b := randomGraph(n, density, uint64(i)), randomGraph(n, 0.2, uint64(9+i))
			got, err := CompareGraphs(a, b)
			if err != nil {
				t.Fatal(err)
			}
			var d mat.Dense
			d.Sub(denseOf(a), denseOf(b))
			entries := 0
			for _, v := range d.RawMatrix().Data {
				if v != 0 {
					entries++
				}
			}
			var f mat.SVD
			f.Factorize(&d, mat.SVDNone)
			want := GraphDifference{entries, mat.Norm(&d, 1), f.Values(nil)[0]}
			if math.Abs(got.Spectral-want.Spectral) > 1e-10*want.Spectral {
				t.Errorf("spectral norm %v of %d nodes, want %v", got.Spectral, n, want.Spectral)
			}
			if got.Spectral = want.Spectral; got != want {
				t.Errorf("%+v of %d nodes, want %+v", got, n, want)
			}
		}
	}
}

// TestSpectralNorm has graphs whose norm is known, and multiple or in a cluster.
func TestSpectralNorm(t *testing.T) {
	const n = 400
	ring := &stream.CSR{Rows: n, Cols: n, Start: []int64{0}} // to both neighbours: norm 2, in a cluster
	hub := &stream.CSR{Rows: n, Cols: n, Start: []int64{0}}  // every node to node 5: norm √n
	for i := range n {
		a, b := int32((i+1)%n), int32((i+n-1)%n)
		ring.Index = append(ring.Index, min(a, b), max(a, b))
		ring.Start = append(ring.Start, int64(len(ring.Index)))
		hub.Index = append(hub.Index, 5)
		hub.Start = append(hub.Start, int64(len(hub.Index)))
	}
	if got := spectralNorm(ring); math.Abs(got-2) > 2e-4 {
		t.Errorf("ring: %v, want 2", got)
	}
	if got := spectralNorm(hub); math.Abs(got-math.Sqrt(n)) > 1e-10 {
		t.Errorf("hub: %v, want %v", got, math.Sqrt(n))
	}
}
