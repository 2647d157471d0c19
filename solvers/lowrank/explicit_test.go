package lowrank

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/passcount"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// identityMap returns the identity as an element-wise map.
func identityMap(t *testing.T) kernelgen.ElementMap {
	t.Helper()
	m, err := kernelgen.ParseElementMap("identity")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// withValues returns a matrix with random singular vectors and the given values.
func withValues(t *testing.T, rows, cols int, value func(j int) float64) blas64.General {
	t.Helper()
	u, v := matrix.New(rows, cols), matrix.New(cols, cols)
	sketch.NewRandom(1, "left").Normals(u)
	sketch.NewRandom(1, "right").Normals(v)
	u, _, err := sketch.CholeskyQR(u)
	if err != nil {
		t.Fatal(err)
	}
	v, _, err = sketch.CholeskyQR(v)
	if err != nil {
		t.Fatal(err)
	}
	values := make([]float64, cols)
	for j := range values {
		values[j] = value(j)
	}
	return dense.Mul(blas.NoTrans, scaledColumns(u, values), blas.Trans, v)
}

// TestMatrixError: for matrices with known singular values, one pass is within 1.3 times the best error of the rank,
// one refinement within 1.02 times, and estimates are close to the errors.
func TestMatrixError(t *testing.T) {
	inTheLarge(t)
	t.Parallel()
	const rank = 8
	ctx, e := context.Background(), stream.Engine{BlockRows: 128}
	for name, value := range map[string]func(j int) float64{
		"flat":   func(int) float64 { return 1 },
		"slow":   func(j int) float64 { return math.Pow(float64(j+1), -0.7) },
		"steep":  func(j int) float64 { return math.Pow(float64(j+1), -2) },
		"noisy":  func(j int) float64 { return map[bool]float64{true: 1, false: 0.05}[j < 5] },
		"large":  func(j int) float64 { return 1e120 / float64(j+1) },
		"little": func(j int) float64 { return 1e-120 / float64(j+1) },
	} {
		a := withValues(t, 400, 300, value)
		all, rest := 0.0, 0.0
		for j := range 300 {
			all = math.Hypot(all, value(j))
			if j >= rank {
				rest = math.Hypot(rest, value(j))
			}
		}
		for refine, limit := range []float64{1.3, 1.02} {
			src := passcount.New(stream.FromMatrix("M", a))
			f, err := SSRSVDMatrix{Rank: rank, Refine: refine, Map: identityMap(t), Seed: 3}.Fit(ctx, e, model.Sources{Left: src}, kernelgen.Kernel{})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			u := factors(t, f.Model, f.Left, a)
			d := difference(a, dense.Mul(blas.NoTrans, scaledColumns(u, f.Values), blas.Trans, f.Explicit.V))
			got, spectral := dense.Frobenius(d)/dense.Frobenius(a), spectralNorm(t, d)/value(0)
			t.Logf("%s, %d refinements: %.4g of the best, spectral %.3g, estimated %.3g", name, refine, got*all/rest, spectral, f.EstimateIn(NormSpectral))
			if got > limit*rest/all {
				t.Errorf("%s, %d refinements: the error is %g, the best %g", name, refine, got, rest/all)
			}
			if v := f.EstimateIn(NormFrobenius); math.Abs(v-got) > 1e-6*got {
				t.Errorf("%s: estimated %g, is %g", name, v, got)
			}
			if v := f.EstimateIn(NormSpectral); v > 2*spectral || v < spectral/2 {
				t.Errorf("%s: the spectral error is estimated %g, is %g", name, v, spectral)
			}
			if off := math.Max(orthogonalityError(u), orthogonalityError(f.Explicit.V)); off > 100*f.OrthogonalityBound() {
				t.Errorf("%s: factors are orthonormal to %g, told %g", name, off, f.OrthogonalityBound())
			}
			if src.Passes() != 1+refine || f.SourcePasses != 1+refine {
				t.Errorf("%s: %d passes, told %d", name, src.Passes(), f.SourcePasses)
			}
		}
	}
}

// TestMatrixOfFewColumns compares the model of a matrix with few columns with its SVD.
func TestMatrixOfFewColumns(t *testing.T) {
	t.Parallel()
	a := withValues(t, 150, 40, func(j int) float64 { return math.Pow(2, -float64(j)) })
	f, err := SSRSVDMatrix{Rank: 12, Refine: 1, Map: identityMap(t)}.Fit(context.Background(), stream.Engine{}, model.Sources{Left: stream.FromMatrix("M", a)}, kernelgen.Kernel{})
	if err != nil {
		t.Fatal(err)
	}
	for j, v := range f.Values {
		if math.Abs(v-math.Pow(2, -float64(j))) > 1e-14 {
			t.Errorf("value %d is %g", j, v)
		}
	}
	u := factors(t, f.Model, f.Left, a)
	d := difference(a, dense.Mul(blas.NoTrans, scaledColumns(u, f.Values), blas.Trans, f.Explicit.V))
	if got, best := spectralNorm(t, d), math.Pow(2, -12); math.Abs(got-best) > 1e-12 || math.Abs(f.EstimateIn(NormSpectral)-best) > 1e-12 {
		t.Errorf("spectral error %g, told %g, best %g", got, f.EstimateIn(NormSpectral), best)
	}
}

// TestMatrixOfLowRank recovers a matrix of low rank with values down to 3e-8: to 1e-7 in one pass, to rounding with
// another.
func TestMatrixOfLowRank(t *testing.T) {
	t.Parallel()
	a := withValues(t, 300, 280, func(j int) float64 {
		if j >= 6 {
			return 0
		}
		return math.Pow(10, -1.5*float64(j))
	})
	for refine, limit := range []float64{3e-7, 1e-13} {
		f, err := SSRSVDMatrix{Rank: 10, Refine: refine, Map: identityMap(t), Seed: 1}.Fit(context.Background(), stream.Engine{}, model.Sources{Left: stream.FromMatrix("M", a)}, kernelgen.Kernel{})
		if err != nil {
			t.Fatal(err)
		}
		u := factors(t, f.Model, f.Left, a)
		d := difference(a, dense.Mul(blas.NoTrans, scaledColumns(u, f.Values), blas.Trans, f.Explicit.V))
		if off := spectralNorm(t, d); off > limit {
			t.Errorf("%d refinements: error %g, values %v", refine, off, f.Values)
		}
		if v := f.EstimateIn(NormFrobenius); v > 3e-7 {
			t.Errorf("%d refinements: the error is told to be %g", refine, v)
		}
		if len(f.Values) >= 10 || len(f.Notes) == 0 {
			t.Errorf("%d refinements: rank %d, notes %q", refine, len(f.Values), f.Notes)
		}
	}
}

// TestMatrixNasty fits degenerate matrices: of zeros, of one row, out of range.
func TestMatrixNasty(t *testing.T) {
	t.Parallel()
	fit := func(a blas64.General, m SSRSVDMatrix) (*Fit, error) {
		m.Map = identityMap(t)
		return m.Fit(context.Background(), stream.Engine{}, model.Sources{Left: stream.FromMatrix("M", a)}, kernelgen.Kernel{})
	}
	for _, cols := range []int{5, 300} {
		if f, err := fit(matrix.New(20, cols), SSRSVDMatrix{Rank: 2}); err != nil || len(f.Values) != 0 {
			t.Errorf("%d columns of zeros: %v, %v", cols, f, err)
		}
		one := matrix.New(1, cols)
		one.Data[3] = -7
		if f, err := fit(one, SSRSVDMatrix{Rank: 1}); err != nil || len(f.Values) != 1 || math.Abs(f.Values[0]-7) > 1e-12 || math.Abs(f.Explicit.V.Data[3]) < 1-1e-12 {
			t.Errorf("one row of %d columns: %v, %v", cols, f, err)
		}
	}
	for _, far := range []float64{1e-170, 1e170} {
		_, err := fit(withValues(t, 300, 280, func(int) float64 { return far }), SSRSVDMatrix{Rank: 2})
		if err == nil || !strings.Contains(err.Error(), "multiply the entries") {
			t.Errorf("entries of about %g: %v", far, err)
		}
	}
	for _, m := range []SSRSVDMatrix{{Rank: 0}, {Rank: 21}, {Rank: 3, Sketch: 2}, {Rank: 3, Refine: -1}} {
		if f, err := fit(matrix.New(20, 30), m); err == nil {
			t.Errorf("%+v: %v", m, f)
		}
	}
}

// TestMatrixBlocks compares fits with other block sizes and numbers of threads.
func TestMatrixBlocks(t *testing.T) {
	t.Parallel()
	a := withValues(t, 700, 300, func(j int) float64 { return 1 / float64(j+1) })
	var first string
	for _, e := range []stream.Engine{{Threads: 1}, {Threads: 3}} {
		f, err := SSRSVDMatrix{Rank: 5, Refine: 1, Map: identityMap(t), Seed: 1}.Fit(context.Background(), e, model.Sources{Left: stream.FromMatrix("M", a)}, kernelgen.Kernel{})
		if err != nil {
			t.Fatal(err)
		}
		bits := fmt.Sprint(f.Values, f.Explicit.V.Data, f.Left.Projection.Data)
		if first == "" {
			first = bits
		}
		if bits != first {
			t.Errorf("%+v: other bits", e)
		}
	}
}
