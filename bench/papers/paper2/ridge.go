package paper2

import (
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/bench/papers/lssvm"
	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/solvers/split"
	"github.com/nystream/nystream/stream"
)

// fold is what cross-validation needs of a fold: inner products of its rows, from
// those of all nodes, which a choice of features has once for all folds and splits.
// Package lssvm starts from features and would work them out for each.
type fold struct {
	train, test blas64.General // training rows less their mean, test rows as they are, against training rows
	means       []float64      // of the columns of train before they were centred
	targets     blas64.General // ±1, less their mean
	bias        []float64      // the mean of the targets
	truth       []int
}

// newFold takes rows and columns of the inner products of all nodes.
func newFold(gram blas64.General, labels []int, classes int, s split.Split) *fold {
	f := &fold{train: submatrix(gram, s.Train, s.Train), test: submatrix(gram, s.Test, s.Train),
		targets: stream.NewMatrix(len(s.Train), classes), truth: picked(labels, s.Test)}
	f.means = dense.ColumnMeans(f.train)
	centre(f.train)
	for i, r := range s.Train {
		for c := range dense.Row(f.targets, i) {
			f.targets.Data[i*classes+c] = -1
		}
		f.targets.Data[i*classes+labels[r]] = 1
	}
	f.bias = dense.ColumnMeans(f.targets)
	for i := range f.targets.Rows {
		for c, m := range f.bias {
			f.targets.Data[i*classes+c] -= m
		}
	}
	return f
}

// predict returns the classes that an LS-SVM on features times scale gives the test rows:
// the dual of package lssvm,
//
//	(scale²·K + I/γ)·α = Y        f(x) = scale²·(k(x) − k̄)ᵀα + ȳ
//
// with K and Y less their means. Σα = 0, so that the mean of k(x) has no part in f.
func (f *fold) predict(scale, gamma float64) ([]int, error) {
	n, square := f.train.Rows, scale*scale
	system := times(square, f.train)
	for i := range n {
		system.Data[i*n+i] += 1 / gamma
	}
	var cholesky mat.Cholesky
	if !cholesky.Factorize(mat.NewSymDense(n, system.Data)) {
		return nil, fmt.Errorf("the system of %d training rows is singular to rounding at scale %g", n, scale)
	}
	var alpha mat.Dense
	if err := cholesky.SolveTo(&alpha, mat.NewDense(n, f.targets.Cols, f.targets.Data)); err != nil {
		return nil, err
	}
	weights := alpha.RawMatrix()
	decisions := times(square, dense.Mul(blas.NoTrans, f.test, blas.NoTrans, weights))
	shift := weightedSum(f.means, weights)
	for i := range decisions.Rows {
		r := dense.Row(decisions, i)
		for c := range r {
			r[c] += f.bias[c] - square*shift[c]
		}
	}
	return lssvm.Winners(decisions), nil
}

// submatrix returns some rows and columns.
func submatrix(a blas64.General, rows, cols []int64) blas64.General {
	m := stream.NewMatrix(len(rows), len(cols))
	for i, r := range rows {
		from, to := dense.Row(a, int(r)), dense.Row(m, i)
		for j, c := range cols {
			to[j] = from[c]
		}
	}
	return m
}

// weightedSum returns wᵀ·q; nil weights are all 1.
func weightedSum(w []float64, q blas64.General) []float64 {
	sum := make([]float64, q.Cols)
	for i := range q.Rows {
		v := 1.0
		if w != nil {
			v = w[i]
		}
		for k, x := range dense.Row(q, i) {
			sum[k] += v * x
		}
	}
	return sum
}
