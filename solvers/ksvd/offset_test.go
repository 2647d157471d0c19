package ksvd

import (
	"math"
	"slices"
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

// far returns random multiples of 1/1024 plus a constant; the sums are exact.
func far(rows int, purpose string, by float64) blas64.General {
	x := matrix.New(rows, 3)
	sketch.NewRandom(1, purpose).Normals(x)
	for i, v := range x.Data {
		x.Data[i] = math.Round(1024*v)/1024 + by
	}
	return x
}

// TestCentredFarFromZero: shifting all rows changes neither the centred matrix of inner products nor the functions of a
// saved model at new rows. Near 0 the singular values equal those of the dense matrix.
func TestCentredFarFromZero(t *testing.T) {
	t.Parallel()
	methods := map[string]model.Method[*Data, Fit]{"exact": Exact{Rank: 3, Center: true},
		"nystrom": Nystrom{Rank: 3, Rows: 40, Cols: 30, Center: true}, "sampled": Nystrom{Rank: 3, Rows: 20, Cols: 20, Center: true, Sums: SumsSampled}}
	for name, m := range methods {
		var near []float64
		for _, by := range []float64{0, 1e7} {
			x, z := far(40, "x", by), far(30, "z", by)
			d, err := Between(stream.FromMatrix("x", x), stream.FromMatrix("z", z))
			if err != nil {
				t.Fatal(err)
			}
			f, err := m.Fit(t.Context(), stream.Engine{Threads: 2}, d, kernelgen.Linear())
			if err != nil {
				t.Fatal(err)
			}
			archive, err := f.Save()
			if err != nil {
				t.Fatal(err)
			}
			loaded, err := Load(archive)
			if err != nil {
				t.Fatal(err)
			}
			found := slices.Clone(f.Values)
			for _, side := range []model.Side{model.Left, model.Right} {
				u, err := model.TransformMatrix(t.Context(), stream.Engine{}, loaded, far(10, "new", by), model.Request{Side: side})
				if err != nil {
					t.Fatal(err)
				}
				found = append(found, u.Data...)
			}
			if by == 0 {
				near = found
				if name != "sampled" {
					checkCentred(t, name, f.Values, x, z)
				}
			} else if !slices.Equal(found, near) {
				t.Errorf("%s: values %v at %g, %v near 0, or other functions", name, found[:3], by, near[:3])
			}
		}
	}
}

// checkCentred compares values with the singular values of the centred matrix of inner products.
func checkCentred(t *testing.T, name string, values []float64, x, z blas64.General) {
	t.Helper()
	a, b := matrix.Clone(x), matrix.Clone(z)
	dense.CenterColumns(a)
	dense.CenterColumns(b)
	want, err := dense.NewSVD(dense.Mul(blas.NoTrans, a, blas.Trans, b))
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range values {
		if e := math.Abs(v/want.S[i] - 1); e > 1e-10 {
			t.Errorf("%s: value %d is off by %.1e", name, i, e)
		}
	}
}
