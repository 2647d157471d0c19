package ksvd

import (
	"cmp"
	"context"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/krylov"
	"github.com/nystream/nystream/solvers/internal/logsum"
)

// sampled returns the fit with given samples.
func (f *nystrom) sampled(ctx context.Context, rows, cols sample) (*Model, error) {
	x, err := f.data.left.gather(ctx, rows.number)
	if err != nil {
		return nil, err
	}
	z, err := f.data.right.gather(ctx, cols.number)
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(f.entries.checkPoints(f.data.left.name(), x, rows.number), f.entries.checkPoints(f.data.right.name(), z, cols.number)); err != nil {
		return nil, err
	}
	block, s, err := f.block(ctx, x, z, rows, cols)
	if err != nil {
		return nil, err
	}
	dense.ScaleRows(block, dense.Roots(rows.weight))
	dense.ScaleColumns(block, dense.Roots(cols.weight))
	extra := 0
	if f.Scaling == ScaleOrthonormal {
		extra = max(10, f.Rank/2)
	}
	t, err := truncatedSVD(ctx, block, f.Rank+extra, blockTolerance, f.Seed)
	if err != nil {
		return nil, err
	}
	model := f.sides(x, z, rows, cols, s, t)
	switch f.Scaling {
	case ScaleDerived:
		f.derive(model, len(rows.number), len(cols.number))
	default:
		err = f.rescale(ctx, model)
	}
	return model, err
}

// block returns G between the samples, centred if it is to be, and what is known of its
// rows and columns.
func (f *nystrom) block(ctx context.Context, x, z *points, rows, cols sample) (blas64.General, *statistics, error) {
	s := &statistics{}
	block, err := f.entries.between(ctx, f.engine, x, z)
	if err != nil {
		return block, nil, err
	}
	switch {
	case f.stats != nil:
		s.grand = f.stats.grand
		s.logSums, s.rowMeans, s.colMeans = dense.Pick(f.stats.logSums, rows.number), dense.Pick(f.stats.rowMeans, rows.number), dense.Pick(f.stats.colMeans, cols.number)
	case f.entries.normalised:
		if err := f.sampledSums(s, block, rows, cols); err != nil {
			return block, nil, err
		}
	}
	f.entries.divide(block, s.logSums)
	if err := checkFinite("the sampled block", block); err != nil {
		return block, nil, err
	}
	if f.Centre {
		if f.stats == nil {
			s.sampledMeans(block, rows.weight, cols.weight)
		}
		s.centre(block)
	}
	return block, s, nil
}

// sampledSums puts into s the row sums of a raw block over the sampled columns, weighted.
func (f *nystrom) sampledSums(s *statistics, raw blas64.General, rows, cols sample) error {
	var w scratch
	s.logSums = make([]float64, raw.Rows)
	for i := range raw.Rows {
		var sum logsum.Sum
		f.entries.addSum(&sum, dense.Row(raw, i), cols.weight, &w)
		if s.logSums[i] = f.entries.logOf(sum); s.logSums[i]-s.logSums[i] != 0 {
			return f.entries.badSum(f.data.left.name(), rows.number[i], s.logSums[i])
		}
	}
	return nil
}

// sampledMeans puts into s the weighted means of the rows and columns of a block.
func (s *statistics) sampledMeans(block blas64.General, rows, cols []float64) {
	s.rowMeans, s.colMeans = make([]float64, block.Rows), make([]float64, block.Cols)
	n, m := dense.Sum(rows), dense.Sum(cols)
	for i := range block.Rows {
		for j, v := range dense.Row(block, i) {
			s.rowMeans[i] += v * cols[j] / m
			s.colMeans[j] += v * rows[i] / n
		}
		s.grand += s.rowMeans[i] * rows[i] / n
	}
}

// sides makes both sides functions of a row, with vectors of length about 1 over all
// rows: u(x) = Σ_j G(x, z_j)·√w_j·v_j/λ̃, w the weights.
func (f *nystrom) sides(x, z *points, rows, cols sample, s *statistics, t *krylov.Triplets) *Model {
	over := dense.Reciprocals(t.Values)
	for _, side := range []struct {
		vectors blas64.General
		weight  []float64
	}{{t.U, rows.weight}, {t.V, cols.weight}} {
		dense.ScaleRows(side.vectors, dense.Roots(side.weight))
		dense.ScaleColumns(side.vectors, over)
	}
	shape := f.data.Shape()
	model := &Model{Method: "nystrom", Kernel: f.entries.kernel, Seed: f.Seed, Rows: shape.Rows, Cols: shape.Cols, Centred: f.Centre,
		Sums: f.Sums, Compatibility: f.data.kind, Values: t.Values,
		Left: &Side{left: true, Landmarks: landmarksOf(z), Rows: cols.number, Projection: t.V, Weights: cols.weight,
			Means: s.colMeans, GrandMean: s.grand, Map: f.data.maps[0]},
		Right: &Side{Landmarks: landmarksOf(x), Rows: rows.number, Projection: t.U, Weights: rows.weight,
			LogSums: s.logSums, Means: s.rowMeans, GrandMean: s.grand, Map: f.data.maps[1]}}
	f.keepAll(model)
	return model
}

// keepAll gives each side the rows that exact sums and means of new rows are taken
// over, where it needs any.
func (f *nystrom) keepAll(m *Model) {
	if f.stats == nil {
		return
	}
	if f.entries.normalised || f.Centre {
		l := landmarksOf(f.all[1])
		m.Left.All = &l
	}
	if f.Centre {
		l := landmarksOf(f.all[0])
		m.Right.All, m.Right.AllLogSums = &l, f.stats.logSums
	}
}

// derive puts the scale of equation (11) on both sides. It is 1 if n/N = m/M, and
// else moves a factor from one side to the other.
func (f *nystrom) derive(m *Model, n, cols int) {
	c := math.Pow(float64(cols)/float64(m.Cols)/(float64(n)/float64(m.Rows)), 0.25)
	for j := range m.Values {
		scaleCol(m.Left.Projection, j, c)
		scaleCol(m.Right.Projection, j, 1/c)
	}
}

func scaleCol(m blas64.General, j int, c float64) {
	for i := range m.Rows {
		m.Data[i*m.Stride+j] *= c
	}
}
