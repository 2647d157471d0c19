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
	"github.com/nystream/nystream/internal/linalg/householder"
	"github.com/nystream/nystream/internal/linalg/symeig"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/passcount"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// rayleighRitz returns the spectral error of the best core of rank c in the range of K(·, J), by magnitude and without
// a shift.
func rayleighRitz(t *testing.T, a blas64.General, landmarks []int64, c int) float64 {
	t.Helper()
	w, columns := matrix.New(len(landmarks), len(landmarks)), matrix.New(a.Rows, len(landmarks))
	for j, at := range landmarks {
		for i := range a.Rows {
			matrix.Row(columns, i)[j] = matrix.Row(a, i)[at]
		}
		for i, from := range landmarks {
			matrix.Row(w, i)[j] = matrix.Row(a, int(from))[at]
		}
	}
	values, vectors, err := symeig.Decompose(w)
	if err != nil {
		t.Fatal(err)
	}
	var kept []int
	scale := make([]float64, len(values))
	for i, v := range values {
		if scale[i] = 1 / math.Sqrt(math.Abs(v)); math.Abs(v) > 1e-14*max(values[0], -values[len(values)-1]) {
			kept = append(kept, i)
		}
	}
	whiten := dense.PickColumns(scaledColumns(vectors, scale), kept)
	q := householder.QR(dense.Mul(blas.NoTrans, columns, blas.NoTrans, whiten)).Thin()
	core := dense.Mul(blas.Trans, q, blas.NoTrans, dense.Mul(blas.NoTrans, a, blas.NoTrans, q))
	values, vectors, err = symeig.Decompose(dense.SymmetricPart(core))
	if err != nil {
		t.Fatal(err)
	}
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		if math.Abs(values[i]) > math.Abs(values[j]) {
			return -1
		}
		return 1
	})
	order = order[:min(c, len(order))]
	u := dense.Mul(blas.NoTrans, q, blas.NoTrans, dense.PickColumns(vectors, order))
	best := dense.Mul(blas.NoTrans, scaledColumns(u, dense.Pick(values, order)), blas.Trans, u)
	return spectralNorm(t, difference(a, best)) / spectralNorm(t, a)
}

// rareClusterRows returns rows in 40 clusters of geometrically decreasing sizes, in order.
func rareClusterRows(n int) blas64.General {
	r := rand.New(rand.NewPCG(1, 2))
	centres := filled(40, 6, func(int, int) float64 { return 5 * r.NormFloat64() })
	of := make([]int, n)
	for i := range of {
		of[i] = min(39, int(math.Log(1-r.Float64())/math.Log(0.85)))
	}
	slices.Sort(of)
	return filled(n, 6, func(i, j int) float64 { return matrix.Row(centres, of[i])[j] + 0.1*r.NormFloat64() })
}

// TestErrorsOfAnyRank: errors equal those of Rayleigh–Ritz on the same landmarks, for any spectrum. Earlier versions
// tilted directions by ε times the condition of K(·, J), and missed rows of large negative eigenvalues and heavy rows.
func TestErrorsOfAnyRank(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	factors := filled(4, 12, func(int, int) float64 { return r.NormFloat64() })
	heavy := filled(900, 12, func(i, j int) float64 { return 0 })
	for i := range heavy.Rows {
		z := []float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
		for j := range heavy.Cols {
			sum := 0.0
			for l, v := range z {
				sum += v * matrix.Row(factors, l)[j]
			}
			matrix.Row(heavy, i)[j] = math.Exp(sum)
		}
	}
	binary := filled(900, 80, func(_, j int) float64 {
		if r.Float64() < max(2.0/900, 0.5*math.Pow(0.93, float64(j))) {
			return 1
		}
		return 0
	})
	sorted := rareClusterRows(900)
	for i, c := range []struct {
		name, kernel string
		x            blas64.General
		rank         int
	}{
		{"sorted clusters", "rbf(gamma=0.005)", sorted, 200},
		{"sorted clusters", "matern52(length=15)", sorted, 210},
		{"sorted clusters", "sigmoid(gamma=0.01)", sorted, 60},
		{"sorted clusters", "multiquadric(length=15)", sorted, 40},
		{"heavy features", "poly(degree=3)", heavy, 10},
		{"heavy features", "multiquadric(length=20)", heavy, 20},
		{"rare binary columns", "linear()", binary, 85},
	} {
		if testing.Short() && i != 3 && i != 4 { // the small ones
			continue
		}
		k, err := kernelgen.Parse(c.kernel)
		if err != nil {
			t.Fatal(err)
		}
		k, err = k.Resolve(c.x)
		if err != nil {
			t.Fatal(err)
		}
		a := kernelMatrix(k, c.x, c.x)
		f, err := Landmark{Rank: c.rank, Seed: 1, Shift: ShiftNone}.Fit(context.Background(), stream.Engine{}, model.Sources{Left: stream.FromMatrix("x", c.x)}, k)
		if err != nil {
			t.Fatal(err)
		}
		got, want := denseError(t, f.Model, c.x, a, spectralNorm(t, a)), rayleighRitz(t, a, f.Left.Rows, c.rank)
		if t.Logf("%s, %s, rank %d: error %.2e, Rayleigh–Ritz %.2e", c.name, c.kernel, c.rank, got, want); !(got <= 1.1*want+1e-13) {
			t.Errorf("%s, %s, rank %d: error %.2e, Rayleigh–Ritz %.2e", c.name, c.kernel, c.rank, got, want)
		}
	}
}

// TestS3SPSDRefusesIndefinite: a kernel that may be indefinite is refused before the pass.
func TestS3SPSDRefusesIndefinite(t *testing.T) {
	t.Parallel()
	src := passcount.New(stream.FromMatrix("x", clusters(60, 3, 1)))
	if _, err := (S3SPSD{Rank: 3}).Fit(context.Background(), stream.Engine{}, model.Sources{Left: src}, kernelgen.Sigmoid(1, -1)); err == nil || src.Passes() > 0 {
		t.Errorf("%v after %d passes", err, src.Passes())
	}
}
