package paper2

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/bench/papers/lab"
)

// accuracy is the error of singular vectors ũ_i, ṽ_i of a matrix, compared with true ones u_i, v_i with singular values
// λ_i: the measure η of the paper (Section 5.3) in two forms. Both are 0 for equal vectors, whatever their signs and
// norms.
type accuracy struct {
	// printed is η as in the paper, with w_i = λ_i. It is proportional to the scale of the matrix.
	//
	//	η = 1/r·Σ w_i·(1 − |cos(u_i, ũ_i)|) + 1/r·Σ w_i·(1 − |cos(v_i, ṽ_i)|)
	printed float64
	// normalised has the weights w_i = λ_i/Σλ and no factor 1/r: it is between 0 and 2.
	normalised float64
}

// newAccuracy compares u and v with r true singular vectors, orthonormal N×r and M×r, in the order of their values.
// Columns of u and v beyond r are ignored. A missing column counts as zero, with 1 − |cos| = 1. Cost: O((N+M)·r²).
func newAccuracy(trueU, trueV blas64.General, values []float64, u, v blas64.General) accuracy {
	r := min(len(values), trueU.Cols, trueV.Cols)
	values = values[:r]
	var a accuracy
	sum := floats.Sum(values)
	for _, side := range [][2]blas64.General{{trueU, u}, {trueV, v}} {
		truth, found := firstColumns(side[0], r), firstColumns(side[1], min(r, side[1].Cols))
		for i, c := range cosines(truth, found) {
			a.printed += values[i] * (1 - c) / float64(r)
			if sum > 0 {
				a.normalised += values[i] / sum * (1 - c)
			}
		}
	}
	return a
}

// cosines returns |u_i·ũ_i|/(‖u_i‖‖ũ_i‖) for each column of u, 0 if w has a zero column or none.
func cosines(u, w blas64.General) []float64 {
	dot, length := make([]float64, u.Cols), [2][]float64{norms(u), norms(w)}
	for i := range u.Rows {
		truth := lab.Row(u, i)
		for j, v := range lab.Row(w, i) {
			dot[j] += truth[j] / length[0][j] * (v / length[1][j])
		}
	}
	for j, v := range dot {
		dot[j] = math.Min(1, math.Abs(v))
	}
	return dot
}

// norms returns the norms of the columns, 1 for a zero column.
func norms(m blas64.General) []float64 {
	out := make([]float64, m.Cols)
	for j := range out {
		if out[j] = mat.Norm(lab.Dense(m).ColView(j), 2); out[j] == 0 {
			out[j] = 1
		}
	}
	return out
}

// firstColumns returns the first n columns.
func firstColumns(m blas64.General, n int) blas64.General {
	m.Cols = n
	return m
}
