package lowrank

import (
	"context"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// TestFewDistinctRows: with few distinct rows the columns of a sketch are dependent up to rounding. The factors must
// still be orthonormal, and no value may be spurious. (A preconditioner from such columns once failed both.)
func TestFewDistinctRows(t *testing.T) {
	inTheLarge(t)
	t.Parallel()
	const n = 150
	for _, text := range []string{"cosine", "linear", "poly(degree=2, gamma=1, coef0=1)", "rbf(gamma=1)", "laplace(gamma=1)"} {
		k, err := kernelgen.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, distinct := range []int{1, 3, 5} {
			for seed := uint64(1); seed <= 2; seed++ {
				x, values := fewDistinct(t, k, n, distinct, seed)
				for _, m := range []Method{Landmark{Rank: 16, Landmarks: 16, Seed: seed}, Landmark{Rank: 4, Seed: seed}, Adaptive{ErrorTol: 0.01, Seed: seed}} {
					f, err := m.Fit(context.Background(), stream.Engine{}, model.Sources{Left: stream.FromMatrix("x", x)}, k)
					if err != nil {
						t.Fatal(err)
					}
					checkFewDistinct(t, fmt.Sprintf("%s, %d distinct rows, seed %d, %T", text, distinct, seed, m), f, x, values)
				}
			}
		}
	}
}

// fewDistinct returns n rows and the eigenvalues of their kernel matrix. They are those of the kernel between distinct
// rows, scaled by the roots of their multiplicities.
func fewDistinct(t *testing.T, k kernelgen.Kernel, n, distinct int, seed uint64) (blas64.General, []float64) {
	random := sketch.NewRandom(seed, "few distinct rows")
	points := matrix.New(distinct, 3)
	random.Normals(points)
	for i, v := range points.Data {
		points.Data[i] = math.Abs(v)
	}
	x, often := matrix.New(n, 3), make([]float64, distinct)
	for i := range n {
		draws := random.At(uint64(i))
		p := int(draws.Float64() * float64(distinct))
		copy(matrix.Row(x, i), matrix.Row(points, p))
		often[p]++
	}
	a := kernelMatrix(k, points, points)
	for i := range distinct {
		for j := range distinct {
			a.Data[i*a.Stride+j] *= math.Sqrt(often[i] * often[j])
		}
	}
	return x, denseEigen(t, a).Values
}

// checkFewDistinct checks that the factors are orthonormal and that no value exceeds its eigenvalue.
func checkFewDistinct(t *testing.T, what string, f *Fit, x blas64.General, values []float64) {
	t.Helper()
	u := factors(t, f.Model, f.Left, x)
	g := dense.Mul(blas.Trans, u, blas.NoTrans, u)
	off := 0.0
	for i := range g.Rows {
		g.Data[i*g.Stride+i]--
	}
	for _, v := range g.Data {
		off = math.Max(off, math.Abs(v))
	}
	if !(off <= 1e-7) {
		t.Errorf("%s: UᵀU is off by %.1e", what, off)
	}
	for j, v := range f.Values {
		most := 0.01 * values[0]
		if j < len(values) {
			most += values[j]
		}
		if !(v+f.Shift <= most) {
			t.Errorf("%s: value %d is %g, that of A %g", what, j, v+f.Shift, most)
		}
	}
	if estimate := f.EstimateIn(NormFrobenius); !(estimate < 0.3) {
		t.Errorf("%s: the error is estimated as %g", what, estimate)
	}
}
