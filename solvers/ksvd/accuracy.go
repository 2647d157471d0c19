package ksvd

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/krylov"
)

// Accuracy is how far singular vectors ũ_i, ṽ_i of a matrix are from true ones u_i,
// v_i with singular values λ_i: the measure η of the paper (Section 5.3) in three
// forms. All are 0 for the same vectors, whatever their signs and lengths.
type Accuracy struct {
	// Printed is η as printed, with w_i = λ_i. It is proportional to the scale of the
	// matrix.
	//
	//	η = 1/r·Σ w_i·(1 − |cos(u_i, ũ_i)|) + 1/r·Σ w_i·(1 − |cos(v_i, ṽ_i)|)
	Printed float64
	// Normalised has the weights w_i = λ_i/Σλ and no 1/r: from 0 to 2.
	Normalised float64
	// Subspace is Normalised with the angles between u_i and the space of all ũ: vectors
	// of near-equal singular values, which no method tells apart, do not count as wrong.
	Subspace float64
}

// NewAccuracy compares u and v with r true singular vectors and values in order, the
// vectors orthonormal: N×r and M×r. Columns of u and v beyond r do not count. Where
// they have fewer, what is missing is as wrong as can be: a column of zeros, with
// 1 − |cos| = 1. Cost O((N+M)·r²).
func NewAccuracy(trueU, trueV blas64.General, values []float64, u, v blas64.General) (Accuracy, error) {
	r := min(len(values), trueU.Cols, trueV.Cols)
	values = values[:r]
	var a Accuracy
	sum := dense.Sum(values)
	for _, side := range [][2]blas64.General{{trueU, u}, {trueV, v}} {
		truth, found := dense.Columns(side[0], 0, r), dense.Columns(side[1], 0, min(r, side[1].Cols))
		for i, c := range cosines(truth, found) {
			a.Printed += values[i] * (1 - c) / float64(r)
			if sum > 0 {
				a.Normalised += values[i] / sum * (1 - c)
			}
		}
		angle, err := weightedAngles(truth, found, values)
		if err != nil {
			return a, err
		}
		a.Subspace += angle
	}
	return a, nil
}

// cosines returns |u_i·ũ_i|/(‖u_i‖‖ũ_i‖) for each column of u; 0 where w has a column of
// zeros, or none.
func cosines(u, w blas64.General) []float64 {
	dot, length := make([]float64, u.Cols), [2][]float64{norms(u), norms(w)}
	for i := range u.Rows {
		truth := dense.Row(u, i)
		for j, v := range dense.Row(w, i) {
			dot[j] += truth[j] / length[0][j] * (v / length[1][j])
		}
	}
	for j, v := range dot {
		dot[j] = math.Min(1, math.Abs(v))
	}
	return dot
}

// weightedAngles returns Σ w_i·(1 − cos) with w_i = λ_i/Σλ and the angles between the
// columns u_i and the space of the columns of w.
func weightedAngles(u, w blas64.General, values []float64) (float64, error) {
	sum := dense.Sum(values)
	if u.Cols == 0 || sum == 0 {
		return 0, nil
	}
	scaled := dense.Clone(w)
	dense.ScaleColumns(scaled, dense.Reciprocals(norms(w)))
	b := krylov.NewBasis(w.Rows, 0, w.Cols)
	if _, err := b.Add(scaled, w.Cols, rankTolerance); err != nil {
		return 0, err
	}
	part := make([]float64, u.Cols)
	if b.Cols() > 0 {
		part = lengths(dense.Mul(blas.Trans, b.Vectors(), blas.NoTrans, u))
	}
	angle := 0.0
	for i, length := range norms(u) {
		angle += values[i] / sum * (1 - math.Min(1, part[i]/length))
	}
	return angle, nil
}
