package lowrank

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// svdFit fits the matrix between x and y, or of x alone if y has no rows.
func svdFit(t *testing.T, m Subspace, x, y blas64.General, k kernelgen.Kernel) *Fit {
	t.Helper()
	var right stream.Source
	if y.Rows > 0 {
		right = stream.FromMatrix("right", y)
	}
	f, err := m.Fit(context.Background(), stream.Engine{}, model.Sources{Left: stream.FromMatrix("left", x), Right: right}, k)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// svdError returns the spectral error of a model of two sides over σ₁, and the
// Frobenius error over ‖A‖_F, with everything formed.
func svdError(t *testing.T, m *Model, x, y, a blas64.General) (spectral, frob float64) {
	t.Helper()
	rest := difference(a, approximation(m, factors(t, m, m.Left, x), factors(t, m, m.Right, y)))
	return spectralNorm(t, rest) / spectralNorm(t, a), dense.Frobenius(rest) / dense.Frobenius(a)
}

// colours returns n points of the unit cube, as the pixels of two pictures are: a few
// smooth strands of colour.
func colours(n int, phase float64) blas64.General {
	noise := clusters(n, 3, 9)
	return filled(n, 3, func(i, j int) float64 {
		s := float64(i) / float64(n)
		return 0.5 + 0.4*math.Sin(phase+float64(j+2)*3*s+float64(i%3)) + 0.05*noise.Data[i*3+j]
	})
}

func parsed(t *testing.T, text string, x blas64.General) kernelgen.Kernel {
	t.Helper()
	k, err := kernelgen.Parse(text)
	if err == nil {
		k, err = k.Resolve(x)
	}
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestSubspaceSVDFloor: the error decreases with passes; two come within 10 % of the
// best that rank c can do, and three within 1 %.
func TestSubspaceSVDFloor(t *testing.T) {
	inTheLarge(t)
	t.Parallel()
	const c = 20
	for _, s := range []struct {
		kernel string
		x, y   blas64.General
	}{
		{"rbf(gamma=1)", clusters(200, 4, 3), clusters(150, 4, 4)},
		{"rbf(gamma=40)", clusters(150, 4, 3), clusters(200, 4, 4)},
		{"rbf(gamma=400)", clusters(200, 4, 3), clusters(150, 4, 4)},
		{"laplace(gamma=2)", clusters(200, 4, 3), clusters(150, 4, 4)},
		{"sigmoid(gamma=4,coef0=-2)", clusters(200, 4, 3), clusters(150, 4, 4)},
		{"rbf(gamma=50)", colours(330, 0), colours(280, 1)},
	} {
		k := parsed(t, s.kernel, s.x)
		a := kernelMatrix(k, s.x, s.y)
		values := singularValues(t, a)
		floor := values[c] / values[0]
		previous := math.Inf(1)
		for passes := 1; passes <= 3; passes++ {
			f := svdFit(t, Subspace{Rank: c, Passes: passes, ResidualTol: 1e-12, Seed: 1}, s.x, s.y, k)
			e, frob := svdError(t, f.Model, s.x, s.y, a)
			t.Logf("%s, %d passes: floor %.3g, %.4f of it, rank %d, residual %.2g, Frobenius %.3g, estimate %.3g", s.kernel, passes, floor, e/floor, len(f.Values), f.Residual(), frob, f.EstimateIn(NormFrobenius))
			if most := []float64{0, math.Inf(1), 1.1, 1.01}[passes]; e > most*floor || e > previous*(1+1e-6) {
				t.Errorf("%s, %d passes: error %g is %.4f times the floor, before %g", s.kernel, passes, e, e/floor, previous)
			}
			previous = e
			if f.EstimateIn(NormFrobenius) < frob/2 || f.EstimateIn(NormFrobenius) > 2*frob {
				t.Errorf("%s, %d passes: Frobenius error %g, estimate %g", s.kernel, passes, frob, f.EstimateIn(NormFrobenius))
			}
			nearSingularValues(t, f, values)
		}
	}
}

// nearSingularValues checks that the values are singular values, but for the
// residuals.
func nearSingularValues(t *testing.T, f *Fit, values []float64) {
	t.Helper()
	for j, v := range f.Values {
		nearest := math.Inf(1)
		for _, w := range values {
			nearest = math.Min(nearest, math.Abs(v-w))
		}
		if nearest > (f.Residual()+1e-13)*values[0] {
			t.Errorf("value %d is %g from a singular value, residual %g", j, nearest/values[0], f.Residual())
		}
	}
}

// TestSubspaceSVDShapes: singular values and errors are those of dense algebra for
// long, wide, square and tiny shapes, and the factors are orthonormal.
func TestSubspaceSVDShapes(t *testing.T) {
	inTheLarge(t)
	t.Parallel()
	k := kernelgen.RBF(2)
	for _, s := range [][3]int{{300, 270, 15}, {600, 30, 15}, {30, 600, 15}, {256, 256, 15}, {257, 260, 15}, {1, 300, 3}, {300, 1, 3}, {1, 1, 1}, {2, 3, 5}, {40, 25, 60}, {20, 900, 60}} {
		t.Run(fmt.Sprint(s), func(t *testing.T) {
			x, y := clusters(s[0], 4, 3), clusters(s[1], 4, 4)
			a := kernelMatrix(k, x, y)
			values := singularValues(t, a)
			f := svdFit(t, Subspace{Rank: s[2], Passes: 4, Seed: 1}, x, y, k)
			if want := min(s[0], s[1], s[2]); len(f.Values) != want {
				t.Errorf("%d values, not %d: %q", len(f.Values), want, f.Notes)
			}
			for j, v := range f.Values {
				if math.Abs(v-values[j]) > 1e-6*values[j] {
					t.Errorf("value %d is %.10g, the singular value %.10g", j, v, values[j])
				}
			}
			floor := 0.0
			if c := len(f.Values); c < len(values) {
				floor = values[c] / values[0]
			}
			if e, _ := svdError(t, f.Model, x, y, a); e > 1.001*floor+1e-12 {
				t.Errorf("error %g, floor %g", e, floor)
			}
			checkSides(t, f, x, y, math.Max(1e-13, 50*f.OrthogonalityBound()))
			if err := f.Refine(context.Background(), stream.Engine{}, model.Sources{Left: stream.FromMatrix("x", x), Right: stream.FromMatrix("y", y)}); err != nil {
				t.Fatal(err)
			}
			checkSides(t, f, x, y, 1e-13)
		})
	}
}

func checkSides(t *testing.T, f *Fit, x, y blas64.General, most float64) {
	t.Helper()
	u, v := orthogonalityError(factors(t, f.Model, f.Left, x)), orthogonalityError(factors(t, f.Model, f.Right, y))
	if !(math.Max(u, v) <= most) {
		t.Errorf("max|UᵀU−I| = %g, max|VᵀV−I| = %g, above %g", u, v, most)
	}
}

// TestSubspaceSVDEstimate: the error estimate is within a factor of two.
func TestSubspaceSVDEstimate(t *testing.T) {
	inTheLarge(t)
	t.Parallel()
	for seed := range uint64(6) {
		x, y := clusters(150, 3, seed), clusters(110, 3, seed+100)
		for _, gamma := range []float64{0.5, 5, 50} {
			k := kernelgen.RBF(gamma)
			f := svdFit(t, Subspace{Rank: 8, Passes: 2, Seed: seed}, x, y, k)
			if _, frob := svdError(t, f.Model, x, y, kernelMatrix(k, x, y)); f.EstimateIn(NormFrobenius) < frob/2 || f.EstimateIn(NormFrobenius) > 2*frob {
				t.Errorf("seed %d, gamma %g: error %g, estimate %g", seed, gamma, frob, f.EstimateIn(NormFrobenius))
			}
		}
	}
}

// TestSubspaceSVDStops: small residuals, or spaces that are all there is, end the
// passes.
func TestSubspaceSVDStops(t *testing.T) {
	t.Parallel()
	x, y := clusters(400, 4, 3), clusters(300, 4, 4)
	f := svdFit(t, Subspace{Rank: 10, Passes: 9, Seed: 1}, x, y, kernelgen.Linear())
	e, _ := svdError(t, f.Model, x, y, kernelMatrix(kernelgen.Linear(), x, y))
	if f.ExactPasses > 2 || len(f.Values) != 4 || f.Residual() > 1e-12 || e > 1e-13 {
		t.Errorf("rank 4: %d passes, %d values, residual %g, error %g", f.ExactPasses, len(f.Values), f.Residual(), e)
	}
	f = svdFit(t, Subspace{Rank: 10, Passes: 9, ResidualTol: 1e-2, Seed: 1}, x, y, kernelgen.RBF(2))
	if f.ExactPasses >= 9 || f.Residual() > 1e-2 || len(f.Notes) > 0 {
		t.Errorf("tolerance 1e-2: %d passes, residual %g, notes %q", f.ExactPasses, f.Residual(), f.Notes)
	}
	f = svdFit(t, Subspace{Rank: 15, Passes: 30, ResidualTol: 1e-300, Seed: 1}, clusters(60, 4, 3), clusters(50, 4, 4), kernelgen.RBF(400))
	if f.ExactPasses > 10 || f.Residual() > 1e-10 {
		t.Errorf("60 rows: %d passes, residual %g", f.ExactPasses, f.Residual())
	}
}

// TestSubspaceSVDUnsettled: of a matrix without large singular values one pass from
// a start that knows nothing finds none, and says so instead of making it worse.
func TestSubspaceSVDUnsettled(t *testing.T) {
	t.Parallel()
	x := clusters(400, 4, 3)
	y := filled(400, 4, func(i, j int) float64 { return x.Data[(399-i)*4+j] })
	k := kernelgen.RBF(1e6) // A is a permutation
	f := svdFit(t, Subspace{Rank: 15, Passes: 1, Seed: 1}, x, y, k)
	e, _ := svdError(t, f.Model, x, y, kernelMatrix(k, x, y))
	if e > 1.5 || len(f.Values) < 15 && len(f.Notes) == 0 {
		t.Errorf("error %g, %d values, notes %q", e, len(f.Values), f.Notes)
	}
	t.Logf("error %g, %d values, notes %q", e, len(f.Values), f.Notes)
}

// TestSubspaceSVDFarRows: rows of both sides that are far from all others and from
// every landmark are found by the random columns.
func TestSubspaceSVDFarRows(t *testing.T) {
	inTheLarge(t)
	t.Parallel()
	x, y := clusters(1500, 3, 3), clusters(1000, 3, 4)
	for j := range 30 {
		x.Data[1490*3+j], y.Data[990*3+j] = 1000, 1000
	}
	k := kernelgen.RBF(0.5)
	f := svdFit(t, Subspace{Rank: 15, Seed: 3}, x, y, k)
	u, v := factors(t, f.Model, f.Left, x), factors(t, f.Model, f.Right, y)
	own := dense.Dot(dense.Row(scaledColumns(u, f.Values), 1495), dense.Row(v, 995))
	if math.Abs(own-1) > 0.01 {
		t.Errorf("the entry of Â between far rows is %g, that of A is 1", own)
	}
}

// TestSubspaceSVDVerify: the error of the model is what Verify measures.
func TestSubspaceSVDVerify(t *testing.T) {
	t.Parallel()
	x, y := clusters(300, 3, 3), clusters(200, 3, 4)
	k := kernelgen.RBF(1)
	f := svdFit(t, Subspace{Rank: 8, Seed: 1}, x, y, k)
	v, err := f.Verify(context.Background(), stream.Engine{}, model.Sources{Left: stream.FromMatrix("x", x), Right: stream.FromMatrix("y", y)}, 0, 3)
	if err != nil {
		t.Fatal(err)
	}
	if e, _ := svdError(t, f.Model, x, y, kernelMatrix(k, x, y)); math.Abs(e-v.SpectralError) > 0.02*e {
		t.Errorf("error %g, verified %g", e, v.SpectralError)
	}
}

// TestSubspaceSVDPlan: planned memory grows with rows and passes.
func TestSubspaceSVDPlan(t *testing.T) {
	t.Parallel()
	e := stream.Engine{Threads: 2}
	m := Subspace{Rank: 10, Passes: 6, ResidualTol: 1e-12, Seed: 1}
	if more, err := m.Plan(e, model.Shape{Rows: 150000, Cols: 90000, Columns: 3}, kernelgen.RBF(20)); err != nil || more.Memory.Total() < 2*8*240000*18*6 {
		t.Errorf("%v, %d bytes", err, more.Memory.Total())
	}
	for _, bad := range []Subspace{{Rank: 0}, {Rank: 1, Passes: -1}, {Rank: 1, ResidualTol: math.NaN()}} {
		if _, err := bad.Plan(e, model.Shape{Rows: 100, Cols: 100, Columns: 3}, kernelgen.RBF(1)); err == nil {
			t.Errorf("%+v was planned", bad)
		}
	}
}

// TestSubspaceSVDNasty runs the method on the nasty inputs: of one source, and
// between all rows and some of them.
func TestSubspaceSVDNasty(t *testing.T) {
	inTheLarge(t)
	t.Parallel()
	for _, c := range nastyCases() {
		m := Subspace{Rank: 10, Seed: 1}
		t.Run(c.name+"/one source", func(t *testing.T) {
			nasty(t, c.x, c.k, c.refuse, func(s stream.Source, k kernelgen.Kernel) (*Fit, error) {
				return finiteSVD(t, m, s, nil, k)
			})
		})
		t.Run(c.name+"/two sources", func(t *testing.T) {
			right := stream.RowSlice(c.x, 0, (c.x.Rows+1)/2)
			f, err := finiteSVD(t, m, stream.FromMatrix("nasty", c.x), stream.FromMatrix("right", right), c.k)
			if err != nil {
				if c.refuse == "" {
					t.Errorf("refused: %v", err)
				}
				return
			}
			if err := f.Refine(context.Background(), stream.Engine{}, model.Sources{Left: stream.FromMatrix("nasty", c.x), Right: stream.FromMatrix("right", right)}); err != nil {
				t.Fatal(err)
			}
			checkSides(t, f, c.x, right, 1e-10)
		})
	}
}

func finiteSVD(t *testing.T, m Subspace, left, right stream.Source, k kernelgen.Kernel) (*Fit, error) {
	f, err := m.Fit(context.Background(), stream.Engine{}, model.Sources{Left: left, Right: right}, k)
	if err != nil {
		return nil, err
	}
	for _, v := range append([]float64{f.Residual(), f.EstimateIn(NormFrobenius)}, f.Values...) {
		if !(v >= 0) || math.IsInf(v, 0) {
			t.Errorf("values %g, residual %g, estimate %g", f.Values, f.Residual(), f.EstimateIn(NormFrobenius))
		}
	}
	return f, nil
}

// TestSubspaceSVDHugeAndTiny: the scale of a kernel does not matter.
func TestSubspaceSVDHugeAndTiny(t *testing.T) {
	t.Parallel()
	x, y := clusters(200, 3, 3), clusters(150, 3, 4)
	fit := func(weight string) *Fit {
		return svdFit(t, Subspace{Rank: 8, Seed: 1}, x, y, parsed(t, weight+"rbf(gamma=2)", x))
	}
	want := fit("")
	for text, weight := range map[string]float64{"1e200*": 1e200, "1e-200*": 1e-200} {
		f := fit(text)
		for j, v := range f.Values {
			if math.Abs(v/weight-want.Values[j]) > 1e-12*want.Values[0] {
				t.Errorf("%s value %d is %g, without the weight %g", text, j, v, want.Values[j])
			}
		}
		checkSides(t, f, x, y, 1e-9)
		if math.Abs(f.EstimateIn(NormFrobenius)/want.EstimateIn(NormFrobenius)-1) > 1e-6 {
			t.Errorf("%s estimate %g, without the weight %g", text, f.EstimateIn(NormFrobenius), want.EstimateIn(NormFrobenius))
		}
	}
}

// TestSubspaceSVDRefuses: sources that do not go together are refused.
func TestSubspaceSVDRefuses(t *testing.T) {
	t.Parallel()
	x := clusters(200, 3, 8)
	fit := func(right blas64.General) error {
		_, err := Subspace{Rank: 5}.Fit(context.Background(), stream.Engine{}, model.Sources{Left: stream.FromMatrix("x", x), Right: stream.FromMatrix("y", right)}, kernelgen.RBF(1))
		return err
	}
	if fit(clusters(100, 4, 9)) == nil || fit(stream.NewMatrix(0, 3)) == nil {
		t.Error("sources that do not go together were taken")
	}
}

// TestSubspaceSVDCancelled: a cancelled fit ends with the cause.
func TestSubspaceSVDCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(context.Background())
	stop := errors.New("stop")
	e := stream.Engine{Progress: func(p stream.Event) {
		if p.Pass == "exact pass" {
			cancel(stop)
		}
	}}
	_, err := Subspace{Rank: 5}.Fit(ctx, e, model.Sources{Left: stream.FromMatrix("x", clusters(1500, 3, 8)), Right: stream.FromMatrix("y", clusters(1200, 3, 8))}, kernelgen.RBF(1))
	if !errors.Is(err, stop) {
		t.Errorf("error %v", err)
	}
}
