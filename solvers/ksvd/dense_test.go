package ksvd

import (
	"math"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/krylov"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/nyblas"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/sparse"
)

// Products of matrices use our BLAS, as in the command: with gonum's they would take most of the time.
func init() { blas64.Use(nyblas.Implementation{}) }

// firstNodes returns the subgraph of the first n nodes.
func firstNodes(t testing.TB, a *sparse.CSR, n int) *sparse.CSR {
	t.Helper()
	m, err := sparse.NewCSR(n, n, func(yield func(sparse.Entry) bool) {
		for e := range a.Entries() {
			if int(e.Row) < n && int(e.Col) < n && !yield(e) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	m.Value = nil // all weights are 1
	return m
}

// cluster is a range of singular values without a gap, from first to before end.
type cluster struct{ first, end int }

// clusters divides the first r values at gaps larger than gap times the largest value. It omits the last cluster if it
// extends beyond r.
func clusters(values []float64, r int, gap float64) []cluster {
	var all []cluster
	first := 0
	for i := 1; i <= r && i < len(values); i++ {
		if values[i-1]-values[i] > gap*values[0] {
			all = append(all, cluster{first, i})
			first = i
		}
	}
	return all
}

// sine returns the sine of the largest angle between the spans of u and w, both orthonormal: ‖w − u·uᵀ·w‖₂. Unlike
// cosines, it resolves small angles.
func sine(t testing.TB, u, w blas64.General) float64 {
	t.Helper()
	rest := matrix.Clone(w)
	dense.Gemm(blas.NoTrans, blas.NoTrans, -1, u, dense.Mul(blas.Trans, u, blas.NoTrans, w), 1, rest)
	d, err := newSVD("what is left", rest)
	if err != nil {
		t.Fatal(err)
	}
	return d.S[0]
}

// againstDense compares an exact fit of a graph with the SVD of a dense G, computed by the formula.
func againstDense(t *testing.T, a *sparse.CSR, r int) {
	t.Helper()
	f := formulas[4]
	k := kernelgen.SNE(2)
	began := time.Now()
	truth, err := newSVD("G", denseG(f, k, denseOf(a), matrix.Transpose(denseOf(a)), true))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d×%d: the dense SVD took %v", a.Rows, a.Rows, time.Since(began).Round(time.Millisecond))
	began = time.Now()
	fit, err := Exact{Rank: r, Center: true}.Fit(background, stream.Engine{}, graph(t, a), k)
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(began)
	value, angle := 0.0, 0.0
	for s, v := range fit.Values {
		value = math.Max(value, math.Abs(v-truth.S[s])/truth.S[s])
	}
	groups := clusters(truth.S, r, 1e-4)
	for _, g := range groups {
		n := g.end - g.first
		angle = math.Max(angle, sine(t, matrix.Columns(truth.U, g.first, n), matrix.Columns(fit.U, g.first, n)))
		angle = math.Max(angle, sine(t, matrix.Columns(truth.V, g.first, n), matrix.Columns(fit.V, g.first, n)))
	}
	t.Logf("in %v: %d values off by at most %.2g of themselves; %d spaces up to vector %d, the largest angle %.2g",
		took.Round(time.Millisecond), fit.Rank(), value, len(groups), groups[len(groups)-1].end, angle)
	if fit.Rank() != r || !(value <= 1e-8) || !(angle <= 1e-6) {
		t.Errorf("rank %d, values off by %.2g, angles up to %.2g", fit.Rank(), value, angle)
	}
}

// TestCoraAgainstDense compares the exact method with a dense SVD on 500 nodes of cora.
func TestCoraAgainstDense(t *testing.T) {
	nodes := 500
	if testing.Short() {
		nodes = 250
	}
	againstDense(t, firstNodes(t, cora(t), nodes), 20)
}

// rootsOfGram returns the singular values of g from its Gram matrix, a few times as fast as an SVD. Those near the
// largest are accurate.
func rootsOfGram(t *testing.T, g blas64.General) []float64 {
	t.Helper()
	gram := mat.NewSymDense(g.Cols, nil)
	blas64.Syrk(blas.Trans, 1, g, 0, gram.RawSymmetric())
	var d mat.EigenSym
	if !d.Factorize(gram, false) {
		t.Fatal("the dense decomposition did not converge")
	}
	values := d.Values(nil)
	slices.Reverse(values)
	for i, v := range values {
		values[i] = math.Sqrt(max(0, v))
	}
	return values
}

// TestCoraByResiduals compares singular values with those of a dense G of 1000 nodes, by its Gram matrix, whose
// rounding error is 1e-12. It bounds the angles of the vectors by their residuals over the gaps (Wedin 1972): sin θ ≤
// max(‖Gv−σu‖, ‖Gᵀu−σv‖)/gap.
func TestCoraByResiduals(t *testing.T) {
	if testing.Short() {
		t.Skip("TestCoraAgainstDense in the large: run without -short")
	}
	a := firstNodes(t, cora(t), 1000)
	g := countedSNE(a)
	truth := rootsOfGram(t, g)
	fit, err := Exact{Rank: 20, Center: true}.Fit(background, stream.Engine{}, graph(t, a), kernelgen.SNE(2))
	if err != nil {
		t.Fatal(err)
	}
	if len(fit.Notes) > 0 {
		t.Errorf("%v", fit.Notes)
	}
	checkOrthonormal(t, "U", fit.U, 1e-10)
	checkOrthonormal(t, "V", fit.V, 1e-10)
	value, angle := 0.0, 0.0
	for s, v := range fit.Values {
		value = math.Max(value, math.Abs(v-truth[s])/truth[s])
	}
	left := krylov.Residuals(dense.Mul(blas.NoTrans, g, blas.NoTrans, fit.V), fit.U, fit.Values, fit.Values[0])
	right := krylov.Residuals(dense.Mul(blas.Trans, g, blas.NoTrans, fit.U), fit.V, fit.Values, fit.Values[0])
	groups := clusters(truth, 20, 1e-4)
	for _, c := range groups {
		sum := 0.0 // bounds the squared norm of the residuals of a cluster
		for s := c.first; s < c.end; s++ {
			r := math.Max(left[s], right[s])
			sum += r * r
		}
		gap := (fit.Values[c.end-1] - truth[c.end]) / truth[0]
		if c.first > 0 {
			gap = math.Min(gap, (truth[c.first-1]-fit.Values[c.first])/truth[0])
		}
		angle = math.Max(angle, math.Sqrt(sum)/gap)
	}
	t.Logf("%d values off by at most %.2g of themselves; %d spaces up to vector %d, the largest angle at most %.2g",
		fit.Rank(), value, len(groups), groups[len(groups)-1].end, angle)
	if fit.Rank() != 20 || !(value <= 1e-8) || !(angle <= 1e-6) {
		t.Errorf("rank %d, values off by %.2g, angles up to %.2g", fit.Rank(), value, angle)
	}
}

// TestGraphAgainstDense makes this comparison with a synthetic graph.
func TestGraphAgainstDense(t *testing.T) {
	againstDense(t, randomGraph(t, 250, 4, false, 3), 12)
}
