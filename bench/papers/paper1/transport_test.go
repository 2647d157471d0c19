package paper1

import (
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/bench/papers/lab"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// someColours returns colours near a line through the colour cube.
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

// somePlan returns the dense plan between such colours.
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

// TestDensePlan: the columns of the plan have their masses, and its distances from known plans are the largest singular
// values of the differences.
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
	k := lab.Kernel(kernelgen.RBF(10), p.x, p.y)
	if want := largest(t, k); math.Abs(p.kernelNorm-want) > 1e-3*want {
		t.Errorf("‖K‖₂ is %g, not %g", p.kernelNorm, want)
	}
	unit := mat.NewDense(120, 120, nil)
	for i := range 120 {
		unit.Set(i, i, 1)
	}
	if off, err := distance(120, p.kernel(), factors{k, unit}); err != nil || off > 1e-12*p.kernelNorm {
		t.Errorf("the kernel matrix is off by %g (%v)", off, err)
	}
	r := rand.New(rand.NewPCG(3, 3))
	draw := func(rows, cols int) *mat.Dense {
		m := mat.NewDense(rows, cols, nil)
		m.Apply(func(int, int, float64) float64 { return 1e-3 * r.NormFloat64() }, m)
		return m
	}
	for rank := 1; rank < 4; rank++ {
		plan := factors{draw(150, rank), draw(120, rank)}
		for name, of := range map[string]struct {
			known operator
			dense *mat.Dense
		}{"plan": {p, p.t}, "kernel": {p.kernel(), k}} {
			var rest mat.Dense
			rest.Mul(plan.u, plan.v.T())
			rest.Sub(of.dense, &rest)
			want := largest(t, &rest)
			got, err := distance(120, of.known, plan)
			if err != nil || math.Abs(got-want) > 1e-3*want {
				t.Errorf("%s, rank %d: %g, and the largest singular value is %g (%v)", name, rank, got, want, err)
			}
		}
		plan.u.Set(7, 0, math.NaN())
		if got, err := distance(120, p, plan); err != nil || !math.IsNaN(got) {
			t.Errorf("the distance of a plan with a NaN is %g (%v)", got, err)
		}
	}
}

// TestLowRankPlan: a method of sufficient rank is close to the plan.
func TestLowRankPlan(t *testing.T) {
	p := somePlan(t, 450, 420)
	r, err := p.measure(t.Context(), transportMethods(4000)[0], 2)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.ofPlans) != 2 || slices.Max(r.ofPlans) > 1e-2 || slices.Max(r.ofKernels) > 1e-2 || r.bad > 0 {
		t.Errorf("errors of plans %v and of kernels %v, %d seeds with bad products", r.ofPlans, r.ofKernels, r.bad)
	}
	if _, bad := newLowRankPlan(factors{mat.NewDense(3, 1, nil), mat.NewDense(2, 1, nil)}); bad == 0 {
		t.Error("products of zero are not counted")
	}
}

// TestTransportTables: Table I holds the errors of plans and of kernel matrices, for each method.
func TestTransportTables(t *testing.T) {
	data := t.TempDir()
	t.Setenv("NYSTREAM_DATA", data)
	img := image.NewRGBA(image.Rect(0, 0, 48, 32))
	for i := range 48 * 32 {
		img.Set(i%48, i/48, color.RGBA{uint8(5 * (i % 48)), uint8(7 * (i / 48)), uint8(7 * i % 256), 255})
	}
	for _, p := range transportPairs {
		f, err := os.Create(filepath.Join(data, p.source+".jpg"))
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(jpeg.Encode(f, img, nil), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	o := &options{out: t.TempDir(), methods: []string{"landmark s=300", "RFF"}, seeds: 1, rows: 160}
	tables, err := transportTables(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, table := range tables {
		files = append(files, table.File)
		if !slices.Equal(table.Head, []string{"pair", "landmark s=300", "RFF"}) || len(table.Rows) != len(transportPairs) {
			t.Errorf("%s", table.Markdown())
		}
	}
	if !slices.Equal(files, []string{"transport", "transport-kernel"}) {
		t.Errorf("tables %v", files)
	}
}
