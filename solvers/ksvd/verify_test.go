package ksvd

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/sparse"
)

// verified verifies a model on the rows of two sources.
func verified(t *testing.T, m *Model, e stream.Engine, d model.Sources, sample int) *model.Verification {
	t.Helper()
	v, err := m.Verify(background, e, d, sample, 3)
	if err != nil {
		t.Fatal(err)
	}
	if !math.IsNaN(v.TraceKept) {
		t.Errorf("%v of the trace of a matrix between two sides", v.TraceKept)
	}
	v.TraceKept = 0 // NaN would not equal itself
	return v
}

// sources returns the rows of x and z as the data of a verification.
func sources(x, z blas64.General) model.Sources {
	return model.Sources{Left: stream.FromMatrix("x", x), Right: stream.FromMatrix("z", z)}
}

// denseErrors returns the errors of a fit in both norms, for a dense G.
func denseErrors(t *testing.T, fit *Fit, g blas64.General) (spectral, frobenius float64) {
	t.Helper()
	u, v, err := factors(fit, stream.Engine{})
	if err != nil {
		t.Fatal(err)
	}
	dense.ScaleColumns(u, fit.Values)
	e := matrix.Clone(g)
	dense.Gemm(blas.NoTrans, blas.Trans, -1, u, v, 1, e)
	norms := make([]float64, 2)
	for i, m := range []blas64.General{e, g} {
		s, err := dense.NewSVD(m)
		if err != nil {
			t.Fatal(err)
		}
		norms[i] = s.S[0]
	}
	return norms[0] / norms[1], dense.Frobenius(e) / dense.Frobenius(g)
}

// TestVerify compares both errors and the residuals with those for a dense G: between rows, for a matrix with a map,
// and for a graph.
func TestVerify(t *testing.T) {
	x, z := gaussian(300, 3, 1, 1), gaussian(270, 3, 1, 2)
	for _, c := range []struct {
		formula int
		method  Nystrom
	}{
		{0, Nystrom{Rows: 40, Scaling: ScaleOrthonormal}}, {1, Nystrom{Rows: 40}},
		{4, Nystrom{Rows: 40, Cols: 60, Center: true}}, {5, Nystrom{Rows: 60, Scaling: ScaleUnit}},
		{7, Nystrom{Rows: 60, Center: true, Scaling: ScaleOrthonormal}},
	} {
		f := formulas[c.formula]
		k := parse(t, f.text)
		c.method.Rank, c.method.Seed = 3, 1
		fit, err := c.method.Fit(background, stream.Engine{}, between(t, x, z), k)
		if err != nil {
			t.Fatal(err)
		}
		what := fmt.Sprintf("%s, centred %v", f.text, c.method.Center)
		checkVerification(t, what, fit, verified(t, fit.Model, stream.Engine{}, sources(x, z), 0), denseG(f, k, x, z, c.method.Center))
	}
	a := randomGraph(t, 280, 4, true, 3)
	fit, err := Nystrom{Rank: 3, Rows: 90, Center: true, Seed: 1}.Fit(background, stream.Engine{}, graph(t, a), parse(t, distanceKernels[0].text))
	if err != nil {
		t.Fatal(err)
	}
	nodes := model.Sources{Left: sparse.NewRows("out", a, nil), Right: sparse.NewRows("in", a.Transpose(), nil)}
	g := ofDistances(denseOf(a), matrix.Transpose(denseOf(a)), distanceKernels[0].of, true, true)
	checkVerification(t, "graph", fit, verified(t, fit.Model, stream.Engine{}, nodes, 0), g)

	long := gaussian(200, 5, 1, 4)
	d, err := RowsAndColumns(background, stream.FromMatrix("matrix", long), CompatPCA, 1)
	if err != nil {
		t.Fatal(err)
	}
	f := formulas[4]
	if fit, err = (Exact{Rank: 2}).Fit(background, stream.Engine{}, d, parse(t, f.text)); err != nil {
		t.Fatal(err)
	}
	mapped := dense.Mul(blas.NoTrans, matrix.Transpose(long), blas.NoTrans, d.maps[1])
	checkVerification(t, "matrix", fit, verified(t, fit.Model, stream.Engine{}, sources(long, matrix.Transpose(long)), 0),
		denseG(f, parse(t, f.text), long, mapped, false))
}

// checkVerification compares a verification with a dense G.
func checkVerification(t *testing.T, what string, fit *Fit, v *model.Verification, g blas64.General) {
	t.Helper()
	spectral, frobenius := denseErrors(t, fit, g)
	if math.Abs(v.SpectralError-spectral) > 2*normTolerance*spectral+1e-9 || math.Abs(v.FrobeniusError-frobenius) > 1e-7*frobenius+1e-9 || !v.Converged {
		t.Errorf("%s: errors %.6g and %.6g, by a dense G %.6g and %.6g (converged %v)", what, v.SpectralError, v.FrobeniusError, spectral, frobenius, v.Converged)
	}
	for k, r := range trueResiduals(t, fit, g) {
		if math.Abs(v.Residuals[k]-r) > 1e-6*r+1e-9 {
			t.Errorf("%s: residual %d is %.6g, by a dense G %.6g", what, k, v.Residuals[k], r)
		}
	}
}

// TestVerifySample: errors and residuals from a sample are close to those of all rows, with the sums of the model and
// of the sample. They have the same bits for any number of threads, with G in memory or not.
func TestVerifySample(t *testing.T) {
	x, z := gaussian(900, 3, 1, 1), gaussian(800, 3, 1, 2)
	for _, sums := range []Sums{SumsExact, SumsSampled} {
		fit, err := Nystrom{Rank: 3, Rows: 50, Center: true, Sums: sums, Seed: 1}.Fit(background, stream.Engine{}, between(t, x, z), parse(t, "sne(gamma=2)"))
		if err != nil {
			t.Fatal(err)
		}
		all, part := verified(t, fit.Model, stream.Engine{}, sources(x, z), 0), verified(t, fit.Model, stream.Engine{Threads: 1}, sources(x, z), 400)
		for k, r := range part.Residuals {
			if !(r > all.Residuals[k]/2 && r < 2*all.Residuals[k]) {
				t.Errorf("sums %v: residual %d is %.3g, %.3g from a sample", sums, k, all.Residuals[k], r)
			}
		}
		if r := part.FrobeniusError / all.FrobeniusError; r < 0.8 || r > 1.25 {
			t.Errorf("sums %v: error %.3g, %.3g from a sample", sums, all.FrobeniusError, part.FrobeniusError)
		}
		if diff := cmp.Diff(part, verified(t, fit.Model, stream.Engine{Threads: 3}, sources(x, z), 400)); diff != "" {
			t.Errorf("three threads: %s", diff)
		}
	}
}

// TestVerifyProducts: products with G in memory equal those of passes over its tiles.
func TestVerifyProducts(t *testing.T) {
	x, z := gaussian(400, 3, 1, 1), gaussian(300, 3, 1, 2)
	fit, err := Nystrom{Rank: 3, Rows: 50, Center: true, Seed: 1}.Fit(background, stream.Engine{}, between(t, x, z), parse(t, "sne(gamma=2)"))
	if err != nil {
		t.Fatal(err)
	}
	v, err := fit.verifier(background, stream.Engine{}, sources(x, z), 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := v.measure(background, v.left.vectors, fit.Values); err != nil {
		t.Fatal(err)
	}
	q, p := gaussian(300, 2, 1, 3), gaussian(400, 2, 1, 4)
	var products [2][2]blas64.General
	for i := range products {
		products[i] = [2]blas64.General{matrix.New(400, 2), matrix.New(300, 2)}
		if err := v.multiply(background, q, products[i][0], p, products[i][1]); err != nil {
			t.Fatal(err)
		}
		v.held = blas64.General{}
	}
	for i := range products[0] {
		checkClose(t, "products", products[0][i], products[1][i], 1e-12)
	}
}

// TestVerifyScales: errors do not depend on the scale of the entries.
func TestVerifyScales(t *testing.T) {
	var want *model.Verification
	for _, scale := range []float64{1, 1e-120, 1e120} {
		x, z := gaussian(120, 4, scale, 1), gaussian(90, 4, scale, 2)
		fit, err := Exact{Rank: 3}.Fit(background, stream.Engine{}, between(t, x, z), parse(t, "linear()"))
		if err != nil {
			t.Fatal(err)
		}
		v := verified(t, fit.Model, stream.Engine{}, sources(x, z), 0)
		if want == nil {
			want = v
		}
		if math.Abs(v.SpectralError-want.SpectralError) > 1e-6 || math.Abs(v.FrobeniusError-want.FrobeniusError) > 1e-6 ||
			math.Abs(v.Norm/(want.Norm*scale*scale)-1) > 1e-6 || !(v.Residuals[2] < 1e-6) {
			t.Errorf("rows times %g: %+v, and %+v of rows times 1", scale, v, want)
		}
	}
}

// TestVerifyRefuses: Verify refuses rows that do not fit the model.
func TestVerifyRefuses(t *testing.T) {
	x, z := gaussian(60, 3, 1, 1), gaussian(50, 3, 1, 2)
	fit, err := Exact{Rank: 2}.Fit(background, stream.Engine{}, between(t, x, z), parse(t, "t()"))
	if err != nil {
		t.Fatal(err)
	}
	bad := matrix.Clone(x)
	bad.Data[3*7] = math.NaN()
	a := randomGraph(t, 30, 2, false, 1)
	for want, d := range map[string]model.Sources{
		"rows of one": {Left: stream.FromMatrix("x", x)},
		"has 2 columns, and the model was fitted on 3": sources(x, gaussian(9, 2, 1, 1)),
		"row 7":          sources(bad, z),
		"has no rows":    sources(x, matrix.New(0, 3)),
		"has 30 columns": {Left: stream.FromMatrix("x", x), Right: sparse.NewRows("g", a, nil)},
	} {
		if _, err := fit.Verify(background, stream.Engine{}, d, 0, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}

// TestVerifyResiduals: residuals from a sample exclude sampling noise, as those of a fit do.
func TestVerifyResiduals(t *testing.T) {
	const n, m, values = 40, 60, 2
	g, u, v := gaussian(n, m, 1, 1), gaussian(n, values, 1, 2), gaussian(m, values, 1, 3)
	rows := &strata{sample: uniformSample(3*n, n, 1, "test"), notDrawn: 2. / 3}
	cols := &strata{sample: uniformSample(4*m, m, 2, "test"), notDrawn: 3. / 4}
	want := residuals(blas.NoTrans, g, v, u, []float64{20, 10}, rows, cols)
	products, seconds := matrix.New(n, values), matrix.New(n, values)
	dense.Gemm(blas.NoTrans, blas.NoTrans, 1, g, v, 0, products)
	dense.Gemm(blas.NoTrans, blas.NoTrans, 1, squares(g), squares(v), 0, seconds)
	got := residualsOf(products, seconds, u, []float64{20, 10}, rows, cols)
	for k := range want {
		if math.Abs(got[k]-want[k]) > 1e-12*want[k] {
			t.Errorf("residual %d is %v, and %v as in a fit", k, got[k], want[k])
		}
	}
}
