package paper1

import (
	"context"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/bench/papers/lab"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// fastSPSD is Algorithm 2 of the paper, FastSPSD of Wang, Luo & Zhang (2016), a baseline:
//
//	Â = Y·W·Yᵀ    Y = A(:, J)    W = (SᵀY)⁺·(SᵀAS)·(YᵀS)⁺
//
// for c uniform landmarks J. S selects the landmarks, and 5c rows drawn without replacement by the leverage scores of
// Y, with unit weights.
type fastSPSD struct {
	rank int
	seed uint64
}

// fastSample is the number of rows drawn by leverage for each landmark.
const fastSample = 5

// fastCutoff is the relative cutoff of singular values in pseudo-inverses of the baselines.
const fastCutoff = 1e-12

// Fit returns the approximation. The rows of d.Left are held in memory.
func (s fastSPSD) Fit(ctx context.Context, _ stream.Engine, d model.Sources, k kernelgen.Kernel) (*lowrank.Fit, error) {
	x, err := stream.ReadAll(ctx, d.Left)
	if err != nil {
		return nil, err
	}
	if k, err = k.Resolve(x); err != nil {
		return nil, err
	}
	drawn, err := sketch.NewSample(int64(x.Rows), s.rank, s.seed, "FastSPSD landmarks")
	if err != nil {
		return nil, err
	}
	landmarks := lab.PickRows(x, drawn.Positions())
	y := lab.Kernel(k, x, landmarks)
	scores, err := leverageScores(y)
	if err != nil {
		return nil, err
	}
	rows := append(drawByWeight(scores, fastSample*s.rank, s.seed), drawn.Positions()...)
	slices.Sort(rows)
	rows = slices.Compact(rows)
	sampled := lab.PickRows(x, rows)
	inverse, err := pseudoInverse(lab.Dense(lab.PickRows(y.RawMatrix(), rows)))
	if err != nil {
		return nil, err
	}
	var w mat.Dense
	w.Product(inverse, lab.Kernel(k, sampled, sampled), inverse.T())
	values, vectors, err := symmetricEigen(&w)
	if err != nil {
		return nil, err
	}
	n := int64(x.Rows)
	side := &lowrank.Embedding{Landmarks: landmarks, Rows: drawn.Positions(), Projection: vectors}
	return &lowrank.Fit{Model: &lowrank.Model{Method: "nystrom", Kernel: k, Seed: s.seed, Rows: n, Cols: n, Left: side, Values: values}}, nil
}

// leverageScores returns the squared norms of the rows of an orthonormal basis of the columns.
func leverageScores(y *mat.Dense) ([]float64, error) {
	q, _, err := sketch.CholeskyQR(y.RawMatrix())
	if err != nil {
		return nil, err
	}
	scores := make([]float64, q.Rows)
	for i := range scores {
		row := lab.Row(q, i)
		scores[i] = floats.Dot(row, row)
	}
	return scores, nil
}

// drawByWeight draws count rows without replacement, with probabilities proportional to the weights of the remaining
// rows: those with the smallest −ln(u)/weight for uniform u (Efraimidis & Spirakis 2006).
func drawByWeight(weights []float64, count int, seed uint64) []int64 {
	keys, order, random := make([]float64, len(weights)), make([]int, len(weights)), sketch.NewRandom(seed, "leverage sample")
	for i, w := range weights {
		draws := random.At(uint64(i))
		keys[i] = -math.Log(1-draws.Float64()) / w
	}
	floats.Argsort(keys, order)
	rows := make([]int64, min(count, len(order)))
	for i := range rows {
		rows[i] = int64(order[i])
	}
	return rows
}

// pseudoInverse returns a⁺ without singular values at or below fastCutoff of the largest.
func pseudoInverse(a *mat.Dense) (*mat.Dense, error) {
	var svd mat.SVD
	if !svd.Factorize(a, mat.SVDThin) {
		return nil, errors.New("the singular values of sampled rows did not converge")
	}
	var u, v, inverse mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	values := svd.Values(nil)
	for j, s := range values {
		weight := 0.0
		if s > fastCutoff*values[0] {
			weight = 1 / s
		}
		for i := range v.RawMatrix().Rows {
			v.Set(i, j, v.At(i, j)*weight)
		}
	}
	inverse.Mul(&v, u.T())
	return &inverse, nil
}

// symmetricEigen returns the eigenvalues of a symmetric matrix, descending, and its
// eigenvectors.
func symmetricEigen(a *mat.Dense) ([]float64, blas64.General, error) {
	n, _ := a.Dims()
	half := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			half.SetSym(i, j, (a.At(i, j)+a.At(j, i))/2)
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(half, true) {
		return nil, blas64.General{}, errors.New("the eigenvalues of a core did not converge")
	}
	var ascending mat.Dense
	eigen.VectorsTo(&ascending)
	values, vectors := eigen.Values(nil), stream.NewMatrix(n, n)
	slices.Reverse(values)
	for i := range n {
		for j := range n {
			vectors.Data[i*n+j] = ascending.At(i, n-1-j)
		}
	}
	return values, vectors, nil
}
