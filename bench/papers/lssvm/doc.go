// Package lssvm solves least-squares support vector machines (Suykens and Vandewalle
// 1999, "Least squares support vector machine classifiers"): with a weight vector w, a
// bias b and targets y,
//
//	min ½·wᵀw + γ/2·Σ_i e_i²     subject to  y_i = wᵀx_i + b + e_i
//
// The dual problem depends on the kernel matrix K of the rows alone:
//
//	[0  1ᵀ     ]   [b]   [0]
//	[1  K + I/γ] · [α] = [y]     f(x) = Σ_i α_i·k(x, x_i) + b
//
// γ is the weight of the errors: "regularisation 1" of papers 2 and 4 is γ = 1, and scikit-learn's Ridge(alpha) is γ =
// 1/alpha. The penalty is on w alone, so the scale of the features matters, but not their mean.
//
// Classes are learnt one against the rest: the target of a class is 1 in its rows and −1 in the others. The class with
// the largest decision value is predicted.
package lssvm

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/papers/lab"
)

// Targets returns a column of ±1 for each class.
func Targets(labels []int, classes int) blas64.General {
	y := blas64.General{Rows: len(labels), Cols: classes, Stride: classes, Data: make([]float64, len(labels)*classes)}
	for i := range y.Data {
		y.Data[i] = -1
	}
	for i, l := range labels {
		y.Data[i*classes+l] = 1
	}
	return y
}

// Winners returns the index of the largest number in each row, the first in a tie.
func Winners(decisions blas64.General) []int {
	classes := make([]int, decisions.Rows)
	for i := range classes {
		r := lab.Row(decisions, i)
		for c, v := range r {
			if v > r[classes[i]] {
				classes[i] = c
			}
		}
	}
	return classes
}

// Submatrix returns the rows and columns with the given numbers.
func Submatrix(a blas64.General, rows, cols []int64) blas64.General {
	m := blas64.General{Rows: len(rows), Cols: len(cols), Stride: len(cols), Data: make([]float64, 0, len(rows)*len(cols))}
	for _, i := range rows {
		from := lab.Row(a, int(i))
		for _, j := range cols {
			m.Data = append(m.Data, from[j])
		}
	}
	return m
}
