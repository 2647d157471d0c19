package lowrank

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/internal/basis"
)

// TestWhitening compares the two algorithms for orthonormal columns.
func TestWhitening(t *testing.T) {
	t.Parallel()
	for _, fall := range []float64{1, 1e-3, 1e-8, 1e-14} {
		r := rand.New(rand.NewPCG(3, 4))
		a := matrix.New(300, 40)
		for i := range a.Rows {
			for j := range a.Cols {
				a.Data[i*a.Stride+j] = r.NormFloat64() * math.Pow(fall, float64(j)/39)
			}
		}
		qr := sketch.NewQR(a.Cols)
		if err := qr.Add(a); err != nil {
			t.Fatal(err)
		}
		tr, cond, err := basis.Orthonormaliser(qr.R(), RankTolerance)
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
