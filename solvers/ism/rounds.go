package ism

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/solvers/cluster"
)

// clusters lets Y and W take turns: Y of the rows as they are, W for Y, Y of XW, and so
// on until neither changes.
func (f *fitting) clusters(ctx context.Context) error {
	s := &spectral{data: f.data, terms: f.terms, held: f.held, most: f.embeddingLandmarks(), clusters: f.task.Clusters, degrees: f.task.Paradigm != Unsupervised}
	if f.task.Known != nil {
		if err := (&gamma{parts: []*part{f.task.Known.centred(1)}}).check("what is known"); err != nil {
			return err
		}
	}
	y, err := f.embed(ctx, s, identity(f.data.d))
	if err != nil {
		return err
	}
	for r := 1; r <= f.Rounds; r++ {
		f.it.gamma, f.it.round, f.fit.Rounds = f.gammaOf(y), r, r
		before := f.it.at
		settled, err := f.it.run(ctx)
		if err != nil {
			return err
		}
		next, err := f.embed(ctx, s, f.it.at.w)
		if err != nil {
			return err
		}
		still, err := f.still(before, y, next)
		if err != nil {
			return err
		}
		y = next
		if f.fit.Settled = settled && still; f.fit.Settled {
			break
		}
	}
	f.fit.Embedding = y.y
	f.fit.KernelEntries += s.entries
	return f.label(ctx, y)
}

// embeddingLandmarks are how many features the spectral embedding has at most. Those of
// the exact engine leave little more than rounding.
func (f *fitting) embeddingLandmarks() int {
	if f.choice == EngineExact {
		return max(500, f.Landmarks)
	}
	return f.Landmarks
}

func (f *fitting) embed(ctx context.Context, s *spectral, w blas64.General) (*embedding, error) {
	xw, err := f.data.project(ctx, w)
	if err != nil {
		return nil, err
	}
	return s.embed(ctx, xw, mul(noTrans, noTrans, f.held.x, w))
}

// still says that a round has changed neither W nor Y by more than the angle.
func (f *fitting) still(before *evaluation, y, next *embedding) (bool, error) {
	if before == nil || y.y.Cols != next.y.Cols {
		return false, nil
	}
	w, err := largestAngle(before.w, f.it.at.w)
	if err != nil || w > f.Angle {
		return false, err
	}
	clusters, err := largestAngle(y.y, next.y)
	return clusters <= f.Angle, err
}

// label clusters the rows of Y by k-means.
func (f *fitting) label(ctx context.Context, y *embedding) error {
	rows := y.y
	if y.degrees != nil {
		rows = cloneOf(rows)
		for i := range rows.Rows {
			row := rowOf(rows, i)
			if norm := blas64.Nrm2(blas64.Vector{N: len(row), Inc: 1, Data: row}); norm > 0 {
				for j := range row {
					row[j] /= norm
				}
			}
		}
	}
	c, err := cluster.KMeans{Clusters: f.task.Clusters, Seed: f.Seed}.Fit(ctx, f.data.engine, rows)
	if err != nil {
		return err
	}
	f.fit.Labels = c.Labels
	return nil
}
