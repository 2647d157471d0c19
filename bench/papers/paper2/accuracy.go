package paper2

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/bench/papers/lab"
)

// accuracy is how far singular vectors ũ_i, ṽ_i of a matrix are from true ones u_i,
// v_i with singular values λ_i: the measure η of the paper (Section 5.3) in three
// forms. All are 0 for the same vectors, whatever their signs and lengths.
type accuracy struct {
	// printed is η as printed, with w_i = λ_i. It is proportional to the scale of the
	// matrix.
	//
	//	η = 1/r·Σ w_i·(1 − |cos(u_i, ũ_i)|) + 1/r·Σ w_i·(1 − |cos(v_i, ṽ_i)|)
	printed float64
	// normalised has the weights w_i = λ_i/Σλ and no 1/r: from 0 to 2.
	normalised float64
	// subspace is normalised with the angles between u_i and the space of all ũ: vectors
	// of near-equal singular values, which no method tells apart, do not count as wrong.
	subspace float64
}

// newAccuracy compares u and v with r true singular vectors and values in order, the
// vectors orthonormal: N×r and M×r. Columns of u and v beyond r do not count. Where
// they have fewer, what is missing is as wrong as can be: a column of zeros, with
// 1 − |cos| = 1. Cost O((N+M)·r²).
func newAccuracy(trueU, trueV blas64.General, values []float64, u, v blas64.General) (accuracy, error) {
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
		angle, err := weightedAngles(truth, found, values)
		if err != nil {
			return a, err
		}
		a.subspace += angle
	}
	return a, nil
}

// cosines returns |u_i·ũ_i|/(‖u_i‖‖ũ_i‖) for each column of u; 0 where w has a column of
// zeros, or none.
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

// weightedAngles returns Σ w_i·(1 − cos) with w_i = λ_i/Σλ and the angles between the columns u_i
// and the space of the columns of w.
func weightedAngles(u, w blas64.General, values []float64) (float64, error) {
	sum := floats.Sum(values)
	if u.Cols == 0 || sum == 0 {
		return 0, nil
	}
	part := make([]float64, u.Cols)
	space, err := basis(w)
	if err != nil {
		return 0, err
	}
	if _, rank := space.Dims(); rank > 0 {
		var cosines mat.Dense
		cosines.Mul(space.T(), lab.Dense(u))
		for i := range part {
			part[i] = mat.Norm(cosines.ColView(i), 2)
		}
	}
	angle := 0.0
	for i, length := range norms(u) {
		angle += values[i] / sum * (1 - min(1, part[i]/length))
	}
	return angle, nil
}

// basis returns orthonormal columns that span those of w.
func basis(w blas64.General) (*mat.Dense, error) {
	if w.Cols == 0 {
		return &mat.Dense{}, nil
	}
	scaled := mat.DenseCopyOf(lab.Dense(w))
	for j, length := range norms(w) {
		for i := range w.Rows {
			scaled.Set(i, j, scaled.At(i, j)/length)
		}
	}
	var d mat.SVD
	if !d.Factorize(scaled, mat.SVDThin) {
		return nil, errors.New("the SVD of singular vectors did not converge")
	}
	values, rank := d.Values(nil), 0
	for rank < len(values) && values[rank] > 1e-12*values[0] {
		rank++
	}
	if rank == 0 {
		return &mat.Dense{}, nil
	}
	var left mat.Dense
	d.UTo(&left)
	return left.Slice(0, w.Rows, 0, rank).(*mat.Dense), nil
}

// norms returns the norms of the columns; 1 for a column of zeros.
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
