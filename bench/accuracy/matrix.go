package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// matrixRank is the rank of the models of a matrix.
const matrixRank = 20

// matrix measures models of a matrix on disk (lowrank.SSRSVDMatrix, nystream fit ssrsvd --matrix) beside
// the best of the rank.
func matrix(ctx context.Context, o options) (*report.Table, error) {
	t := &report.Table{
		Title: fmt.Sprintf("Models of rank %d of a matrix on disk, errors relative to the Frobenius norm", matrixRank),
		Head: []string{"matrix", "size", "best", "one pass", "over best", "estimate / error", "one refinement",
			"over best"},
		Notes: []string{fmt.Sprintf("The largest errors of %d seeds. slow has the singular values j^−1.13, steep j^−2, "+
			"noisy ten of 1 above others of .05; mnist is the 10,000 test digits.", o.seeds)}}
	for _, name := range o.data {
		a, err := readMatrix(ctx, name)
		if err != nil {
			return nil, err
		}
		e, err := measureMatrix(ctx, a, matrixRank, o.seeds)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		rows, cols := a.Dims()
		t.Add(name, fmt.Sprintf("%d × %d", rows, cols), e.best, e.one, e.one/e.best, e.estimate/e.one, e.refined,
			e.refined/e.best)
		progress(t)
	}
	return t, nil
}

// readMatrix makes or reads a matrix.
func readMatrix(ctx context.Context, name string) (*mat.Dense, error) {
	switch name {
	case "slow":
		return withValues(2000, 600, func(j float64) float64 { return math.Pow(j, -1.13) })
	case "steep":
		return withValues(2000, 600, func(j float64) float64 { return math.Pow(j, -2) })
	case "noisy":
		return withValues(2000, 600, func(j float64) float64 { return max(0.05, min(1, 11-j)) })
	}
	x, err := datasets.Load(ctx, filepath.Join(datasets.Dir(), "mnist_t10k.npy"))
	return ofGeneral(x), err
}

// withValues returns a matrix with random singular vectors and the singular values of j = 1, 2, …
func withValues(rows, cols int, value func(j float64) float64) (*mat.Dense, error) {
	u, v := mat.NewDense(rows, cols, nil), mat.NewDense(cols, cols, nil)
	for purpose, m := range map[string]*mat.Dense{"left vectors": u, "right vectors": v} {
		sketch.NewRandom(1, purpose).Normals(m.RawMatrix())
		q, _, err := sketch.CholeskyQR(m.RawMatrix())
		if err != nil {
			return nil, err
		}
		m.SetRawMatrix(q)
	}
	values := mat.NewDiagDense(cols, nil)
	for j := range cols {
		values.SetDiag(j, value(float64(j+1)))
	}
	var a mat.Dense
	a.Product(u, values, v.T())
	return &a, nil
}

// matrixErrors are the largest errors over the seeds, and the estimate of the worst model of one pass.
type matrixErrors struct{ best, one, estimate, refined float64 }

func measureMatrix(ctx context.Context, a *mat.Dense, rank int, seeds uint) (e matrixErrors, err error) {
	var s mat.SVD
	if !s.Factorize(a, mat.SVDNone) {
		return e, errors.New("the singular values did not converge")
	}
	tail := s.Values(nil)[rank:]
	e.best = mat.Norm(mat.NewVecDense(len(tail), tail), 2) / mat.Norm(a, 2)
	for seed := range seeds {
		one, estimate, err := fitMatrix(ctx, a, lowrank.SSRSVDMatrix{Rank: rank, Seed: uint64(seed)})
		if err != nil {
			return e, err
		}
		if one > e.one {
			e.one, e.estimate = one, estimate
		}
		refined, _, err := fitMatrix(ctx, a, lowrank.SSRSVDMatrix{Rank: rank, Refine: 1, Seed: uint64(seed)})
		if err != nil {
			return e, err
		}
		e.refined = max(e.refined, refined)
	}
	return e, nil
}

// fitMatrix fits a model and measures its error over all entries.
func fitMatrix(ctx context.Context, a *mat.Dense, m lowrank.SSRSVDMatrix) (measured, estimate float64, err error) {
	if m.Map, err = kernelgen.ParseMap("identity"); err != nil {
		return 0, 0, err
	}
	d := model.Sources{Left: stream.FromMatrix("matrix", a.RawMatrix())}
	f, err := m.Fit(ctx, stream.Engine{}, d, kernelgen.Kernel{})
	if err != nil {
		return 0, 0, err
	}
	v, err := f.Verify(ctx, stream.Engine{}, d, 0, 1)
	if err != nil {
		return 0, 0, err
	}
	return v.FrobeniusError, f.EstimateIn(lowrank.NormFrobenius), nil
}

func ofGeneral(g blas64.General) *mat.Dense {
	var m mat.Dense
	m.SetRawMatrix(g)
	return &m
}
