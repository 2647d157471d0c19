package lssvm

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/bench/papers/lab"
)

// Bordered solves the dual problem directly, for symmetric kernel matrices that may be indefinite. A ridge λ > 0 solves
// (M² + λI)·x = M·r for the bordered matrix M instead. If M is numerically singular, λ = 1 replaces λ = 0.
type Bordered struct{ Gamma, Ridge float64 }

// singular is the smallest condition number of a numerically singular system.
const singular = 1e13

// Decisions learns targets from the kernel matrix k, and returns their functions at new rows. fresh is the kernel
// between new and training rows.
func (b Bordered) Decisions(k, fresh, targets blas64.General) (blas64.General, error) {
	solution, err := b.solve(k, targets)
	if err != nil {
		return blas64.General{}, err
	}
	var decisions mat.Dense
	decisions.Mul(lab.Dense(fresh), solution.Slice(1, k.Rows+1, 0, targets.Cols))
	m := decisions.RawMatrix()
	for i := range m.Rows {
		floats.Add(lab.Row(m, i), solution.RawRowView(0))
	}
	return m, nil
}

// solve returns the biases, then a row of α for each training row.
func (b Bordered) solve(k, targets blas64.General) (*mat.Dense, error) {
	n := k.Rows
	system, right := mat.NewDense(n+1, n+1, nil), mat.NewDense(n+1, targets.Cols, nil)
	for i := range n {
		system.Set(0, i+1, 1)
		r := system.RawRowView(i + 1)
		r[0] = 1
		copy(r[1:], lab.Row(k, i))
		r[i+1] += 1 / b.Gamma
		copy(right.RawRowView(i+1), lab.Row(targets, i))
	}
	var x mat.Dense
	if b.Ridge == 0 {
		var lu mat.LU
		if lu.Factorize(system); lu.Cond() < singular {
			return &x, lu.SolveTo(&x, false, right)
		}
		b.Ridge = 1
	}
	var square mat.SymDense
	square.SymOuterK(1, system)
	addDiagonal(&square, b.Ridge)
	right.Mul(system, right)
	var f mat.Cholesky
	if f.Factorize(&square); !(f.Cond() < singular) {
		return nil, fmt.Errorf("lssvm: condition number %.1e at γ = %g with ridge %g", f.Cond(), b.Gamma, b.Ridge)
	}
	return &x, f.SolveTo(&x, right)
}
