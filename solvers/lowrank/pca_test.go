package lowrank

import (
	"math"
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

// doublyCentred returns the kernel matrix of y against x without the row means of both, like scikit-learn's
// KernelCenterer.
func doublyCentred(k kernelgen.Kernel, y, x blas64.General) blas64.General {
	fitted, a := kernelMatrix(k, x, x), kernelMatrix(k, y, x)
	n, all := float64(x.Rows), 0.0
	columns := make([]float64, x.Rows)
	for i := range fitted.Rows {
		for j, v := range matrix.Row(fitted, i) {
			columns[j] += v / n
			all += v / n / n
		}
	}
	for i := range a.Rows {
		row := matrix.Row(a, i)
		mean := dense.Sum(row) / n
		for j := range row {
			row[j] += all - mean - columns[j]
		}
	}
	return a
}

// scoresOf returns the scores of rows.
func scoresOf(t *testing.T, m *Model, x blas64.General) blas64.General {
	t.Helper()
	u, err := model.TransformMatrix(t.Context(), stream.Engine{}, m, x, model.Request{Outputs: []model.Output{model.Scores}})
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// TestPCAIsDense: with all rows as landmarks the values are the eigenvalues of the centred matrix, scores of fitted and
// new rows equal the dense method, and the trace is exact.
func TestPCAIsDense(t *testing.T) {
	t.Parallel()
	const rank = 5
	x, fresh := clusters(150, 3, 1), clusters(40, 3, 2)
	for _, text := range []string{"rbf(gamma=2)", "laplace(gamma=1)", "1e150*rbf(gamma=2)",
		"poly(degree=2, gamma=1, coef0=1)"} {
		k, err := kernelgen.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		f, err := PCA{Rank: rank, Landmarks: 150}.Fit(t.Context(), stream.Engine{},
			model.Sources{Left: stream.FromMatrix("x", x)}, k)
		if err != nil {
			t.Fatal(err)
		}
		a := doublyCentred(k, x, x)
		eig, err := newEigen("reference", a)
		if err != nil {
			t.Fatal(err)
		}
		if e := math.Abs(f.Trace/dense.Trace(a) - 1); e > 1e-9 {
			t.Errorf("%s: the trace is off by %.1e", text, e)
		}
		both := [2]blas64.General{doublyCentred(k, x, x), doublyCentred(k, fresh, x)}
		for which, rows := range [2]blas64.General{x, fresh} {
			got := scoresOf(t, f.Model, rows)
			want := dense.Mul(blas.NoTrans, both[which], blas.NoTrans, matrix.Columns(eig.Vectors, 0, rank))
			for j := range rank {
				root, sign := math.Sqrt(eig.Values[j]), 0.0
				for i := range rows.Rows {
					sign += matrix.Row(got, i)[j] * matrix.Row(want, i)[j]
				}
				if math.Abs(f.Values[j]/eig.Values[j]-1) > 1e-9 {
					t.Errorf("%s: value %d is %v, want %v", text, j, f.Values[j], eig.Values[j])
				}
				for i := range rows.Rows {
					if d := matrix.Row(got, i)[j] - math.Copysign(matrix.Row(want, i)[j]/root,
						sign*matrix.Row(want, i)[j]); math.Abs(d) > 1e-8*root {
						t.Fatalf("%s: score %d of row %d is off by %.1e", text, j, i, d/root)
					}
				}
			}
		}
	}
}

// TestPCAOnLandmarks: with few landmarks the values are the sums of squared scores, whose means are 0. Verify measures
// the error of the centred matrix, and a loaded model gives the same scores.
func TestPCAOnLandmarks(t *testing.T) {
	t.Parallel()
	const n, rank = 300, 6
	x := clusters(n, 4, 7)
	k := kernelgen.RBF(1)
	d := model.Sources{Left: stream.FromMatrix("x", x)}
	for _, refined := range []bool{false, true} {
		f, err := PCA{Rank: rank, Landmarks: 40}.Fit(t.Context(), stream.Engine{}, d, k)
		if err != nil {
			t.Fatal(err)
		}
		if refined {
			if err := f.Refine(t.Context(), stream.Engine{}, d); err != nil {
				t.Fatal(err)
			}
		}
		u := scoresOf(t, f.Model, x)
		for j := range rank {
			mean, squares := 0.0, 0.0
			for i := range n {
				v := matrix.Row(u, i)[j]
				mean += v / n
				squares += v * v
			}
			if math.Abs(mean) > 1e-9 || math.Abs(squares/f.Values[j]-1) > 1e-9 {
				t.Errorf("component %d has mean %.1e and sum of squares %v, value %v", j, mean, squares, f.Values[j])
			}
		}
		a := doublyCentred(k, x, x)
		v, err := f.Verify(t.Context(), stream.Engine{}, d, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		e := matrix.Clone(a)
		dense.Gemm(blas.NoTrans, blas.Trans, -1, u, u, 1, e)
		if want := spectralNorm(t, e) / spectralNorm(t, a); math.Abs(v.SpectralError/want-1) > 0.01 {
			t.Errorf("the measured error is %v, dense %v", v.SpectralError, want)
		}
		if kept := dense.Sum(f.Values) / dense.Trace(a); math.Abs(f.TraceKept-kept) > 0.01 ||
			math.Abs(dense.Sum(f.Explained())-kept) > 0.01 {
			t.Errorf("the components explain %v, said to be %v", kept, f.TraceKept)
		}
		archive, err := f.Save()
		if err != nil {
			t.Fatal(err)
		}
		loaded, err := Load(archive)
		if err != nil {
			t.Fatal(err)
		}
		again := scoresOf(t, loaded, x)
		for i, v := range again.Data {
			if v != u.Data[i] {
				t.Fatal("the loaded model gives other scores")
			}
		}
	}
}

// TestPCARefuses: equal rows have no component, and a kernel must be positive semi-definite.
func TestPCARefuses(t *testing.T) {
	t.Parallel()
	same := matrix.New(30, 2)
	for i := range same.Data {
		same.Data[i] = 3
	}
	sigmoid, err := kernelgen.Parse("sigmoid")
	if err != nil {
		t.Fatal(err)
	}
	for says, refused := range map[string]struct {
		x blas64.General
		k kernelgen.Kernel
	}{"all rows are the same": {same, kernelgen.RBF(1)}, "positive semi-definite": {clusters(30, 2, 1), sigmoid}} {
		_, err := PCA{Rank: 2}.Fit(t.Context(), stream.Engine{},
			model.Sources{Left: stream.FromMatrix("x", refused.x)}, refused.k)
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q is not in %v", says, err)
		}
	}
}
