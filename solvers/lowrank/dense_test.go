package lowrank

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Independent references with dense matrices.

// clusters returns n rows of d columns around a few centres.
func clusters(n, d int, seed uint64) blas64.General {
	m := matrix.New(n, d)
	centre := sketch.NewRandom(seed, "test centres")
	noise := sketch.NewRandom(seed, "test noise")
	for i := range n {
		c, e := centre.At(uint64(i%7)), noise.At(uint64(i))
		for j := range d {
			m.Data[i*d+j] = c.Float64() + 0.15*e.Normal()
		}
	}
	return m
}

// kernelMatrix evaluates the kernel entry by entry.
func kernelMatrix(k kernelgen.Kernel, x, y blas64.General) blas64.General {
	a := matrix.New(x.Rows, y.Rows)
	k.Fill(a, x, k.Pack(y), nil)
	return a
}

// singularValues returns the singular values of a matrix, descending.
func singularValues(t *testing.T, a blas64.General) []float64 {
	t.Helper()
	var f mat.SVD
	if !f.Factorize(matDense(a), mat.SVDNone) {
		t.Fatal("the singular values did not converge")
	}
	return f.Values(nil)
}

// spectralNorm returns the largest singular value.
func spectralNorm(t *testing.T, a blas64.General) float64 {
	t.Helper()
	return singularValues(t, a)[0]
}

// factors returns the embedding of all rows.
func factors(t *testing.T, m *Model, side *Embedding, x blas64.General) blas64.General {
	t.Helper()
	r := model.Request{}
	if side == m.Right {
		r.Side = model.Right
	}
	u, err := model.TransformMatrix(context.Background(), stream.Engine{}, m, x, r)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// approximation returns dense Â.
func approximation(m *Model, u, v blas64.General) blas64.General {
	a := dense.Mul(blas.NoTrans, scaledColumns(u, m.Values), blas.Trans, v)
	if m.Symmetric() {
		for i := range a.Rows {
			a.Data[i*a.Stride+i] += m.Shift
		}
	}
	return a
}

// difference returns a − b.
func difference(a, b blas64.General) blas64.General {
	d := matrix.New(a.Rows, a.Cols)
	for i := range a.Rows {
		for j, v := range matrix.Row(a, i) {
			d.Data[i*d.Stride+j] = v - b.Data[i*b.Stride+j]
		}
	}
	return d
}

// orthogonalityError returns max|UᵀU − I|.
func orthogonalityError(u blas64.General) float64 {
	g := dense.Mul(blas.Trans, u, blas.NoTrans, u)
	worst := 0.0
	for i := range g.Rows {
		for j, v := range matrix.Row(g, i) {
			if i == j {
				v--
			}
			worst = math.Max(worst, math.Abs(v))
			if v != v {
				return math.NaN()
			}
		}
	}
	return worst
}

// bestRank returns σ_{c+1}/σ₁ of a symmetric matrix.
func bestRank(t *testing.T, a blas64.General, c int) float64 {
	t.Helper()
	var eig mat.EigenSym
	sym := mat.NewSymDense(a.Rows, nil)
	for i := range a.Rows {
		for j := i; j < a.Rows; j++ {
			sym.SetSym(i, j, a.Data[i*a.Stride+j])
		}
	}
	if !eig.Factorize(sym, false) {
		t.Fatal("eigenvalues")
	}
	v := eig.Values(nil)
	return v[len(v)-1-c] / v[len(v)-1]
}

// denseError returns ‖A−Â‖₂/‖A‖₂ from dense matrices.
func denseError(t *testing.T, m *Model, x, a blas64.General, norm float64) float64 {
	t.Helper()
	u := factors(t, m, m.Left, x)
	v := u
	if !m.Symmetric() {
		v = factors(t, m, m.Right, x)
	}
	return spectralNorm(t, difference(a, approximation(m, u, v))) / norm
}

// matDense returns m as a mat.Dense that shares its data.
func matDense(m blas64.General) *mat.Dense {
	d := &mat.Dense{}
	d.SetRawMatrix(m)
	return d
}
