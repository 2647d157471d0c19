package lowrank

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// sinkhorn returns u and v after ten rounds: diag(u)·A·diag(v) is a plan between uniform masses.
func sinkhorn(a blas64.General) (u, v []float64) {
	u, v = make([]float64, a.Rows), make([]float64, a.Cols)
	for j := range v {
		v[j] = 1
	}
	scale := func(dst, product []float64) {
		for i, p := range product {
			dst[i] = 1 / (float64(len(dst)) * p)
		}
	}
	for range 10 {
		scale(u, dense.MulVector(blas.NoTrans, a, v))
		scale(v, dense.MulVector(blas.Trans, a, u))
	}
	return u, v
}

// transportPlan returns that plan.
func transportPlan(a blas64.General) blas64.General {
	u, v := sinkhorn(a)
	p := matrix.Clone(a)
	dense.ScaleRows(p, u)
	dense.ScaleColumns(p, v)
	return p
}

// TestTransport: the error of the kernel matrix between colours is close to the optimum of the rank, and the error of
// the transport plan to that of the best matrix of the rank.
func TestTransport(t *testing.T) {
	inTheLarge(t)
	t.Parallel()
	const n, rank = 450, 60
	r := rand.New(rand.NewPCG(1, 3))
	x, y := pixels(r, "autumn.jpg", n), pixels(r, "woods.jpg", n)
	if x.Rows == 0 {
		t.Skip("no images: name a folder with autumn.jpg, woods.jpg, ocean_day.jpg and ocean_sunset.jpg in NYSTREAM_DATA")
	}
	ctx, k := context.Background(), kernelgen.RBF(10)
	d := model.Sources{Left: stream.FromMatrix("autumn", x), Right: stream.FromMatrix("woods", y)}
	a := kernelMatrix(k, x, y)
	plan, norm := transportPlan(a), quickNorm(t, a)
	planNorm := quickNorm(t, plan)
	errorsOf := func(name string, b blas64.General) (kernel, transport float64) {
		kernel, transport = quickNorm(t, difference(a, b))/norm, quickNorm(t, difference(plan, transportPlan(b)))/planNorm
		t.Logf("%s: kernel %.2e, plan %.2e", name, kernel, transport)
		return kernel, transport
	}
	fitted := func(name string, m Method) (kernel, transport float64) {
		f, err := m.Fit(ctx, stream.Engine{}, d, k)
		if err != nil {
			t.Fatal(err)
		}
		return errorsOf(name, approximation(f.Model, factors(t, f.Model, f.Left, x), factors(t, f.Model, f.Right, y)))
	}
	s, err := dense.NewSVD(a)
	if err != nil {
		t.Fatal(err)
	}
	best := dense.Mul(blas.NoTrans, scaledColumns(matrix.Columns(s.U, 0, rank), s.S[:rank]), blas.Trans, matrix.Columns(s.V, 0, rank))
	leastKernel, leastPlan := errorsOf("the best of rank 60", best)
	kernel, transport := fitted("landmark, 360 core points", Landmark{Rank: rank, Core: 360, Seed: 1})
	if kernel > 1.1*leastKernel || math.Abs(transport-leastPlan) > 0.2*leastPlan {
		t.Errorf("landmark: kernel %g, plan %g; the best matrix has %g and %g", kernel, transport, leastKernel, leastPlan)
	}
	u, v := sinkhorn(a)
	t.Logf("u from %.1e to %.1e, v from %.1e to %.1e", slices.Min(u), slices.Max(u), slices.Min(v), slices.Max(v))
}
