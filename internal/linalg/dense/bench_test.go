package dense_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/householder"
	"github.com/nystream/nystream/internal/linalg/svd"
	"github.com/nystream/nystream/internal/linalg/symeig"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/nyblas"
)

// decomposition factors a and returns a function that multiplies the factors.
type decomposition func(a blas64.General) (product func() blas64.General, err error)

// decompositions are ours and gonum's, by their names in NumPy.
var decompositions = []struct {
	name        string
	symmetric   bool
	ours, gonum decomposition
}{{"eigh", true, eigh, gonumEigh}, {"svd", false, thinSVD, gonumSVD}, {"qr", false, qr, gonumQR}}

// BenchmarkDecompositions reports the time and the residual ‖A − product‖_F/‖A‖_F, in units of ε, of
// decompositions of normal matrices. Ours and gonum's use the same matrix products.
func BenchmarkDecompositions(b *testing.B) {
	blas64.Use(nyblas.Implementation{})
	for _, d := range decompositions {
		for _, shape := range [][2]int{{30, 30}, {100, 100}, {300, 300}, {1000, 1000}, {2000, 2000}, {3000, 300}} {
			if d.symmetric && shape[0] != shape[1] {
				continue
			}
			a := matrix.New(shape[0], shape[1])
			rng := rand.New(rand.NewPCG(1, 2))
			for i := range a.Data {
				a.Data[i] = rng.NormFloat64()
			}
			if d.symmetric {
				a = dense.SymmetricPart(a)
			}
			b.Run(fmt.Sprintf("%s/%d×%d/ours", d.name, a.Rows, a.Cols), func(b *testing.B) { d.ours.benchmark(b, a) })
			b.Run(fmt.Sprintf("%s/%d×%d/gonum", d.name, a.Rows, a.Cols), func(b *testing.B) { d.gonum.benchmark(b, a) })
		}
	}
}

// benchmark reports the time and the residual of the decomposition of a.
func (d decomposition) benchmark(b *testing.B, a blas64.General) {
	var product func() blas64.General
	for b.Loop() {
		var err error
		if product, err = d(a); err != nil {
			b.Fatal(err)
		}
	}
	rest := product()
	dense.Add(-1, a, rest)
	b.ReportMetric(dense.Frobenius(rest)/dense.Frobenius(a)*(1<<52), "residual/ε")
}

func eigh(a blas64.General) (func() blas64.General, error) {
	values, v, err := symeig.Decompose(a)
	return scaledProduct(v, values, v), err
}

func gonumEigh(a blas64.General) (func() blas64.General, error) {
	var f mat.EigenSym
	if !f.Factorize(mat.NewSymDense(a.Rows, matrix.Clone(a).Data), true) {
		return nil, fmt.Errorf("gonum: no convergence")
	}
	var v mat.Dense
	f.VectorsTo(&v)
	return scaledProduct(v.RawMatrix(), f.Values(nil), v.RawMatrix()), nil
}

func thinSVD(a blas64.General) (func() blas64.General, error) {
	u, values, v, err := svd.Decompose(a)
	return scaledProduct(u, values, v), err
}

func gonumSVD(a blas64.General) (func() blas64.General, error) {
	var f mat.SVD
	if !f.Factorize(mat.NewDense(a.Rows, a.Cols, matrix.Clone(a).Data), mat.SVDThin) {
		return nil, fmt.Errorf("gonum: no convergence")
	}
	var u, v mat.Dense
	f.UTo(&u)
	f.VTo(&v)
	return scaledProduct(u.RawMatrix(), f.Values(nil), v.RawMatrix()), nil
}

// scaledProduct returns u·diag(values)·vᵀ, computed later.
func scaledProduct(u blas64.General, values []float64, v blas64.General) func() blas64.General {
	return func() blas64.General {
		us := matrix.Clone(u)
		dense.ScaleColumns(us, values)
		return dense.Mul(blas.NoTrans, us, blas.Trans, v)
	}
}

func qr(a blas64.General) (func() blas64.General, error) {
	f := matrix.Clone(a)
	q := householder.QR(f)
	return func() blas64.General {
		r := matrix.Clone(f) // without the reflectors below the diagonal
		for i := range r.Rows {
			clear(matrix.Row(r, i)[:min(i, r.Cols)])
		}
		q.Apply(r)
		return r
	}, nil
}

func gonumQR(a blas64.General) (func() blas64.General, error) {
	var f mat.QR
	f.Factorize(mat.NewDense(a.Rows, a.Cols, matrix.Clone(a).Data))
	return func() blas64.General {
		var q, r, product mat.Dense
		f.QTo(&q)
		f.RTo(&r)
		product.Mul(&q, &r)
		return product.RawMatrix()
	}, nil
}
