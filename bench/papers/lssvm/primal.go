package lssvm

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/bench/papers/lab"
)

// Linear has a linear function of a row for each target: wᵀx + b.
type Linear struct {
	Weights *mat.Dense // features × targets
	Bias    []float64
}

// FitLinear solves the primal problem for rows x and targets y. With X and y centred by their
// column means the bias drops out:
//
//	(XᵀX + I/γ)·w = Xᵀy        b = ȳ − wᵀx̄
//
// It fails if the system is numerically singular.
func FitLinear(x, y blas64.General, gamma float64) (*Linear, error) {
	meanX, meanY := columnMeans(x), columnMeans(y)
	centred, targets := less(x, meanX), less(y, meanY)
	var gram mat.SymDense
	gram.SymOuterK(1, centred.T())
	addDiagonal(&gram, 1/gamma)
	var f mat.Cholesky
	if !f.Factorize(&gram) {
		return nil, singularError(gamma)
	}
	m := &Linear{Weights: &mat.Dense{}, Bias: meanY}
	m.Weights.Mul(centred.T(), targets)
	if err := f.SolveTo(m.Weights, m.Weights); err != nil {
		return nil, fmt.Errorf("%w (%v)", singularError(gamma), err)
	}
	for i, v := range meanX {
		floats.AddScaled(m.Bias, -v, m.Weights.RawRowView(i))
	}
	return m, nil
}

// Decisions returns the function of each row.
func (m *Linear) Decisions(x blas64.General) blas64.General {
	var d mat.Dense
	d.Mul(lab.Dense(x), m.Weights)
	for i := range x.Rows {
		floats.Add(d.RawRowView(i), m.Bias)
	}
	return d.RawMatrix()
}

// less returns a with the row r subtracted from each row.
func less(a blas64.General, r []float64) *mat.Dense {
	m := mat.DenseCopyOf(lab.Dense(a))
	for i := range a.Rows {
		floats.Sub(m.RawRowView(i), r)
	}
	return m
}

// columnMeans returns the means of the columns.
func columnMeans(a blas64.General) []float64 {
	mean := make([]float64, a.Cols)
	for i := range a.Rows {
		floats.AddScaled(mean, 1/float64(a.Rows), lab.Row(a, i))
	}
	return mean
}

func addDiagonal(a *mat.SymDense, v float64) {
	for i := range a.SymmetricDim() {
		a.SetSym(i, i, a.At(i, i)+v)
	}
}

func singularError(gamma float64) error {
	return fmt.Errorf("lssvm: singular system at γ = %g; take a smaller γ or scale the features down", gamma)
}
