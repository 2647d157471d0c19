package lowrank

import (
	"context"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// unshiftedLandmark returns the method of Wang, Luo & Zhang (2016).
func unshiftedLandmark(rank int, seed uint64) Landmark {
	return Landmark{Rank: rank, Rule: RuleUniform, Landmarks: rank, Core: 5 * rank, Seed: seed, Shift: ShiftNone}
}

// TestUnshiftedAgainstDense: Â = C·(SᵀC)⁺·(SᵀKS)·(CᵀS)⁺·Cᵀ with pseudo-inverses by
// QR factorisation.
func TestUnshiftedAgainstDense(t *testing.T) {
	t.Parallel()
	x := clusters(500, 4, 3)
	src := stream.FromMatrix("x", x)
	k := kernelgen.RBF(2)
	m := unshiftedLandmark(16, 5)
	m.Core = 60
	f, err := m.Fit(context.Background(), stream.Engine{}, model.Sources{Left: src}, k)
	if err != nil {
		t.Fatal(err)
	}
	streamed, err := m.stream(context.Background(), stream.Engine{}, src, k)
	if err != nil {
		t.Fatal(err)
	}
	rows := func(numbers []int64) mat.Matrix {
		s, err := stream.GatherRows(context.Background(), src, numbers)
		if err != nil {
			t.Fatal(err)
		}
		return matDense(s)
	}
	j, s := rows(streamed.landmarks.Number).(*mat.Dense).RawMatrix(), rows(streamed.core.Number).(*mat.Dense).RawMatrix()
	if j.Rows != 16 || s.Rows < 60 || f.Shift != 0 || len(f.Values) != 16 {
		t.Fatalf("%d landmarks, %d core points, shift %g, %d values", j.Rows, s.Rows, f.Shift, len(f.Values))
	}
	var half, u mat.Dense // half = (SᵀC)⁺·SᵀKS, u = half·(CᵀS)⁺
	sc := matDense(kernelMatrix(k, s, j))
	if err := half.Solve(sc, matDense(kernelMatrix(k, s, s))); err != nil {
		t.Fatal(err)
	}
	if err := u.Solve(sc, half.T()); err != nil {
		t.Fatal(err)
	}
	c := kernelMatrix(k, x, j)
	want := dense.Mul(blas.NoTrans, c, blas.NoTrans, dense.Mul(blas.NoTrans, u.RawMatrix(), blas.Trans, c))
	if e := dense.Frobenius(difference(full(t, f, x), want)) / dense.Frobenius(want); !(e <= 1e-10) {
		t.Errorf("%g away from the dense formula", e)
	}
	if v := lowestEigenvalue(t, full(t, f, x)); v < -1e-11 {
		t.Errorf("Â has the eigenvalue %g", v)
	}
}

// TestUnshiftedFewRows: if there are not enough rows the fit notes it, and equals A.
func TestUnshiftedFewRows(t *testing.T) {
	t.Parallel()
	x := clusters(12, 3, 4)
	k := kernelgen.RBF(3)
	f, err := unshiftedLandmark(20, 1).Fit(context.Background(), stream.Engine{}, model.Sources{Left: stream.FromMatrix("x", x)}, k)
	if err != nil {
		t.Fatal(err)
	}
	if e := dense.Frobenius(difference(full(t, f, x), kernelMatrix(k, x, x))); !(e <= 1e-9) || len(f.Notes) == 0 {
		t.Errorf("error %g, notes %q", e, f.Notes)
	}
	if _, err := (Landmark{Shift: ShiftNone}).Fit(context.Background(), stream.Engine{}, model.Sources{Left: stream.FromMatrix("x", x)}, k); err == nil {
		t.Error("rank 0 is taken")
	}
}
