package ism

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/cluster"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/tilesize"
)

// clusters alternates between Y and W: Y of the original rows, W for Y, Y of XW, and so on until neither changes. Cost
// of a round: one pass to project, and those for W.
func (f *fitState) clusters(ctx context.Context) (settled bool, err error) {
	m := &embedder{data: f.data, terms: f.terms, maxLandmarks: max(embeddingLandmarks, f.Landmarks), clusters: f.Clusters, degrees: f.degrees()}
	if f.response != nil {
		if err := (&gamma{parts: []*part{f.response.centred(1)}}).check("what is known"); err != nil {
			return false, err
		}
	}
	y, err := f.first(ctx, m)
	if err != nil {
		return false, err
	}
	for r := 1; r <= f.Rounds; r++ {
		f.iteration.gamma, f.fit.Rounds = f.gammaOf(y), r
		before := f.iteration.current
		w, err := f.iteration.run(ctx)
		if err != nil {
			return false, err
		}
		next, err := f.embed(ctx, m, f.iteration.current.w)
		if err != nil {
			return false, err
		}
		still, err := f.converged(before, y, next)
		if err != nil {
			return false, err
		}
		y = next
		if settled = w && still; settled {
			break
		}
	}
	f.fit.Embedding = y.y
	f.fit.KernelEntries += m.entries
	return settled, f.label(ctx, y)
}

// first returns Y of the original rows (W = I); for Alternative, of the rows minus the means of their given clusters.
// Otherwise Y would usually be the given clusters, and the first Γ would not favour others. Cost: three passes; four
// for Alternative.
func (f *fitState) first(ctx context.Context, m *embedder) (*embedding, error) {
	rows := projectedRows{src: f.data.src, n: f.data.n, cols: f.data.d, take: func(dst, x blas64.General, _ int) { f.data.take(dst, x) }}
	sample := f.sample.x
	if f.Paradigm == Alternative {
		means, err := f.classMeans(ctx)
		if err != nil {
			return nil, err
		}
		subtract := func(x []float64, row int) { matrix.Axpy(-1, matrix.Row(means, int(f.response.codes[row])), x) }
		rows.take = func(dst, x blas64.General, first int) {
			f.data.take(dst, x)
			for i := range dst.Rows {
				subtract(matrix.Row(dst, i), first+i)
			}
		}
		sample = matrix.Clone(sample)
		for i, r := range f.sample.rows {
			subtract(matrix.Row(sample, i), int(r))
		}
	}
	*f.data.passes += 3
	return m.embed(ctx, rows, sample)
}

// classMeans returns the means of the given clusters, one row each, in one pass.
func (f *fitState) classMeans(ctx context.Context) (blas64.General, error) {
	known, d := f.response.centred(1), f.data.d
	total, err := stream.Fold(ctx, f.data.engine, "class means", f.data.src, func() *sketch.Sum { return sketch.NewSum(known.k, d) },
		func() func(acc *sketch.Sum, b *stream.Block) error {
			panel := matrix.New(tilesize.PanelRows, d)
			return func(acc *sketch.Sum, b *stream.Block) error {
				if int(b.Start)+b.X.Rows > f.data.n {
					return moreRows(f.data.src)
				}
				for first, rows := range b.Panels(tilesize.PanelRows) {
					x := matrix.Rows(panel, 0, rows.Rows)
					f.data.take(x, rows)
					known.addSums(acc.General, x, int(b.Start)+first)
				}
				return nil
			}
		})
	if err != nil {
		return blas64.General{}, err
	}
	*f.data.passes++
	for a, size := range known.sums {
		blas64.Scal(1/max(size, 1), dense.Vector(matrix.Row(total.General, a)))
	}
	return total.General, nil
}

// embed computes Y of XW.
func (f *fitState) embed(ctx context.Context, m *embedder, w blas64.General) (*embedding, error) {
	xw, err := f.data.project(ctx, w)
	if err != nil {
		return nil, err
	}
	return m.embed(ctx, inMemory(xw), dense.Mul(noTrans, f.sample.x, noTrans, w))
}

// converged reports whether a round has changed neither W nor Y by more than the tolerance.
func (f *fitState) converged(before *evaluation, y, next *embedding) (bool, error) {
	if before == nil || y.y.Cols != next.y.Cols {
		return false, nil
	}
	w, err := largestAngle(before.w, f.iteration.current.w)
	if err != nil || w > f.ChangeTol {
		return false, err
	}
	clusters, err := largestAngle(y.y, next.y)
	return clusters <= f.ChangeTol, err
}

// label clusters the normalised rows of Y by k-means (Ng, Jordan & Weiss 2001).
func (f *fitState) label(ctx context.Context, y *embedding) error {
	c, err := cluster.KMeans{Clusters: f.Clusters, Seed: f.Seed}.Fit(ctx, f.data.engine, unitRows(y.y))
	if err != nil {
		return fmt.Errorf("clusters of the spectral embedding: %w", err)
	}
	f.fit.Labels = c.Labels
	f.fit.Warn(c.Warnings()...)
	return nil
}

// gammaOf returns Γ of a round, from the embedding and the response.
func (f *fitState) gammaOf(y *embedding) *gamma {
	if f.Paradigm == Unsupervised {
		return &gamma{n: f.data.n, parts: []*part{centredFactors(y.y, 1)}}
	}
	scaled := matrix.Clone(y.y)
	dense.ScaleRows(scaled, dense.Reciprocals(dense.Roots(y.degrees)))
	omega := newPart(scaled, 1)
	if f.weights[0] == 0 {
		f.weights = [2]float64{1 / omega.norm(), f.Mu / f.response.centred(1).norm()}
		if f.Paradigm == Alternative {
			f.weights[1] = -f.weights[1]
		}
	}
	omega.weight = f.weights[0]
	return &gamma{n: f.data.n, parts: []*part{omega, f.response.centred(f.weights[1])}}
}
