package lowrank

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/blas"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/passcount"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// TestRectangular fits kernel matrices between two sources.
func TestRectangular(t *testing.T) {
	t.Parallel()
	ctx, e := context.Background(), stream.Engine{}
	x, y := clusters(330, 3, 3), clusters(250, 3, 4)
	left, right := stream.FromMatrix("left", x), stream.FromMatrix("right", y)
	k := kernelgen.RBF(1)
	a := kernelMatrix(k, x, y)
	values := singularValues(t, a)
	for name, fit := range map[string]func() (*Fit, error){
		"ssrsvd": func() (*Fit, error) {
			return SSRSVD{Rank: 20, Seed: 1}.Fit(ctx, e, model.Sources{Left: left, Right: right}, k)
		},
		"landmark": func() (*Fit, error) {
			return Landmark{Rank: 20, Seed: 1}.Fit(ctx, e, model.Sources{Left: left, Right: right}, k)
		},
	} {
		f, err := fit()
		if err != nil {
			t.Fatal(err)
		}
		v, err := f.Verify(ctx, e, model.Sources{Left: left, Right: right}, 0, 3)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Refine(ctx, e, model.Sources{Left: left, Right: right}); err != nil {
			t.Fatal(err)
		}
		u, w := factors(t, f.Model, f.Left, x), factors(t, f.Model, f.Right, y)
		measured := spectralNorm(t, difference(a, approximation(f.Model, u, w))) / values[0]
		t.Logf("%s: error %.3g, floor %.3g, verified %.3g, estimate %.3g, frobenius %.3g", name, measured, values[20]/values[0], v.SpectralError, f.EstimateIn(NormFrobenius), v.FrobeniusError)
		if math.Abs(v.SpectralError-measured) > 0.02*measured {
			t.Errorf("%s: Verify says %g, dense computation %g", name, v.SpectralError, measured)
		}
		if measured > 30*values[20]/values[0] {
			t.Errorf("%s: error %g, floor %g", name, measured, values[20]/values[0])
		}
		if e := math.Max(orthogonalityError(u), orthogonalityError(w)); e > 1e-12 {
			t.Errorf("%s: factors are orthonormal to %g", name, e)
		}
		if f.Rows != 330 || f.Cols != 250 {
			t.Errorf("%s: shape %d×%d", name, f.Rows, f.Cols)
		}
	}
}

// TestExplicitUnits: the error for a matrix does not depend on the unit of its entries, however large or small.
func TestExplicitUnits(t *testing.T) {
	t.Parallel()
	ctx, e := context.Background(), stream.Engine{}
	x := dense.Mul(blas.NoTrans, clusters(80, 4, 1), blas.Trans, clusters(30, 4, 2))
	identity, err := kernelgen.ParseElementMap("identity")
	if err != nil {
		t.Fatal(err)
	}
	var want *model.Verification
	for _, exponent := range []int{0, 400, 480, -300, -450} {
		src := model.Sources{Left: stream.FromMatrix("M", scaled(x, math.Ldexp(1, exponent)))}
		f, err := SSRSVDMatrix{Rank: 3, Map: identity, Seed: 1}.Fit(ctx, e, src, kernelgen.Kernel{})
		if err != nil {
			t.Fatalf("2^%d: %v", exponent, err)
		}
		v, err := f.Verify(ctx, e, src, 0, 1)
		if err != nil {
			t.Fatalf("2^%d: %v", exponent, err)
		}
		if want == nil {
			want = v
		}
		for _, pair := range [][2]float64{{v.SpectralError, want.SpectralError}, {v.FrobeniusError, want.FrobeniusError}, {math.Ldexp(v.Norm, -exponent), want.Norm}} {
			if !(math.Abs(pair[0]-pair[1]) <= 1e-6*pair[1]) {
				t.Errorf("2^%d: %v, not %v: %+v", exponent, pair[0], pair[1], v)
			}
		}
	}
}

// TestExplicitMatrix fits an element-wise function of a matrix on disk.
func TestExplicitMatrix(t *testing.T) {
	t.Parallel()
	ctx, e := context.Background(), stream.Engine{BlockRows: 64}
	x := dense.Mul(blas.NoTrans, clusters(300, 4, 1), blas.Trans, clusters(150, 4, 2))
	m, err := kernelgen.ParseElementMap("exp")
	if err != nil {
		t.Fatal(err)
	}
	a := matrix.New(x.Rows, x.Cols)
	m.Apply(a.Data, x.Data)
	values := singularValues(t, a)
	src := passcount.New(stream.FromMatrix("M", x))
	f, err := SSRSVDMatrix{Rank: 15, Map: m, Seed: 1}.Fit(ctx, e, model.Sources{Left: src}, kernelgen.Kernel{})
	if err != nil {
		t.Fatal(err)
	}
	if src.Passes() != 1 {
		t.Errorf("%d passes", src.Passes())
	}
	if err := f.Refine(ctx, e, model.Sources{Left: src}); err != nil {
		t.Fatal(err)
	}
	v, err := f.Verify(ctx, e, model.Sources{Left: src}, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	if part, err := f.Verify(ctx, e, model.Sources{Left: stream.FromMatrix("part", matrix.Rows(x, 0, 70))}, 0, 1); err != nil || part.Rows != 70 {
		t.Errorf("the error on 70 other rows: %+v, %v", part, err)
	}
	u := factors(t, f.Model, f.Left, x)
	d := difference(a, dense.Mul(blas.NoTrans, scaledColumns(u, f.Values), blas.Trans, f.Explicit.V))
	measured := spectralNorm(t, d) / values[0]
	t.Logf("error %.3g, floor %.3g, verified %.3g", measured, values[15]/values[0], v.SpectralError)
	if math.Abs(v.SpectralError-measured) > 0.02*measured || measured > 10*values[15]/values[0] {
		t.Errorf("error %g, verified %g, floor %g", measured, v.SpectralError, values[15]/values[0])
	}
	if e := math.Max(orthogonalityError(u), orthogonalityError(f.Explicit.V)); e > 1e-12 {
		t.Errorf("factors are orthonormal to %g", e)
	}
	again, _ := reload(t, f.Model)
	if saved(again) != saved(f.Model) {
		t.Error("the model changed on its way")
	}
	if frob := dense.Frobenius(d) / dense.Frobenius(a); math.Abs(v.FrobeniusError-frob) > 1e-9*frob {
		t.Errorf("Frobenius error %g, dense %g", v.FrobeniusError, frob)
	}
}

// TestRectangularCondition: sides of numerically low rank have weak directions, which a model of lower rank excludes.
// The orthogonality bound before Refine accounts for that, and holds.
func TestRectangularCondition(t *testing.T) {
	t.Parallel()
	x, y := clusters(900, 1, 3), clusters(800, 1, 4)
	d := model.Sources{Left: stream.FromMatrix("left", x), Right: stream.FromMatrix("right", y)}
	for _, c := range []struct {
		rank int
		most float64 // of the bound
	}{{3, 1e-9}, {8, 1e-5}, {60, 1}} {
		f, err := Landmark{Rank: c.rank, Seed: 2}.Fit(context.Background(), stream.Engine{}, d, kernelgen.RBF(2))
		if err != nil {
			t.Fatal(err)
		}
		e := math.Max(orthogonalityError(factors(t, f.Model, f.Left, x)), orthogonalityError(factors(t, f.Model, f.Right, y)))
		t.Logf("rank %d of %d: max|UᵀU−I| = %.2g, bound %.2g", len(f.Values), c.rank, e, f.OrthogonalityBound())
		if bound := f.OrthogonalityBound(); e > 50*bound || bound > c.most {
			t.Errorf("rank %d: max|UᵀU−I| = %g, bound %g", c.rank, e, bound)
		}
	}
}
