package ksvd

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/solvers/internal/logsum"
	"github.com/nystream/nystream/stream"
)

// Part is what a fit says of some samples, each of which is a row on the left and the row of
// the same number on the right.
type Part struct {
	// G is the kernel matrix between them, and about U·diag(Values)·Vᵀ.
	G, U, V blas64.General
	// NewScale is what rows of G, and of U, would be multiplied by had the sums of rows not
	// had their own columns: they stand for rows that the fit has not seen. 1 where there
	// are no sums, Inf where such a row would have none.
	NewScale []float64
}

// part is one under way.
type part struct {
	*Part
	fit     *Fit
	entries *entries
	number  []int64
	stats   *statistics // of the samples; nil if sums are estimated
}

// Part returns the part of samples whose numbers ascend, m of them. It is for fits by
// landmarks that are not centred. Where the row sums of the fit are estimated, those of G
// are too, but from these samples: the entry of a row with its own number stands for
// itself, and the others for all others.
//
// Cost: m rows of each side fetched by number, m² entries, and as many as it takes to embed
// m rows of each side.
func (f *Fit) Part(ctx context.Context, e stream.Engine, number []int64) (*Part, error) {
	if f.Centred || f.U.Rows > 0 {
		return nil, errors.New("ksvd: a part of a fit that is centred or exact")
	}
	t, err := f.entries()
	if err != nil {
		return nil, err
	}
	p := &part{Part: &Part{}, fit: f, entries: t, number: number}
	if f.stats != nil {
		p.stats = &statistics{logSums: dense.Pick(f.stats.logSums, number)}
	}
	x, err := f.data.left.gather(ctx, number)
	if err != nil {
		return nil, err
	}
	z, err := f.data.right.gather(ctx, number)
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(t.checkPoints(f.data.left.name(), x, number), t.checkPoints(f.data.right.name(), z, number)); err != nil {
		return nil, err
	}
	if err := p.between(ctx, e, x, z); err != nil {
		return nil, err
	}
	p.NewScale = p.newScale()
	if p.U, err = p.embed(f.Left, f.data.left.name(), x); err != nil {
		return nil, err
	}
	p.V, err = p.embed(f.Right, f.data.right.name(), z)
	f.KernelEntries += t.count.Load()
	return p.Part, err
}

// between makes G.
func (p *part) between(ctx context.Context, e stream.Engine, x, z *points) error {
	g, err := p.entries.between(ctx, e, x, z)
	if err != nil {
		return err
	}
	p.G = g
	if p.entries.normalised {
		if p.stats != nil {
			p.entries.divide(p.G, p.stats.logSums)
		} else {
			p.entries.divide(p.G, p.estimatedSums())
		}
	}
	return checkFinite("the part", p.G)
}

// estimatedSums returns the logarithms of the sums of the rows of G, which is raw.
func (p *part) estimatedSums() []float64 {
	var w scratch
	logs := make([]float64, p.G.Rows)
	weight := slices.Repeat([]float64{p.others()}, p.G.Cols)
	for i := range logs {
		var sum logsum.Sum
		weight[i] = 1
		p.entries.addSum(&sum, dense.Row(p.G, i), weight, &w)
		weight[i] = p.others()
		logs[i] = p.entries.logOf(sum)
	}
	return logs
}

// others returns how many columns each of those stands for that are not a row's own.
func (p *part) others() float64 {
	return float64(p.fit.Cols-1) / math.Max(1, float64(len(p.number)-1))
}

// knownShare is the share of a sum without the own column that is taken from the sum with
// it: below, the difference has few digits, and columns of the part stand for all.
const knownShare = 1e-6

func (p *part) newScale() []float64 {
	scale := slices.Repeat([]float64{1}, p.G.Rows)
	if !p.entries.normalised {
		return scale
	}
	for i := range scale {
		row := dense.Row(p.G, i)
		share := 1 - row[i]/p.entries.weight
		if share < knownShare {
			share = (dense.Sum(row[:i]) + dense.Sum(row[i+1:])) * p.others() / p.entries.weight
		}
		scale[i] = 1 / share
	}
	return scale
}

// embed returns u or v of points.
func (p *part) embed(side *Side, name string, points *points) (blas64.General, error) {
	do := side.prepare(p.entries, p.fit.total(side), p.stats, name).embedder()
	u := stream.NewMatrix(len(p.number), side.Rank())
	size := panelRows(do.landmarks.count())
	for first := 0; first < u.Rows; first += size {
		n := min(size, u.Rows-first)
		if err := do.embed(stream.RowSlice(u, first, n), points.slice(first, n), int64(first)); err != nil {
			return u, err
		}
	}
	return u, nil
}

// Again returns the singular values of G between some of the samples, given by their places,
// and as functions of all samples what the Nyström method makes of them: as if these had
// been all samples and all of them landmarks.
func (p *Part) Again(ctx context.Context, landmarks []int, rank int, seed uint64) (values []float64, u, v blas64.General, err error) {
	rows, cols := dense.PickRows(p.G, landmarks), dense.PickColumns(p.G, landmarks)
	t, err := truncatedSVD(ctx, dense.PickColumns(rows, landmarks), min(rank, len(landmarks)), blockTolerance, seed)
	if err != nil {
		return nil, u, v, err
	}
	over := dense.Reciprocals(t.Values)
	u, v = dense.Mul(blas.NoTrans, cols, blas.NoTrans, t.V), dense.Mul(blas.Trans, rows, blas.NoTrans, t.U)
	dense.ScaleColumns(u, over)
	dense.ScaleColumns(v, over)
	return t.Values, u, v, nil
}
