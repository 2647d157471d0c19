package paper2

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/papers/lssvm"
	"github.com/nystream/nystream/bench/papers/scores"
	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/solvers/metrics"
	"github.com/nystream/nystream/solvers/split"
	"github.com/nystream/nystream/stream"
)

var background = context.Background()

// small returns a synthetic graph of 150 nodes whose communities are its classes.
func small(t *testing.T) *classedGraph {
	t.Helper()
	g, err := synthetic(150, 900)
	if err != nil {
		t.Fatal(err)
	}
	g.labels, g.classes = make([]int, 150), 2
	for i := range g.labels {
		g.labels[i] = i % 2
	}
	return g
}

func difference(a, b blas64.General) float64 {
	most := 0.0
	for i := range a.Rows {
		for j, v := range dense.Row(a, i) {
			most = math.Max(most, math.Abs(v-dense.Row(b, i)[j]))
		}
	}
	return most
}

// TestGraphMatrix holds the two ways to G against the definition, entry by entry.
func TestGraphMatrix(t *testing.T) {
	g := small(t)
	const gamma = 1.3
	x := g.dense()
	n := g.nodes()
	want := stream.NewMatrix(n, n)
	for i := range n {
		sum := 0.0
		for j := range n {
			d := 0.0
			for k := range n {
				e := x.Data[i*n+k] - x.Data[k*n+j]
				d += e * e
			}
			want.Data[i*n+j] = math.Exp(-d / (gamma * gamma))
			sum += want.Data[i*n+j]
		}
		for j := range n {
			want.Data[i*n+j] /= sum
		}
	}
	plain := times(1, want)
	for j := range n {
		mean := 0.0
		for i := range n {
			mean += want.Data[i*n+j] / float64(n)
		}
		for i := range n {
			want.Data[i*n+j] -= mean // the rows have the mean of all
		}
	}
	if d := difference(g.matrix(methodKSVD, gamma), want); d > 1e-14 {
		t.Errorf("the dense matrix is off by %g", d)
	}
	s := newSNEGraph(g.adjacency, gamma, true)
	for _, m := range []struct {
		name string
		*sneGraph
		want blas64.General
	}{{"panels", s, want}, {"not centred", newSNEGraph(g.adjacency, gamma, false), plain}} {
		if d := difference(m.times(identity(n)), m.want); d > 1e-14 {
			t.Errorf("%s: G is off by %g", m.name, d)
		}
		if d := difference(m.timesTransposed(identity(n)), dense.Transpose(m.want)); d > 1e-14 {
			t.Errorf("%s: Gᵀ is off by %g", m.name, d)
		}
	}
	number := []int64{0, 7, 149}
	if d := difference(s.columns(number), dense.Mul(blas.Trans, chosenColumns(n, number), blas.NoTrans, dense.Transpose(want))); d > 1e-14 {
		t.Errorf("columns are off by %g", d)
	}
}

// chosenColumns has the unit vectors of some numbers.
func chosenColumns(n int, number []int64) blas64.General {
	c := stream.NewMatrix(n, len(number))
	for k, j := range number {
		c.Data[int(j)*c.Stride+k] = 1
	}
	return c
}

// TestHubs has a node with so many edges that exponentials of its distances leave the
// range of float64.
func TestHubs(t *testing.T) {
	const n = 3000
	a, err := stream.NewCSR(n, n, func(yield func(stream.Entry) bool) {
		for j := range int32(n) {
			if !yield(stream.Entry{Row: 0, Col: j, Value: 1}) || j > 0 && !yield(stream.Entry{Row: j, Col: 1, Value: 1}) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	a.Value = nil
	s := newSNEGraph(withLoops(a), 0.5, false)
	for i, r := 0, make([]float64, n); i < n; i += 500 {
		s.fill(r, i, newPaths(n))
		sum := 0.0
		for _, v := range r {
			sum += v
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Errorf("row %d sums to %v", i, sum)
		}
	}
}

// TestFeaturesAreThoseOfExact compares the dense decomposition with package ksvd.
func TestFeaturesAreThoseOfExact(t *testing.T) {
	g := small(t)
	f, err := graphFeatures(g, methodKSVD, 2, 10)
	if err != nil {
		t.Fatal(err)
	}
	data, err := ksvd.Graph("g", g.adjacency)
	if err != nil {
		t.Fatal(err)
	}
	fit, err := ksvd.Exact{Rank: 10, Centre: true}.Fit(background, stream.Engine{}, data, kernelgen.SNE(2))
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range fit.Values {
		if math.Abs(v-f.values[i]) > 1e-9*fit.Values[0] {
			t.Errorf("value %d is %v, not %v", i, f.values[i], v)
		}
	}
	a, err := ksvd.NewAccuracy(fit.U, fit.V, fit.Values, f.u, f.v)
	if err != nil || a.Subspace > 1e-9 {
		t.Error(a, err)
	}
}

// TestLinearFeatures holds SVD and PCA against what they decompose.
func TestLinearFeatures(t *testing.T) {
	g := small(t)
	for _, method := range []string{methodSVD, methodPCA, methodKPCA} {
		f, err := graphFeatures(g, method, 2, g.nodes())
		if err != nil {
			t.Fatal(err)
		}
		left := times(1, f.u)
		for j, v := range f.values {
			scaleColumn(left, j, v)
		}
		back := dense.Mul(blas.NoTrans, left, blas.Trans, f.right())
		if d := difference(back, g.matrix(method, 2)); d > 1e-6 {
			t.Errorf("%s: U·diag(s)·Vᵀ is off by %g", method, d)
		}
	}
}

func TestWeighted(t *testing.T) {
	f := &features{values: []float64{4, 1}, u: identity(2), v: identity(2)}
	want := blas64.General{Rows: 2, Cols: 4, Stride: 4, Data: []float64{10, 0, 10, 0, 0, 5, 0, 5}}
	if d := difference(f.weighted(0.5, 10), want); d > 0 {
		t.Error(f.weighted(0.5, 10))
	}
}

// TestSolversFindTheVectors gives each solver all there is, where it must be exact.
func TestSolversFindTheVectors(t *testing.T) {
	g := small(t)
	p := &speedProblem{name: "small", adjacency: g.adjacency, gamma: 1.5, centred: true}
	truth, err := truncated(background, p)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range solvers() {
		a, err := p.try(background, s, g.nodes(), 1, truth)
		if err != nil || a.Subspace > 1e-6 {
			t.Errorf("%v %v", a, err)
		}
	}
}

// TestMissingVectorsAreWrong has a solver that finds one vector of twenty.
func TestMissingVectorsAreWrong(t *testing.T) {
	g := small(t)
	p := &speedProblem{name: "small", adjacency: g.adjacency, gamma: 1.5, centred: true}
	truth, err := truncated(background, p)
	if err != nil {
		t.Fatal(err)
	}
	one := solver{family: "one", solve: func(context.Context, *speedProblem, int, uint64) (u, v blas64.General, err error) {
		u, v = truth.U, truth.V
		u.Cols, v.Cols = 1, 1
		return u, v, nil
	}}
	a, err := p.try(background, one, 1, 1, truth)
	sum := 0.0
	for _, v := range truth.Values {
		sum += v
	}
	if want := 2 * (1 - truth.Values[0]/sum); err != nil || math.Abs(a.Normalised-want) > 1e-9 {
		t.Errorf("η is %v, want %v (%v)", a.Normalised, want, err)
	}
}

func TestQuickest(t *testing.T) {
	of := func(family string, samples int, cpu float64, etas ...float64) *group {
		g := &group{solver: solver{family: family}, samples: samples}
		for _, eta := range etas {
			g.attempts = append(g.attempts, attempt{cpu: cpu, Accuracy: ksvd.Accuracy{Normalised: eta}})
		}
		return g
	}
	m := &measurements{groups: []*group{of("a", 1, 3, 0.001), of("a", 2, 1, 0.05, 0.5, 0.06), of("b", 3, 0.1, 0.05), of("a", 4, 0.5, 0.05, 0.5, 0.6)}}
	if best, found := m.quickest("a", measures[0], 0.1); !found || best.cpu() != 1 || best.size(measures[0], 0.1) != "2, 2/3" {
		t.Error(best, found)
	}
	if _, found := m.quickest("b", measures[0], 0.01); found {
		t.Error("found one")
	}
	if m.missed("a") != "> 3" || m.missed("c") != "–" {
		t.Error(m.missed("a"), m.missed("c"))
	}
}

// TestBandwidth: the variance is over all entries, those that are not there included.
func TestBandwidth(t *testing.T) {
	g := small(t)
	entries := mat.NewDense(g.adjacency.Rows, g.adjacency.Cols, nil)
	for e := range g.adjacency.Entries() {
		entries.Set(int(e.Row), int(e.Col), e.Value)
	}
	want := 3 * math.Sqrt(150*stat.PopVariance(entries.RawMatrix().Data, nil))
	if got := bandwidth(g.adjacency, 3); math.Abs(got-want) > 1e-12*want {
		t.Errorf("bandwidth %v, want %v", got, want)
	}
}

// TestSettle repeats the quickest solver until its median is known, and finds that one
// that is right by luck is not the quickest.
func TestSettle(t *testing.T) {
	g := small(t)
	p := &speedProblem{name: "small", adjacency: g.adjacency, gamma: 1.5, centred: true}
	truth, err := truncated(background, p)
	if err != nil {
		t.Fatal(err)
	}
	exact := func(context.Context, *speedProblem, int, uint64) (u, v blas64.General, err error) {
		return truth.U, truth.V, nil
	}
	lucky := func(ctx context.Context, p *speedProblem, _ int, seed uint64) (u, v blas64.General, err error) {
		if seed == 1 {
			return exact(ctx, p, 1, 1)
		}
		return truth.V, truth.U, nil
	}
	m := &measurements{problem: p, truth: truth}
	for i, solve := range []func(context.Context, *speedProblem, int, uint64) (u, v blas64.General, err error){lucky, exact} {
		m.groups = append(m.groups, &group{solver: solver{family: nameRSVD, solve: solve}, samples: i})
		if err := m.try(background, m.groups[i]); err != nil {
			t.Fatal(err)
		}
	}
	m.groups[0].attempts[0].cpu, m.groups[1].attempts[0].cpu = 0, 1
	if err := m.settle(background, 4, 1e9); err != nil {
		t.Fatal(err)
	}
	best, found := m.quickest(nameRSVD, measures[0], 0.01)
	if !found || best != m.groups[1] || len(best.attempts) != 4 {
		t.Error(best, found)
	}
}

// TestClassification has classes that the features tell.
func TestClassification(t *testing.T) {
	g := small(t)
	good := &features{values: []float64{2, 1}, u: stream.NewMatrix(150, 2), v: stream.NewMatrix(150, 0)}
	bad := &features{values: []float64{2, 1}, u: stream.NewMatrix(150, 2), v: stream.NewMatrix(150, 0)}
	for i, c := range g.labels {
		good.u.Data[2*i] = float64(c) - 0.5
		bad.u.Data[2*i] = float64(i / 2 % 2)
	}
	made := map[string][]*features{}
	for _, m := range graphMethods {
		made[m] = []*features{bad, good}
	}
	made[methodPCA] = []*features{bad}
	scores, err := classification{splits: 2, folds: 3}.run(background, g, made)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range scores {
		mean, _ := meanDeviation(s.over(micro))
		if want := s.method != methodPCA; (mean == 1) != want {
			t.Errorf("%s: micro F1 %v", s.method, mean)
		}
	}
	if text := table1(g, classification{splits: 2, folds: 3}, scores).Markdown(); strings.Count(text, "\n| ") != 5 {
		t.Error(text)
	}
}

// TestReconstruction has the matrix itself for features: the largest entries of a row
// are its edges.
func TestReconstruction(t *testing.T) {
	g := small(t)
	n := g.nodes()
	ones := make([]float64, n)
	for i := range ones {
		ones[i] = 1
	}
	exact := &features{method: methodSVD, values: ones, u: g.dense(), v: identity(n)}
	d, _, err := reconstructed(background, g, []*features{exact}, reading{"product", byProduct})
	if err != nil || d != (scores.GraphDifference{}) {
		t.Error(d, err)
	}
	made := map[string][]*features{}
	for _, m := range graphMethods {
		made[m] = []*features{exact}
	}
	table, err := table2(background, g, made)
	if err != nil || len(table.Rows) != len(readings)*len(graphMethods) {
		t.Error(table, err)
	}
}

func TestReadGraph(t *testing.T) {
	dir := t.TempDir()
	edges, labels := filepath.Join(dir, "g.csv"), filepath.Join(dir, "l.csv")
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(edges, "src,dst\na,b\nb,b\nb,c\n")
	write(labels, "node,label\nc,red\nb,blue\na,red\nd,blue\n")
	g, err := readGraph(background, "g", edges, labels)
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1}
	if d := difference(g.dense(), blas64.General{Rows: 4, Cols: 4, Stride: 4, Data: want}); d > 0 {
		t.Error(g.dense())
	}
	if g.classes != 2 || g.labels[0] != 1 || g.labels[1] != 0 {
		t.Error(g.labels)
	}
	write(labels, "node,label\nc,red\nb,blue\n")
	if _, err := readGraph(background, "g", edges, labels); err == nil || !strings.Contains(err.Error(), "has no label") {
		t.Error(err)
	}
}

func TestStandardised(t *testing.T) {
	x := blas64.General{Rows: 4, Cols: 2, Stride: 2, Data: []float64{1, 5, 2, 5, 3, 5, 4, 5}}
	y := standardised(x)
	if math.Abs(y.Data[0]+3/math.Sqrt(5)) > 1e-14 || y.Data[1] != 0 || x.Data[0] != 1 {
		t.Error(y.Data)
	}
}

// TestUCI reads the data sets if they are there.
func TestUCI(t *testing.T) {
	for name, shape := range map[string][3]int{"pima": {768, 8, 268}, "ilpd": {579, 10, 414}, "yacht": {308, 6, 0}} {
		d, err := datasets.LoadSupervised(name)
		if os.IsNotExist(err) {
			t.Skipf("no real data: %v (set NYSTREAM_DATA)", err)
		}
		if err != nil {
			t.Fatal(err)
		}
		ones := 0
		for _, v := range d.Target {
			if d.Classes && v == 1 {
				ones++
			}
		}
		if got := [3]int{d.X.Rows, d.X.Cols, ones}; got != shape {
			t.Errorf("%s: %v, want %v", name, got, shape)
		}
	}
}

func TestOptions(t *testing.T) {
	for _, args := range [][]string{{"-only", "7"}, {"-seeds", "0"}, {"rest"}} {
		if _, err := parseOptions(args); err == nil {
			t.Errorf("%q is taken", args)
		}
	}
	o, err := parseOptions([]string{"-only", "1,2"})
	if err != nil || !o.wants("2", "4") || o.wants("4") {
		t.Error(o, err)
	}
}

// TestFoldIsTheMachine holds predictions from inner products against package lssvm.
func TestFoldIsTheMachine(t *testing.T) {
	g := small(t)
	f, err := graphFeatures(g, methodKSVD, 2, 20)
	if err != nil {
		t.Fatal(err)
	}
	var s split.Split
	for i := range int64(150) {
		if i%3 == 0 {
			s.Test = append(s.Test, i)
		} else {
			s.Train = append(s.Train, i)
		}
	}
	differ := newFold(innerProducts(f.weighted(0.5, 1)), g.labels, g.classes, s)
	for _, scale := range []float64{1, 10, 300} {
		predicted, err := differ.predict(scale, lssvmGamma)
		if err != nil {
			t.Fatal(err)
		}
		mine, err := metrics.Accuracy(differ.truth, predicted)
		if err != nil {
			t.Fatal(err)
		}
		want, err := machine(g, f.weighted(0.5, scale), s)
		if err != nil || mine != want {
			t.Errorf("scale %g: micro F1 %v, want %v (%v)", scale, mine, want, err)
		}
	}
}

// machine returns the micro F1 of package lssvm.
func machine(g *classedGraph, x blas64.General, s split.Split) (float64, error) {
	train, err := rowsOf(background, x, s.Train)
	if err != nil {
		return 0, err
	}
	test, err := rowsOf(background, x, s.Test)
	if err != nil {
		return 0, err
	}
	model, err := lssvm.Fit(background, stream.Engine{}, train, picked(g.labels, s.Train), g.classes, lssvmGamma)
	if err != nil {
		return 0, err
	}
	predicted, err := model.Predict(background, stream.Engine{}, test)
	if err != nil {
		return 0, err
	}
	return metrics.Accuracy(picked(g.labels, s.Test), predicted)
}

func TestPairs(t *testing.T) {
	scores := []methodScore{{method: "a", scores: []f1{{0.5, 0}, {0.5, 0}}}, {method: "b", scores: []f1{{0.75, 1}, {0.5, 1}}}}
	r := pairs(small(t), classification{splits: 2}, scores).Rows[0]
	if r[0] != "b − a" || r[1] != "0.1250" || r[2] != "0.1250" || r[3] != "1.0000" || r[4] != "0.0000" || r[5] != "1, 1, 0" {
		t.Error(r)
	}
}

// TestLeadingEigen has matrices whose eigenvalues repeat, vanish, or are far apart.
func TestLeadingEigen(t *testing.T) {
	noise := gaussian(60, 60, 3)
	low := stream.NewMatrix(60, 60)
	for i := range 60 {
		copy(dense.Row(low, i)[:7], dense.Row(noise, i))
	}
	graded := times(1, noise)
	for j := range 60 {
		scaleColumn(graded, j, math.Pow(10, -float64(j)/5))
	}
	for name, x := range map[string]blas64.General{"full": noise, "rank 7": low, "graded": graded, "identity": identity(60), "one": identity(1)} {
		n := x.Rows
		a := innerProducts(x)
		var e mat.EigenSym
		if !e.Factorize(mat.NewSymDense(n, times(1, a).Data), false) {
			t.Fatal(name)
		}
		want := e.Values(nil)
		values, u, err := leadingEigen(times(1, a), n)
		if err != nil {
			t.Fatal(name, err)
		}
		for i, v := range values {
			if math.Abs(v-want[n-1-i]) > 1e-13*want[n-1] {
				t.Errorf("%s: value %d is %v, not %v", name, i, v, want[n-1-i])
			}
		}
		if d := difference(dense.Mul(blas.Trans, u, blas.NoTrans, u), identity(len(values))); d > 1e-13 {
			t.Errorf("%s: vectors are off by %g", name, d)
		}
		back := times(1, u)
		for j, v := range values {
			scaleColumn(back, j, v)
		}
		if d := difference(dense.Mul(blas.NoTrans, back, blas.Trans, u), a); d > 1e-11*(1+want[n-1]) {
			t.Errorf("%s: the matrix is off by %g", name, d)
		}
	}
}

func TestLeadingEigenOfNothing(t *testing.T) {
	if _, _, err := leadingEigen(stream.NewMatrix(5, 5), 3); err == nil {
		t.Error("vectors of a matrix of zeros")
	}
}

// TestDivergences: estimates come near the closed form where samples are large, and the one by
// densities is what its definition says of three numbers and two.
func TestDivergences(t *testing.T) {
	for _, g := range []gaussianPair{{2, 0, 1, 400, 400}, {2, 1, 1, 400, 400}, {1, 0.5, 1.5, 400, 400}} {
		p, q := g.draw(5)
		forth, back := g.divergences()
		for name, estimate := range map[string]func(p, q blas64.General) float64{"densities": byDensities, "neighbours": byNeighbours} {
			if a, b := estimate(p, q), estimate(q, p); math.Abs(a-forth) > 0.15 || math.Abs(b-back) > 0.2 {
				t.Errorf("%v, by %s: %v and %v, want %v and %v", g, name, a, b, forth, back)
			}
		}
	}
	p := blas64.General{Rows: 3, Cols: 1, Stride: 1, Data: []float64{-1, 0, 1}} // standard deviation 1
	q := blas64.General{Rows: 2, Cols: 1, Stride: 1, Data: []float64{0, math.Sqrt2}}
	hp, hq := math.Pow(3, -0.2), math.Pow(2, -0.2)
	bell := func(d, h float64) float64 { return math.Exp(-d*d/h/h/2) / h }
	want := 0.0
	for i, x := range p.Data {
		own := 0.0
		for j, y := range p.Data {
			if j != i {
				own += bell(x-y, hp) / 2
			}
		}
		want += math.Log(own/((bell(x, hq)+bell(x-math.Sqrt2, hq))/2)) / 3
	}
	if got := byDensities(p, q); math.Abs(got-want) > 1e-12 {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestBesideSVD: differences within two standard errors are none.
func TestBesideSVD(t *testing.T) {
	made := func(method string, figures ...float64) methodScore {
		s := methodScore{method: method}
		for _, v := range figures {
			s.scores = append(s.scores, f1{v, v})
		}
		return s
	}
	svd := made(methodSVD, 0.8, 0.82, 0.84)
	for _, c := range []struct {
		ksvd methodScore
		want string
	}{{made(methodKSVD, 0.81, 0.81, 0.84), "are level"}, {made(methodKSVD, 0.85, 0.88, 0.89), "not level"}} {
		if got := besideSVD([]methodScore{svd, c.ksvd}); !strings.Contains(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
