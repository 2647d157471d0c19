package paper2

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/bench/papers/graphs"
	"github.com/nystream/nystream/bench/papers/lab"
	"github.com/nystream/nystream/bench/papers/scores"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/solvers/split"
	"github.com/nystream/nystream/stream"
)

// subsamples are the numbers m of sampled rows, and columns, of Figures 2 and 4.
var subsamples = []int{100, 200, 400, 800, 1600}

// The bandwidth of the RBF kernel of both methods, and the exponent of the weights (s/s₁)^p.
const (
	subsampledGamma = 2
	subsampledPower = 1
)

// figure4 returns Figures 2 and 4 as a table: node classification by the number of samples m, for KSVD by the
// asymmetric Nyström method and KPCA by the symmetric one.
func (o *options) figure4(ctx context.Context, g *graphs.Classed) (*report.Table, error) {
	splits, err := split.StratifiedRandom(g.Labels, testShare, o.seeds, splitSeed)
	if err != nil {
		return nil, err
	}
	t := &report.Table{File: "figure4-" + g.Name, Title: fmt.Sprintf("Figures 2 and 4: node classification by m samples, %s", g.Name),
		Head: []string{"m", "KSVD, micro F1", "macro F1", "KPCA, micro F1", "macro F1"},
		Notes: []string{fmt.Sprintf("RBF kernel with γ = %d, of rows against columns for KSVD and of rows for KPCA, both centred; at most %d "+
			"features of a side, times (s/s₁)^%d. %d splits and the LS-SVM of Table 1, its scale chosen on the training nodes. The paper "+
			"shows curves and no figures: KSVD is above KPCA at every m.", subsampledGamma, o.rank, subsampledPower, len(splits))}}
	for _, m := range subsamples {
		m = min(m, g.Adjacency.Rows)
		cells := []any{m}
		for _, sampled := range []func(context.Context, *graphs.Classed, int, int) (*features, error){sampledKSVD, sampledKPCA} {
			f, err := sampled(ctx, g, m, o.rank)
			if err != nil {
				return nil, fmt.Errorf("m = %d: %w", m, err)
			}
			s := methodScore{validated: make([]float64, len(splits)), scores: make([]scores.F1, len(splits))}
			if err := s.consider(ctx, g, f, subsampledPower, splits); err != nil {
				return nil, err
			}
			cells = append(cells, fixed(stat.Mean(scores.Micro(s.scores), nil)), fixed(stat.Mean(scores.Macro(s.scores), nil)))
		}
		t.Add(cells...)
		if m == g.Adjacency.Rows {
			break
		}
	}
	return t, nil
}

// sampledKSVD returns the features of the asymmetric Nyström method with m rows and m columns, for the RBF kernel
// between the rows and the columns of the graph.
func sampledKSVD(ctx context.Context, g *graphs.Classed, m, rank int) (*features, error) {
	data, err := ksvd.Graph(g.Name, g.Adjacency)
	if err != nil {
		return nil, err
	}
	solver := ksvd.Nystrom{Rank: min(rank, m), Rows: m, Cols: m, Center: true, Scaling: ksvd.ScaleOrthonormal, Seed: 1}
	fit, err := solver.Fit(ctx, stream.Engine{}, data, rbf(subsampledGamma))
	if err != nil {
		return nil, err
	}
	f := &features{gamma: subsampledGamma, values: fit.Values}
	if f.u, err = factorsOf(ctx, fit, model.Left); err == nil {
		f.v, err = factorsOf(ctx, fit, model.Right)
	}
	return f, err
}

// sampledKPCA returns the principal components of the Nyström method with m landmarks, for the RBF kernel between the
// rows of the graph. It centres and decomposes the factor F with K ≈ F·Fᵀ.
func sampledKPCA(ctx context.Context, g *graphs.Classed, m, rank int) (*features, error) {
	x := graphs.Dense(g.Adjacency).RawMatrix()
	solver := lowrank.Nystrom{Rank: m, Landmarks: m, Seed: 1}
	fit, err := solver.Fit(ctx, stream.Engine{}, model.Sources{Left: stream.FromMatrix(g.Name, x)}, rbf(subsampledGamma))
	if err != nil {
		return nil, err
	}
	factor, err := model.TransformMatrix(ctx, stream.Engine{}, fit.Model, x, model.Request{})
	if err != nil {
		return nil, err
	}
	roots := make([]float64, len(fit.Values))
	for j, value := range fit.Values {
		roots[j] = math.Sqrt(value)
	}
	for i := range factor.Rows {
		floats.Mul(lab.Row(factor, i), roots)
	}
	return components(factor, rank)
}

// components returns the leading left singular vectors of the centred columns of f, and the squares of the
// singular values.
func components(f blas64.General, rank int) (*features, error) {
	centred := mat.DenseCopyOf(lab.Dense(f))
	for j := range f.Cols {
		mean := mat.Sum(centred.ColView(j)) / float64(f.Rows)
		for i := range f.Rows {
			centred.Set(i, j, centred.At(i, j)-mean)
		}
	}
	var d mat.SVD
	if !d.Factorize(centred, mat.SVDThin) {
		return nil, errors.New("the singular values of a factor did not converge")
	}
	values := d.Values(nil)
	rank = min(rank, floats.Count(func(v float64) bool { return v > 1e-10*values[0] }, values))
	var u mat.Dense
	d.UTo(&u)
	floats.Mul(values, values)
	return &features{gamma: subsampledGamma, values: values[:rank], u: mat.DenseCopyOf(u.Slice(0, f.Rows, 0, rank)).RawMatrix(), v: stream.NewMatrix(f.Rows, 0)}, nil
}
