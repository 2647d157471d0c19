package lowrank

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// TestLeading compares leading eigenpairs with complete decompositions, on spectra
// that fall fast, slowly, in steps, and below zero.
func TestLeading(t *testing.T) {
	t.Parallel()
	n, k := fewer(400, 200), fewer(60, 30)
	for name, value := range map[string]func(i int) float64{
		"rather fast":   func(i int) float64 { return math.Exp(-float64(i) / 5) },
		"fast":          func(i int) float64 { return math.Exp(-float64(i)) },
		"slow":          func(i int) float64 { return 1 / (1 + float64(i)) },
		"flat":          func(i int) float64 { return 1 - float64(i)/4000 },
		"steps":         func(i int) float64 { return math.Pow(0.5, float64(i/20)) },
		"of both signs": func(i int) float64 { return math.Cos(float64(i)) },
		"equal":         func(i int) float64 { return 1 },
		"zero":          func(i int) float64 { return 0 },
		"huge":          func(i int) float64 { return 1e150 / (1 + float64(i)) },
	} {
		r := rand.New(rand.NewPCG(1, 2))
		g := stream.NewMatrix(n, n)
		for i := range g.Data {
			g.Data[i] = r.NormFloat64()
		}
		q, _, err := sketch.CholeskyQR(g)
		if err != nil {
			t.Fatal(err)
		}
		values := make([]float64, n)
		for i := range values {
			values[i] = value(i)
		}
		a := congruence(q, values)
		whole, err := newEigen("a", a)
		if err != nil {
			t.Fatal(err)
		}
		got, err := newLeading("a", a, k)
		if err != nil {
			t.Fatal(err)
		}
		norm := math.Max(math.Abs(whole.Values[0]), math.Abs(whole.Values[n-1]))
		worst := 0.0
		for j := range k + 1 {
			worst = math.Max(worst, math.Abs(got.Values[j]-whole.Values[j]))
		}
		v := dense.Columns(got.Vectors, 0, k)
		rest := leadingResidual(dense.Mul(blas.NoTrans, a, blas.NoTrans, v), got, k)
		t.Logf("%s: values to %.2g of the norm, residual %.2g, orthogonality %.2g", name, worst/math.Max(norm, 1e-300), rest, orthogonalityError(v))
		if worst > 1e-4*math.Abs(whole.Values[k])+1e-13*norm || orthogonalityError(v) > 1e-11 {
			t.Errorf("%s: values to %g of the norm, orthogonality %g", name, worst/norm, orthogonalityError(v))
		}
	}
}

// TestWhitening compares both ways to make columns orthonormal.
func TestWhitening(t *testing.T) {
	t.Parallel()
	for _, fall := range []float64{1, 1e-3, 1e-8, 1e-14} {
		r := rand.New(rand.NewPCG(3, 4))
		a := stream.NewMatrix(300, 40)
		for i := range a.Rows {
			for j := range a.Cols {
				a.Data[i*a.Stride+j] = r.NormFloat64() * math.Pow(fall, float64(j)/39)
			}
		}
		qr := sketch.NewQR(a.Cols)
		if err := qr.Add(a); err != nil {
			t.Fatal(err)
		}
		tr, cond, err := whitening("a", qr.R(), RankTolerance)
		if err != nil {
			t.Fatal(err)
		}
		values := singularValues(t, a)
		if want := values[0] / values[min(dense.Rank(values, RankTolerance), 40)-1]; cond < want/20 || cond > 200*want {
			t.Errorf("fall %g: condition %.3g, singular values say %.3g", fall, cond, want)
		}
		q := dense.Mul(blas.NoTrans, a, blas.NoTrans, tr)
		if e := orthogonalityError(q); !(e <= 0x1p-46*cond) {
			t.Errorf("fall %g: orthogonality %g at condition %g", fall, e, cond)
		}
		if d := tr.Cols - dense.Rank(values, RankTolerance); d < -2 || d > 2 { // pivots are not singular values
			t.Errorf("fall %g: %d columns, rank %d", fall, tr.Cols, dense.Rank(values, RankTolerance))
		}
	}
}
