package paper1

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/stream"
)

// someColours are near a line through the cube of colours.
func someColours(n int, seed uint64) blas64.General {
	r := rand.New(rand.NewPCG(seed, 0))
	x := stream.NewMatrix(n, 3)
	for i := range n {
		along := r.Float64()
		for k := range 3 {
			x.Data[3*i+k] = math.Min(1, math.Max(0, along+0.1*r.NormFloat64()))
		}
	}
	return x
}

func somePlan(t *testing.T, m, n int) *densePlan {
	t.Helper()
	p, err := newDensePlan(someColours(m, 1), someColours(n, 2))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// largest returns ‖a‖₂ by all singular values.
func largest(t *testing.T, a mat.Matrix) float64 {
	t.Helper()
	var svd mat.SVD
	if !svd.Factorize(a, mat.SVDNone) {
		t.Fatal("no singular values")
	}
	return svd.Values(nil)[0]
}

// TestDensePlan: the columns of the plan have their masses, and its distance from plans
// that are known is what the singular values of the difference say.
func TestDensePlan(t *testing.T) {
	p := somePlan(t, 150, 120)
	for j := range 120 {
		if mass := mat.Sum(p.t.ColView(j)); math.Abs(mass-1.0/120) > 1e-12 {
			t.Fatalf("column %d has a mass of %g", j, mass)
		}
	}
	if want := largest(t, p.t); math.Abs(p.norm-want) > 1e-3*want {
		t.Errorf("‖T‖₂ is %g, not %g", p.norm, want)
	}
	r := rand.New(rand.NewPCG(3, 3))
	draw := func(rows, cols int) *mat.Dense {
		m := mat.NewDense(rows, cols, nil)
		m.Apply(func(int, int, float64) float64 { return 1e-3 * r.NormFloat64() }, m)
		return m
	}
	for rank := 1; rank < 4; rank++ {
		plan := &lowRankPlan{u: draw(150, rank), v: draw(120, rank)}
		var rest mat.Dense
		rest.Mul(plan.u, plan.v.T())
		rest.Sub(p.t, &rest)
		want := largest(t, &rest)
		got, err := p.distance(plan)
		if err != nil || math.Abs(got-want) > 1e-3*want {
			t.Errorf("rank %d: %g, and the largest singular value is %g (%v)", rank, got, want, err)
		}
		plan.u.Set(7, 0, math.NaN())
		if got, err := p.distance(plan); err != nil || !math.IsNaN(got) {
			t.Errorf("the distance of a plan with a NaN is %g (%v)", got, err)
		}
	}
}

// TestLowRankPlan: a method whose rank is enough is near the plan.
func TestLowRankPlan(t *testing.T) {
	p := somePlan(t, 450, 420)
	plan, err := transportMethods(4000)[0].plan(t.Context(), p.x, p.y, 1)
	if err != nil {
		t.Fatal(err)
	}
	if off, err := p.distance(plan); err != nil || off > 1e-2*p.norm || plan.bad > 0 {
		t.Errorf("distance %g of %g (%v), %d bad products", off, p.norm, err, plan.bad)
	}
	if p := newLowRankPlan(mat.NewDense(3, 1, nil), mat.NewDense(2, 1, nil)); p.bad == 0 {
		t.Error("products of zero are not counted")
	}
}
