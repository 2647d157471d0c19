package lssvm

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/bench/papers/lab"
)

// Dual is the dual problem of a positive semi-definite kernel matrix. For centred K and y, the bias and the constraint
// Σα = 0 drop out:
//
//	(s·K + I/γ)·α = y        f(x) = s·(k(x) − k̄)ᵀα + ȳ
//
// s is the square of a scale of the features, so one Dual serves all scales.
type Dual struct {
	train   *mat.SymDense // K, centred in rows and columns
	fresh   *mat.Dense    // k(x) − k̄
	targets *mat.Dense
	bias    []float64
}

// NewDual prepares the problem of the kernel matrix k between the training rows. fresh is the kernel between new and
// training rows.
func NewDual(k, fresh, targets blas64.General) *Dual {
	means, n := columnMeans(k), k.Rows
	all := floats.Sum(means) / float64(n)
	d := &Dual{train: mat.NewSymDense(n, nil), fresh: less(fresh, means), bias: columnMeans(targets)}
	for i := range n {
		for j, v := range lab.Row(k, i)[i:] {
			d.train.SetSym(i, i+j, v-means[i]-means[i+j]+all)
		}
	}
	d.targets = less(targets, d.bias)
	return d
}

// Decisions returns the function of each target at the new rows.
func (d *Dual) Decisions(square, gamma float64) (blas64.General, error) {
	var system mat.SymDense
	system.ScaleSym(square, d.train)
	addDiagonal(&system, 1/gamma)
	var f mat.Cholesky
	if !f.Factorize(&system) {
		return blas64.General{}, singularError(gamma)
	}
	var alpha, decisions mat.Dense
	if err := f.SolveTo(&alpha, d.targets); err != nil {
		return blas64.General{}, fmt.Errorf("%w (%v)", singularError(gamma), err)
	}
	decisions.Mul(d.fresh, &alpha)
	decisions.Scale(square, &decisions)
	m := decisions.RawMatrix()
	for i := range m.Rows {
		floats.Add(lab.Row(m, i), d.bias)
	}
	return m, nil
}
