package paper2

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/bench/papers/graphs"
	"github.com/nystream/nystream/bench/papers/lab"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/stream"
)

// The four methods of Tables 1 and 2.
const (
	methodPCA  = "PCA"
	methodKPCA = "KPCA"
	methodSVD  = "SVD"
	methodKSVD = "KSVD"
)

var graphMethods = []string{methodPCA, methodKPCA, methodSVD, methodKSVD}

// bandwidthsOf returns the candidates for γ of SNE and RBF; linear methods have none.
func bandwidthsOf(method string) []float64 {
	if method == methodKSVD || method == methodKPCA {
		return []float64{1.5, 2, 3}
	}
	return []float64{math.NaN()}
}

// features has the leading singular triplets of the matrix of a method. The left and right vectors are features of the
// nodes.
type features struct {
	gamma  float64 // NaN for linear methods
	values []float64
	u, v   blas64.General // v has no columns for symmetric matrices
}

// newFeatures decomposes
//
//	KSVD   SNE(x_i, z_j) centred, rows x_i against columns z_j of A + I
//	SVD    A + I itself
//	KPCA   RBF(x_i, x_j) centred
//	PCA    x_i·x_j centred
func newFeatures(ctx context.Context, g *graphs.Classed, method string, gamma float64, rank int) (*features, error) {
	exact := ksvd.Exact{Rank: rank, Center: method != methodSVD, ResidualTol: 1e-8, Seed: 1}
	x := graphs.Dense(g.Adjacency).RawMatrix()
	data, err := ksvd.Between(stream.FromMatrix(g.Name, x), nil)
	kernel := kernelgen.Linear()
	switch method {
	case methodKSVD:
		kernel = kernelgen.SNE(gamma)
		data, err = ksvd.Graph(g.Name, g.Adjacency)
	case methodSVD:
		data, err = asProducts(x)
	case methodKPCA:
		kernel = rbf(gamma)
	}
	if err != nil {
		return nil, err
	}
	fit, err := exact.Fit(ctx, stream.Engine{}, data, kernel)
	if err != nil {
		return nil, err
	}
	f := &features{gamma: gamma, values: fit.Values, u: fit.U, v: fit.V}
	if method == methodPCA || method == methodKPCA {
		f.v = stream.NewMatrix(f.u.Rows, 0)
	}
	return f, nil
}

// asProducts returns data whose linear kernel is the matrix a: inner products of its rows
// with unit vectors.
func asProducts(a blas64.General) (*ksvd.Data, error) {
	unit := stream.NewMatrix(a.Cols, a.Cols)
	for i := range a.Cols {
		lab.Row(unit, i)[i] = 1
	}
	return ksvd.Between(stream.FromMatrix("matrix", a), stream.FromMatrix("unit vectors", unit))
}

// left and right return the vectors of a side. They are equal for a symmetric matrix.
func (f *features) left() blas64.General { return f.u }

func (f *features) right() blas64.General {
	if f.v.Cols > 0 {
		return f.v
	}
	return f.u
}

// both returns [U V].
func (f *features) both() blas64.General {
	if f.v.Cols == 0 {
		return f.u
	}
	var m mat.Dense
	m.Augment(lab.Dense(f.u), lab.Dense(f.v))
	return m.RawMatrix()
}

// weighted returns vectors of one or both sides times (s/s₁)^power for singular values s.
func (f *features) weighted(x blas64.General, power float64) blas64.General {
	weights := make([]float64, x.Cols)
	for j := range weights {
		weights[j] = math.Pow(f.values[j%len(f.values)]/f.values[0], power)
	}
	m := mat.DenseCopyOf(lab.Dense(x))
	for i := range x.Rows {
		floats.Mul(m.RawRowView(i), weights)
	}
	return m.RawMatrix()
}
