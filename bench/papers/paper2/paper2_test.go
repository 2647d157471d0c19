package paper2

import (
	"context"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/bench/papers/graphs"
	"github.com/nystream/nystream/bench/papers/lab"
	"github.com/nystream/nystream/bench/papers/scores"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/solvers/split"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/sparse"
)

const nodes = 60

// small returns a graph of 60 nodes in two classes.
func small(t *testing.T) *graphs.Classed {
	t.Helper()
	g := &graphs.Classed{Name: "small", Classes: 2}
	a, err := sparse.NewCSR(nodes, nodes, func(yield func(sparse.Entry) bool) {
		for i := int32(0); i < 4*nodes && yield(sparse.Entry{Row: i % nodes, Col: i * i * i / 7 % nodes, Value: 1}); i++ {
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	g.Adjacency = graphs.WithLoops(a)
	for i := range nodes {
		g.Labels = append(g.Labels, i%2)
	}
	return g
}

// kernelMatrix returns exp(−‖x_i − z_j‖²/γ²), or x_i·z_j for γ = 0, by definition.
func kernelMatrix(x, z mat.Matrix, gamma float64) *mat.Dense {
	k := mat.NewDense(nodes, nodes, nil)
	k.Apply(func(i, j int, _ float64) float64 {
		a, b := mat.Row(nil, i, x), mat.Row(nil, j, z)
		if gamma == 0 {
			return floats.Dot(a, b)
		}
		return math.Exp(-math.Pow(floats.Distance(a, b, 2), 2) / (gamma * gamma))
	}, k)
	return k
}

// sne returns the SNE kernel between rows and columns.
func sne(g *graphs.Classed, gamma float64) *mat.Dense {
	x := graphs.Dense(g.Adjacency)
	k := kernelMatrix(x, x.T(), gamma)
	for i := range nodes {
		floats.Scale(1/floats.Sum(k.RawRowView(i)), k.RawRowView(i))
	}
	return k
}

// centred returns (I − 11ᵀ/n)·k·(I − 11ᵀ/n).
func centred(k *mat.Dense) *mat.Dense {
	c, m := mat.NewDense(nodes, nodes, nil), mat.Dense{}
	for i := range nodes {
		floats.AddConst(-1.0/nodes, c.RawRowView(i))
		c.Set(i, i, 1-1.0/nodes)
	}
	m.Product(c, k, c)
	return &m
}

// TestFeatures compares the features of each method with gonum's SVD of its matrix.
func TestFeatures(t *testing.T) {
	g := small(t)
	x := graphs.Dense(g.Adjacency)
	for method, want := range map[string]*mat.Dense{methodKSVD: centred(sne(g, 2)), methodSVD: x,
		methodPCA: centred(kernelMatrix(x, x, 0)), methodKPCA: centred(kernelMatrix(x, x, 2))} {
		f, err := newFeatures(t.Context(), g, method, 2, 10)
		if err != nil {
			t.Fatal(err)
		}
		var d mat.SVD
		d.Factorize(want, mat.SVDNone)
		if values := d.Values(nil)[:10]; !floats.EqualApprox(f.values, values, 1e-7*values[0]) {
			t.Errorf("%s: values %v, want %v", method, f.values, values)
		}
		image := lab.Dense(product(want, lab.Dense(f.right())))
		for i := range nodes {
			floats.Mul(lab.Row(f.u, i), f.values)
		}
		if !mat.EqualApprox(image, lab.Dense(f.u), 1e-6*f.values[0]) {
			t.Errorf("%s: A·V is not U·diag(s)", method)
		}
	}
	f, err := newFeatures(t.Context(), g, methodSVD, math.NaN(), nodes)
	if err != nil {
		t.Fatal(err)
	}
	d, err := readings[len(readings)-1].try(t.Context(), g.Adjacency, f) // by inner products
	if err != nil || d != (scores.GraphDifference{}) {
		t.Errorf("reconstructed from all vectors: %+v, %v", d, err)
	}
}

// TestSolvers compares G with its definition, and the solvers with all samples, which makes them exact.
func TestSolvers(t *testing.T) {
	g := small(t)
	p := &speedProblem{graph: "small", adjacency: g.Adjacency, gamma: 1.5}
	for _, want := range []*mat.Dense{sne(g, 1.5), centred(sne(g, 1.5))} {
		if got, err := p.matrix(t.Context()); err != nil || !mat.EqualApprox(got, want, 1e-13) {
			t.Errorf("centred %v: G is off (%v)", p.centred, err)
		}
		p.centred = true
	}
	truth, err := p.exact(t.Context(), ksvd.Exact{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range solvers() {
		one := &setting{solver: s, samples: nodes}
		if err := one.run(t.Context(), p, truth, 1e9); err != nil {
			t.Fatal(err)
		}
		if eta := floats.Max(one.eta(measures[0])); len(one.seconds) != speedSeeds || !(eta < 1e-6) {
			t.Errorf("%s, %s: η %v in %d fits", s.family, s.setting, eta, len(one.seconds))
		}
	}
}

// TestSampledFeatures: with all samples the features of Figure 4 equal those of the whole matrix, by gonum.
func TestSampledFeatures(t *testing.T) {
	g := small(t)
	x := graphs.Dense(g.Adjacency)
	for name, c := range map[string]struct {
		of   func(context.Context, *graphs.Classed, int, int) (*features, error)
		want *mat.Dense
	}{"KSVD": {sampledKSVD, centred(kernelMatrix(x, x.T(), subsampledGamma))}, "KPCA": {sampledKPCA, centred(kernelMatrix(x, x, subsampledGamma))}} {
		f, err := c.of(t.Context(), g, nodes, 8)
		if err != nil {
			t.Fatal(err)
		}
		var d mat.SVD
		d.Factorize(c.want, mat.SVDNone)
		if values := d.Values(nil)[:8]; !floats.EqualApprox(f.values, values, 1e-6*values[0]) {
			t.Errorf("%s: values %v, want %v", name, f.values, values)
		}
		image := lab.Dense(product(c.want, lab.Dense(f.right())))
		for i := range nodes {
			floats.Mul(lab.Row(f.u, i), f.values)
		}
		if !mat.EqualApprox(image, lab.Dense(f.u), 1e-5*f.values[0]) {
			t.Errorf("%s: A·V is not U·diag(s)", name)
		}
	}
}

// TestClassification classifies by informative features and by noise.
func TestClassification(t *testing.T) {
	g := small(t)
	good := &features{gamma: 1, values: []float64{2}, u: stream.NewMatrix(nodes, 1)}
	bad := &features{gamma: 2, values: []float64{2}, u: stream.NewMatrix(nodes, 1)}
	for i, c := range g.Labels {
		good.u.Data[i], bad.u.Data[i] = float64(c)-0.5, float64(i/2%2)
	}
	made := map[string][]*features{methodPCA: {bad}, methodKPCA: {bad, good}, methodSVD: {good}, methodKSVD: {good, bad}}
	all, err := classify(t.Context(), g, made, 2)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range classification(g, all).Rows {
		if want := i > 0; (row[2] == "1.0000") != want {
			t.Errorf("%s: micro F1 %s", row[0], row[2])
		}
	}
}

// TestSupervised selects features that determine a target, and compares the vectors of monomials with gonum's SVD of
// their table.
func TestSupervised(t *testing.T) {
	r := regression{x: stream.NewMatrix(50, 3), target: make([]float64, 50)}
	noise := stream.NewMatrix(50, 2)
	sketch.NewRandom(3, "table").Normals(r.x)
	sketch.NewRandom(4, "noise").Normals(noise)
	for i := range r.target {
		r.target[i] = 7 + 2*lab.Row(r.x, i)[0] - lab.Row(r.x, i)[2]
	}
	splits, err := split.Random(50, tableTest, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	rmse, err := r.mean([]blas64.General{noise, r.x}, 1e8, splits)
	all, err2 := r.features(t.Context(), ablations()[0])
	if err != nil || err2 != nil || rmse > 1e-5 {
		t.Fatalf("RMSE %v, %v, %v", rmse, err, err2)
	}
	var d mat.SVD
	var u mat.Dense
	d.Factorize(lab.Dense(monomials(r.x)), mat.SVDThin)
	d.UTo(&u)
	if dot := mat.Dot(u.ColView(0), lab.Dense(all[0]).ColView(0)); math.Abs(math.Abs(dot)-1) > 1e-9 {
		t.Errorf("the first vector is off by %g", 1-math.Abs(dot))
	}
	x := blas64.General{Rows: 1, Cols: 2, Stride: 2, Data: []float64{2, 3}}
	if got := monomials(x).Data; !floats.Equal(got, []float64{2, 3, 4, 6, 9}) {
		t.Errorf("monomials %v", got)
	}
}

func TestOptions(t *testing.T) {
	for _, args := range []string{"-only 7", "-seeds 0", "-features 0", "rest"} {
		if _, err := Parse(strings.Fields(args)); err == nil {
			t.Errorf("%s: no error", args)
		}
	}
	if _, err := Parse([]string{"-only", "1,2"}); err != nil {
		t.Error(err)
	}
}
