package ksvd

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/krylov"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/sparse"
)

// trueResiduals returns the larger of ‖Gv−σu‖/σ and ‖Gᵀu−σv‖/σ for each triplet of a fit, for a dense G.
func trueResiduals(t *testing.T, fit *Fit, g blas64.General) []float64 {
	t.Helper()
	u, v, err := factors(fit, stream.Engine{})
	if err != nil {
		t.Fatal(err)
	}
	dense.ScaleColumns(u, dense.Reciprocals(dense.ColumnNorms(u)))
	dense.ScaleColumns(v, dense.Reciprocals(dense.ColumnNorms(v)))
	left := krylov.Residuals(dense.Mul(blas.NoTrans, g, blas.NoTrans, v), u, fit.Values, 1)
	right := krylov.Residuals(dense.Mul(blas.Trans, g, blas.NoTrans, u), v, fit.Values, 1)
	for k := range left {
		left[k] = math.Max(left[k], right[k]) / fit.Values[k]
	}
	return left
}

// residualCase is data, with the rows and columns of a dense G.
type residualCase struct {
	what    string
	data    *Data
	x, z    blas64.General
	centred bool
	methods []Nystrom
}

// distanceKernels are functions of the squared distance; normalised ones are divided by their row sums.
var distanceKernels = []struct {
	text       string
	of         func(square float64) float64
	normalised bool
}{
	{"sne(gamma=2)", func(s float64) float64 { return math.Exp(-s / 4) }, true},
	{"rbf(sigma=3)", func(s float64) float64 { return math.Exp(-s / 9) }, false},
	{"t()", func(s float64) float64 { return 1 / (1 + s) }, true},
}

// ofDistances returns G by matrix products, which is fast for the long rows of graphs.
func ofDistances(x, z blas64.General, of func(float64) float64, normalised, centred bool) blas64.General {
	g := dense.Mul(blas.NoTrans, x, blas.Trans, z)
	norms := func(rows blas64.General) []float64 {
		out := make([]float64, rows.Rows)
		for i := range out {
			out[i] = dense.Dot(matrix.Row(rows, i), matrix.Row(rows, i))
		}
		return out
	}
	left, right, columns, all := norms(x), norms(z), make([]float64, z.Rows), 0.0
	for i := range g.Rows {
		row := matrix.Row(g, i)
		for j, dot := range row {
			row[j] = of(left[i] + right[j] - 2*dot)
		}
		if sum := dense.Sum(row); normalised {
			for j := range row {
				row[j] /= sum
			}
		}
		for j, v := range row {
			columns[j] += v / float64(g.Rows)
		}
		all += dense.Sum(row) / float64(g.Rows) / float64(g.Cols)
	}
	if !centred {
		return g
	}
	for i := range g.Rows {
		row := matrix.Row(g, i)
		mean := dense.Sum(row) / float64(g.Cols)
		for j := range row {
			row[j] += all - mean - columns[j]
		}
	}
	return g
}

// residualCases returns two graphs, and a pair of sources.
func residualCases(t *testing.T) []residualCase {
	few := []Nystrom{{Rows: 60}, {Rows: 60, Cols: 90, Scaling: ScaleUnit}, {Rows: 200, Scaling: ScaleOrthonormal}}
	x, z := gaussian(1600, 3, 1, 1), gaussian(1300, 3, 1, 2)
	all := []residualCase{
		{"rows", between(t, x, z), x, z, true, few},
		{"rows", between(t, x, z), x, z, false, append(few, Nystrom{Rows: 100, Sums: SumsSampled, Scaling: ScaleUnit})},
	}
	for i, a := range []*sparse.CSR{randomGraph(t, 1400, 4, false, 3), randomGraph(t, 1300, 8, true, 5)} {
		all = append(all, residualCase{fmt.Sprint("graph ", i), graph(t, a), denseOf(a), matrix.Transpose(denseOf(a)), true, few})
	}
	return all
}

// TestResiduals: nine of ten estimated residuals are within a factor of two of those for a dense G. Estimates are not
// small for triplets far from those of G, and the fit warns of such triplets.
func TestResiduals(t *testing.T) {
	near, all := 0, 0
	for _, c := range residualCases(t) {
		for i, f := range distanceKernels {
			if testing.Short() && i > 0 {
				continue
			}
			k := parse(t, f.text)
			g := ofDistances(c.x, c.z, f.of, f.normalised, c.centred)
			for _, m := range c.methods {
				m.Rank, m.Center, m.Seed = 6, c.centred, 1
				fit, err := m.Fit(background, stream.Engine{}, c.data, k)
				if err != nil {
					t.Fatal(err)
				}
				what := fmt.Sprintf("%s, %s, %d landmarks, %v", c.what, f.text, m.Rows, m.Scaling)
				n := checkResiduals(t, what, fit, trueResiduals(t, fit, g))
				near, all = near+n, all+fit.Rank()
			}
		}
	}
	t.Logf("%d of %d residuals are within twice of the truth", near, all)
	if near < all*9/10 {
		t.Errorf("%d of %d residuals are within twice of the truth", near, all)
	}
}

// checkResiduals returns the number of estimates within a factor of two of the truth.
func checkResiduals(t *testing.T, what string, fit *Fit, truth []float64) (near int) {
	t.Helper()
	if len(fit.EstimatedResiduals) != fit.Rank() {
		t.Fatalf("%s: residuals %v of %d triplets", what, fit.EstimatedResiduals, fit.Rank())
	}
	missed := false
	for k, r := range fit.EstimatedResiduals {
		if r > truth[k]/2 && r < 2*truth[k] {
			near++
		} else {
			t.Logf("%s: residual %d is %.2g, estimated as %.2g", what, k, truth[k], r)
		}
		missed = missed || truth[k] > 2*Converged
		if truth[k] > 3*Converged && r <= Converged {
			t.Errorf("%s: residual %d is %.2g, estimated as %.2g", what, k, truth[k], r)
		}
	}
	if missed && !strings.Contains(fmt.Sprint(fit.Warnings), "not converged") {
		t.Errorf("%s: residuals %.2g, and warnings %q", what, truth, fit.Warnings)
	}
	return near
}

// TestResidualsOfAll: if every row is a landmark or held back, the estimates are the residuals.
func TestResidualsOfAll(t *testing.T) {
	x, z := gaussian(300, 3, 1, 1), gaussian(240, 3, 1, 2)
	f := formulas[4]
	g := denseG(f, parse(t, f.text), x, z, true)
	for _, rows := range []int{40, 299, 300} {
		for _, scaling := range []Scaling{ScaleDerived, ScaleUnit, ScaleOrthonormal} {
			fit, err := Nystrom{Rank: 4, Rows: rows, Center: true, Scaling: scaling}.Fit(background, stream.Engine{}, between(t, x, z), parse(t, f.text))
			if err != nil {
				t.Fatal(err)
			}
			for k, r := range trueResiduals(t, fit, g) {
				if math.Abs(r-fit.EstimatedResiduals[k]) > 1e-6+1e-6*r {
					t.Errorf("%d landmarks, %v: residual %d is %.3g, estimated as %.3g", rows, scaling, k, r, fit.EstimatedResiduals[k])
				}
			}
		}
	}
}

// TestResidualsOfScales: residuals do not depend on the scale of the entries.
func TestResidualsOfScales(t *testing.T) {
	var want []float64
	for _, scale := range []float64{1, 1e-150, 1e150} {
		x, z := gaussian(300, 4, scale, 1), gaussian(240, 4, scale, 2)
		fit, err := Nystrom{Rank: 3, Rows: 40}.Fit(background, stream.Engine{}, between(t, x, z), parse(t, "linear()"))
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = fit.EstimatedResiduals
		}
		for k, r := range fit.EstimatedResiduals {
			if !(math.Abs(r-want[k]) < 1e-4*want[k]) {
				t.Errorf("rows times %g: residuals %.3g, and %.3g of rows times 1", scale, fit.EstimatedResiduals, want)
				break
			}
		}
	}
}

// TestResidualsWithoutNoise: a small number of held-back columns makes G·v noisy, yet the mean squared estimate equals
// the squared residual.
func TestResidualsWithoutNoise(t *testing.T) {
	const n, m, landmarks, held, draws = 400, 500, 40, 150, 40
	g, u, v := gaussian(n, m, 1, 1), gaussian(n, 1, 1, 2), gaussian(m, 1, 1, 3)
	rows := &strata{sample: sample{matrix.Numbers(n), slices.Repeat([]float64{1}, n)}, landmarks: make([]int, n)}
	unitLength(u, rows.weights)
	unitLength(v, slices.Repeat([]float64{1}, m))
	truth := dense.ColumnNorms(dense.Mul(blas.NoTrans, g, blas.NoTrans, v))[0]
	value := truth / 0.4
	dense.Gemm(blas.NoTrans, blas.Trans, value, u, v, 1, g)
	mean := 0.0
	for seed := range uint64(draws) {
		cols := uniformSample(m, landmarks+held, seed, "test")
		s := &strata{sample: cols, notDrawn: 1 - float64(held)/(m-landmarks)}
		for j := range cols.numbers {
			cols.weights[j] = float64(m-landmarks) / held
			if j*landmarks/(landmarks+held) != (j+1)*landmarks/(landmarks+held) { // spread evenly
				cols.weights[j], s.landmarks = 1, append(s.landmarks, j)
			}
		}
		part, few := matrix.New(n, len(cols.numbers)), matrix.New(len(cols.numbers), 1)
		for j, number := range cols.numbers {
			few.Data[j] = v.Data[number]
			for i := range n {
				matrix.Row(part, i)[j] = matrix.Row(g, i)[number]
			}
		}
		r := residuals(blas.NoTrans, part, few, u, []float64{value}, rows, s)[0]
		mean += r * r / draws
	}
	if mean < 0.8*0.16 || mean > 1.25*0.16 {
		t.Errorf("squares of a residual of 0.4 are estimated as %.3g on average", mean)
	}
}
