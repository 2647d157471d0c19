package lowrank

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// onGrid returns rows rounded to multiples of 1/1024, so that offsets up to 1e12 are exact.
func onGrid(x blas64.General) blas64.General {
	for i, v := range x.Data {
		x.Data[i] = math.Round(1024*v) / 1024
	}
	return x
}

// shifted returns rows with a constant added to all numbers.
func shifted(x blas64.General, by float64) blas64.General {
	out := matrix.Clone(x)
	for i := range out.Data {
		out.Data[i] += by
	}
	return out
}

// TestPCAFarFromZero: for kernels whose centred matrix is shift-invariant, shifting all rows changes neither variances
// nor scores. The reference is a dense computation of the rows near 0.
func TestPCAFarFromZero(t *testing.T) {
	t.Parallel()
	const n = 60
	x, fresh := onGrid(clusters(n, 3, 1)), onGrid(clusters(20, 3, 2))
	for _, text := range []string{"linear()", "3*linear() + rbf(gamma=2)", "poly(degree=1, gamma=2, coef0=1)"} {
		k, err := kernelgen.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		eig, err := newEigen("reference", doublyCentred(k, x, x))
		if err != nil {
			t.Fatal(err)
		}
		want := dense.Mul(blas.NoTrans, doublyCentred(k, fresh, x), blas.NoTrans, matrix.Columns(eig.Vectors, 0, 3))
		dense.ScaleColumns(want, dense.Reciprocals(dense.Roots(eig.Values[:3])))
		products := dense.Mul(blas.NoTrans, want, blas.Trans, want)
		for _, by := range []float64{0, 1e3, 1e6, -1e7, 1e9, 1e12} {
			far, d := shifted(fresh, by), model.Sources{Left: stream.FromMatrix("x", shifted(x, by))}
			f, err := PCA{Rank: 3, Landmarks: n}.Fit(t.Context(), stream.Engine{Threads: 3}, d, k)
			if err != nil {
				t.Errorf("%s at %g: %v", text, by, err)
				continue
			}
			for j, v := range f.Values {
				if e := math.Abs(v/eig.Values[j] - 1); e > 1e-12 || len(f.Values) != 3 {
					t.Errorf("%s at %g: value %d of %d is off by %.1e", text, by, j, len(f.Values), e)
				}
			}
			if len(f.Warnings) > 0 {
				t.Errorf("%s at %g: warnings %q", text, by, f.Warnings)
			}
			u := scoresOf(t, f.Model, far)
			got := dense.Mul(blas.NoTrans, u, blas.Trans, u)
			for i, v := range products.Data {
				if e := math.Abs(got.Data[i]-v) / eig.Values[0] * n; e > 1e-11 {
					t.Fatalf("%s at %g: the product %d of scores of new rows is off by %.1e", text, by, i, e)
				}
			}
			sameAgain(t, f, d, k, far, u)
		}
	}
}

// sameAgain fits with one thread, saves and loads, and compares the scores bit for bit.
func sameAgain(t *testing.T, f *Fit, d model.Sources, k kernelgen.Kernel, rows, scores blas64.General) {
	t.Helper()
	again, err := PCA{Rank: 3, Landmarks: int(f.Rows)}.Fit(t.Context(), stream.Engine{Threads: 1}, d, k)
	if err != nil {
		t.Fatal(err)
	}
	archive, err := again.Save()
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(archive)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(scoresOf(t, loaded, rows).Data, scores.Data) {
		t.Error("a fit by one thread, saved and loaded, gives other scores")
	}
}

// TestPCAOnLandmarksFarFromZero: with fewer landmarks than rows a shift changes no bit of values, novelty and the
// measured error, since all differences are exact.
func TestPCAOnLandmarksFarFromZero(t *testing.T) {
	t.Parallel()
	x := onGrid(clusters(120, 3, 7))
	k, err := kernelgen.Parse("linear() + rbf(gamma=1)")
	if err != nil {
		t.Fatal(err)
	}
	var values, told []float64
	for _, by := range []float64{0, 1e7} {
		d := model.Sources{Left: stream.FromMatrix("x", shifted(x, by))}
		f, err := Sampled{Method: PCA{Rank: 4, Landmarks: 30}, Novelty: true}.Fit(t.Context(), stream.Engine{}, d, k)
		if err != nil {
			t.Fatal(err)
		}
		v, err := f.Verify(t.Context(), stream.Engine{}, d, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		novel, err := model.TransformMatrix(t.Context(), stream.Engine{}, f.Model, shifted(x, by), model.Request{Outputs: []model.Output{model.Novelty}})
		if err != nil {
			t.Fatal(err)
		}
		found := append(slices.Clone(f.Values), v.SpectralError, v.FrobeniusError)
		if by == 0 {
			values, told = found, novel.Data
		} else if !slices.Equal(found, values) || !slices.Equal(novel.Data, told) {
			t.Errorf("rows at %g: values and errors %v, near 0 %v; novelty the same: %v", by, found, values, slices.Equal(novel.Data, told))
		}
	}
}

// TestPCALosesDigits: if no shift helps, a fit warns of lost digits, and fails if none remains. Equal rows are a
// different error. Both are errors about the data.
func TestPCALosesDigits(t *testing.T) {
	t.Parallel()
	x := onGrid(clusters(60, 3, 1))
	same := matrix.New(30, 2)
	for i := range same.Data {
		same.Data[i] = 1e7 + 0.1
	}
	for _, c := range []struct {
		kernel string
		x      blas64.General
		warns  bool
		fails  string
	}{
		{"poly(degree=2, gamma=1, coef0=1)", x, false, ""},
		{"poly(degree=2, gamma=1, coef0=1)", shifted(x, 1e5), true, ""},
		{"poly(degree=2, gamma=1, coef0=1)", shifted(x, 1e9), false, "differ by less than the rounding"},
		{"cosine()", shifted(x, 1e9), false, "Scale standard"},
		{"rbf(gamma=1e-11)", x, true, ""},
		{"linear()", same, false, "all rows are the same"},
		{"rbf(gamma=1)", same, false, "all rows are the same"},
	} {
		k, err := kernelgen.Parse(c.kernel)
		if err != nil {
			t.Fatal(err)
		}
		f, err := PCA{Rank: 2}.Fit(t.Context(), stream.Engine{}, model.Sources{Left: stream.FromMatrix("x", c.x)}, k)
		var ofData *stream.DataError
		switch {
		case c.fails != "":
			if err == nil || !strings.Contains(err.Error(), c.fails) || !errors.As(err, &ofData) {
				t.Errorf("%s: %q is not in the data error %v", c.kernel, c.fails, err)
			}
		case err != nil:
			t.Errorf("%s: %v", c.kernel, err)
		case (len(f.Warnings) > 0) != c.warns:
			t.Errorf("%s: warnings %q", c.kernel, f.Warnings)
		}
	}
}

// TestUncentredLosesDigits: uncentred methods warn of inner products of rows far from 0, and not of rows near it.
func TestUncentredLosesDigits(t *testing.T) {
	t.Parallel()
	x := onGrid(clusters(200, 3, 1))
	methods := oneFactorMethods()
	delete(methods, "rff") // of functions of distances
	methods["ssrsvd"], methods["pca"] = SSRSVD{Rank: 4, Seed: 1}, PCA{Rank: 2}
	for name, m := range methods {
		for _, by := range []float64{0, 1e7} {
			f, err := m.Fit(t.Context(), stream.Engine{}, model.Sources{Left: stream.FromMatrix("x", shifted(x, by))}, kernelgen.Linear())
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if warns := by > 0 && name != "pca"; (len(f.Warnings) > 0) != warns {
				t.Errorf("%s at %g: warnings %q", name, by, f.Warnings)
			}
		}
	}
}
