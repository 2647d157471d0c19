package lowrank

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/internal/basis"
)

// fallingColumns returns a random matrix with column j scaled by 10^(−digits·j/cols).
func fallingColumns(rows, cols int, digits float64) blas64.General {
	b := matrix.New(rows, cols)
	draws := sketch.NewRandom(5, "core frame").At(0)
	for i := range b.Data {
		b.Data[i] = draws.Float64() - 0.5
	}
	w := make([]float64, cols)
	for j := range w {
		w[j] = math.Pow(10, -digits*float64(j)/float64(cols))
	}
	dense.ScaleColumns(b, w)
	return b
}

// TestGramFrame compares B⁺·M·B⁺ᵀ by the Gram matrix of B with that by Householder reflections.
func TestGramFrame(t *testing.T) {
	for _, digits := range []float64{0, 1, 2} {
		b := fallingColumns(300, 40, digits)
		m := dense.Mul(blas.NoTrans, b, blas.Trans, b) // B⁺·M·B⁺ᵀ = I
		for i := range m.Rows {
			m.Data[i*m.Stride+i] += 1e-3 * float64(i)
		}
		want, err := reflectedFrame(b)
		if err != nil {
			t.Fatal(err)
		}
		factor, ok := gramFactor(b)
		if !ok {
			t.Fatalf("%v digits: no factor", digits)
		}
		got := &coreFrame{u: b, back: basis.Inverse(factor), factor: factor}
		a, c := frameCore(want, m), frameCore(got, m)
		dense.Add(-1, a, c)
		if e := dense.MaxAbs(c) / dense.MaxAbs(a); !(e < 1e-9) {
			t.Errorf("%v digits: cores differ by %.2g", digits, e)
		}
	}
}

// frameCore returns B⁺·M·B⁺ᵀ.
func frameCore(f *coreFrame, m blas64.General) blas64.General {
	z := dense.Mul(blas.Trans, f.u, blas.NoTrans, dense.Mul(blas.NoTrans, m, blas.NoTrans, f.u))
	f.orthonormal(z)
	return congruenceOf(f.back, z)
}

// TestGramFrameRefuses: the Gram matrix is not used if core points miss a direction, or nearly miss it.
func TestGramFrameRefuses(t *testing.T) {
	missed := fallingColumns(300, 40, 0)
	for i := range missed.Rows {
		matrix.Row(missed, i)[7] = 0
	}
	notFinite := fallingColumns(300, 40, 0)
	notFinite.Data[17] = math.NaN()
	for name, b := range map[string]blas64.General{
		"falling": fallingColumns(300, 40, 9), "missed": missed, "few": fallingColumns(30, 40, 0), "not finite": notFinite,
	} {
		if _, ok := gramFactor(b); ok {
			t.Errorf("%s: it was factorised", name)
		}
	}
}
