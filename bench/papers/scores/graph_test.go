package scores

import (
	"cmp"
	"context"
	"math"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

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
	random := sketch.NewRandom(seed, "feature test")
	for i := range m.Data {
		draws := random.At(uint64(i))
		m.Data[i] = math.Round(2 * draws.Normal())
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

// TestReconstruction compares with a sort of all candidates of each node, over
// several blocks, with ties, for any number of threads.
func TestReconstruction(t *testing.T) {
	const n, d = 300, 3
	graph := randomGraph(n, 0.02, 1)
	u, v := randomRows(n, d, 2), randomRows(n, d, 3)
	values := []float64{3, 1, 0.5}
	distance := func(i, j int) float64 {
		sum := 0.0
		for k := range d {
			sum += (u.Data[i*d+k] - v.Data[j*d+k]) * (u.Data[i*d+k] - v.Data[j*d+k])
		}
		return sum
	}
	product := func(i, j int) float64 {
		sum := 0.0
		for k := range d {
			sum -= u.Data[i*d+k] * values[k] * v.Data[j*d+k]
		}
		return sum
	}
	left, right := stream.FromMatrix("u", u), stream.FromMatrix("v", v)
	for _, loops := range []bool{false, true} {
		for threads := 1; threads <= 3; threads += 2 {
			r, e := Reconstruction{Degrees: OutDegrees(graph), Loops: loops}, stream.Engine{Threads: threads}
			got, err := r.ByDistance(context.Background(), e, left, right)
			if diff := gocmp.Diff(sortedReconstruction(r, distance), got); err != nil || diff != "" {
				t.Errorf("by distance, loops %v: %v %s", loops, err, diff)
			}
			got, err = r.ByProduct(context.Background(), e, left, right, values)
			if diff := gocmp.Diff(sortedReconstruction(r, product), got); err != nil || diff != "" {
				t.Errorf("by product, loops %v: %v %s", loops, err, diff)
			}
		}
	}
}

func sortedReconstruction(r Reconstruction, score func(i, j int) float64) *stream.CSR {
	n := len(r.Degrees)
	g := &stream.CSR{Rows: n, Cols: n, Start: []int64{0}}
	for i, k := range r.Degrees {
		var nodes []int32
		for j := range n {
			if i != j || r.Loops {
				nodes = append(nodes, int32(j))
			}
		}
		slices.SortStableFunc(nodes, func(a, b int32) int { return cmp.Compare(score(i, int(a)), score(i, int(b))) })
		nodes = nodes[:min(k, len(nodes))]
		slices.Sort(nodes)
		g.Index = append(g.Index, nodes...)
		g.Start = append(g.Start, int64(len(g.Index)))
	}
	return g
}

// TestExactReconstruction: the full SVD of an adjacency matrix gives it back.
func TestExactReconstruction(t *testing.T) {
	const n = 60
	graph := randomGraph(n, 0.1, 4)
	var f mat.SVD
	f.Factorize(denseOf(graph), mat.SVDThin)
	var u, v mat.Dense
	f.UTo(&u)
	f.VTo(&v)
	r := Reconstruction{Degrees: OutDegrees(graph), Loops: true}
	got, err := r.ByProduct(context.Background(), stream.Engine{}, stream.FromMatrix("u", u.RawMatrix()), stream.FromMatrix("v", v.RawMatrix()), f.Values(nil))
	if err != nil {
		t.Fatal(err)
	}
	diff, err := CompareGraphs(graph, got)
	if err != nil || diff != (GraphDifference{}) {
		t.Errorf("%+v, %v", diff, err)
	}
}

// TestCompareGraphs compares with dense norms, also of weighted graphs.
func TestCompareGraphs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "n")
		density := rapid.SampledFrom([]float64{0, 0.05, 0.3, 1}).Draw(t, "density")
		a := randomGraph(n, density, rapid.Uint64().Draw(t, "seed"))
		b := randomGraph(n, 0.2, rapid.Uint64().Draw(t, "seed"))
		if rapid.Bool().Draw(t, "weighted") {
			b.Value = make([]float64, len(b.Index))
			for i := range b.Value {
				b.Value[i] = float64(rapid.IntRange(-2, 2).Draw(t, "weight")) * 1e200
			}
		}
		got, err := CompareGraphs(a, b)
		if err != nil {
			t.Fatal(err)
		}
		var d mat.Dense
		d.Sub(denseOf(a), denseOf(b))
		entries := int64(0)
		for _, v := range d.RawMatrix().Data {
			if v != 0 {
				entries++
			}
		}
		if got.Entries != entries || math.Abs(got.OneNorm-mat.Norm(&d, 1)) > 1e-14*got.OneNorm {
			t.Fatalf("%+v, want %d entries and norm %v", got, entries, mat.Norm(&d, 1))
		}
		var f mat.SVD
		f.Factorize(&d, mat.SVDNone)
		if s := f.Values(nil)[0]; math.Abs(got.Spectral-s) > 1e-10*s {
			t.Fatalf("spectral norm %v, want %v", got.Spectral, s)
		}
	})
}

// TestSpectralNormKnown: graphs whose norm is known and multiple or in a cluster.
func TestSpectralNormKnown(t *testing.T) {
	const n = 2000
	ring := &stream.CSR{Rows: n, Cols: n, Start: []int64{0}} // to both neighbours: norm 2, and eigenvalues next to it
	hub := &stream.CSR{Rows: n, Cols: n, Start: []int64{0}}  // every node to node 5: √n
	for i := range n {
		a, b := int32((i+1)%n), int32((i+n-1)%n)
		ring.Index = append(ring.Index, min(a, b), max(a, b))
		ring.Start = append(ring.Start, int64(len(ring.Index)))
		hub.Index = append(hub.Index, 5)
		hub.Start = append(hub.Start, int64(len(hub.Index)))
	}
	for _, c := range []struct {
		name      string
		g         *stream.CSR
		want, tol float64
	}{{"ring", ring, 2, 1e-4}, {"hub", hub, math.Sqrt(n), 1e-12}} {
		got, err := spectralNorm(c.g)
		if err != nil || math.Abs(got-c.want) > c.tol*c.want {
			t.Errorf("%s: %v, %v, want %v", c.name, got, err, c.want)
		}
	}
}

func TestReconstructionRefuses(t *testing.T) {
	ctx, e := context.Background(), stream.Engine{}
	x := randomRows(3, 2, 1)
	src := stream.FromMatrix("x", x)
	bad := stream.NewMatrix(3, 2)
	bad.Data[3] = math.NaN()
	huge := stream.NewMatrix(3, 2)
	huge.Data[3] = 1e200
	ones := []int{1, 1, 1}
	for name, err := range map[string]error{
		"rows":        third(Reconstruction{Degrees: []int{1, 1}}.ByDistance(ctx, e, src, src)),
		"degree":      third(Reconstruction{Degrees: []int{1, 1, 4}}.ByDistance(ctx, e, src, src)),
		"negative":    third(Reconstruction{Degrees: []int{1, 1, -1}}.ByDistance(ctx, e, src, src)),
		"NaN":         third(Reconstruction{Degrees: ones}.ByDistance(ctx, e, src, stream.FromMatrix("bad", bad))),
		"NaN value":   third(Reconstruction{Degrees: ones}.ByProduct(ctx, e, src, src, []float64{1, math.NaN()})),
		"overflow":    third(Reconstruction{Degrees: ones}.ByDistance(ctx, e, src, stream.FromMatrix("huge", huge))),
		"no features": third(Reconstruction{Degrees: ones}.ByDistance(ctx, e, stream.FromMatrix("none", stream.NewMatrix(3, 0)), stream.FromMatrix("none", stream.NewMatrix(3, 0)))),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	none, err := Reconstruction{}.ByDistance(ctx, e, stream.FromMatrix("none", stream.NewMatrix(0, 2)), stream.FromMatrix("none", stream.NewMatrix(0, 2)))
	if err != nil || none.Rows != 0 {
		t.Errorf("no nodes: %v, %v", none, err)
	}
}

func third(_ *stream.CSR, err error) error { return err }
