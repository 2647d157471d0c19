package ksvd

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/krylov"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/internal/logsum"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/stream/tilesize"
)

// sample has rows of one side, drawn uniformly without replacement, with the number of rows that each represents. A
// smaller sample of the same purpose is a subset of a larger one.
type sample struct {
	numbers []int64 // ascending
	weights []float64
}

// uniformSample draws k of n rows.
func uniformSample(n int64, k int, seed uint64, purpose string) sample {
	numbers := sketch.NewRandom(seed, purpose).Choose(n, k)
	slices.Sort(numbers)
	return sample{numbers, slices.Repeat([]float64{float64(n) / float64(k)}, k)}
}

// sampleAll returns all n rows.
func sampleAll(n int) sample { return sample{matrix.Numbers(n), slices.Repeat([]float64{1}, n)} }

// sampled returns the fit with given samples.
func (f *nystrom) sampled(ctx context.Context, rows, cols sample) (*Fit, error) {
	size := f.data.size()
	besideRows, besideCols := holdBack(size.Rows, rows.numbers, f.Seed, "ksvd held rows"), holdBack(size.Cols, cols.numbers, f.Seed, "ksvd held columns")
	allRows, err := f.data.left.gather(ctx, besideRows.numbers)
	if err != nil {
		return nil, err
	}
	allCols, err := f.data.right.gather(ctx, besideCols.numbers)
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(checkRows(f.tiles, f.data.left.Info(), allRows, besideRows.numbers), checkRows(f.tiles, f.data.right.Info(), allCols, besideCols.numbers)); err != nil {
		return nil, err
	}
	m, err := f.decompose(ctx, besideRows.pickLandmarks(allRows), besideCols.pickLandmarks(allCols), rows, cols)
	if err != nil {
		return nil, err
	}
	e, err := f.estimate(ctx, m, allRows, allCols, besideRows, besideCols)
	if err != nil {
		return nil, err
	}
	fit := f.finish(m)
	fit.addEstimates(e, f.Scaling)
	return fit, nil
}

// decompose returns the model of the sampled rows x and columns z.
func (f *nystrom) decompose(ctx context.Context, x, z *tiles.Rows, rows, cols sample) (*Model, error) {
	block, s, err := f.block(ctx, x, z, rows, cols)
	if err != nil {
		return nil, err
	}
	dense.ScaleRows(block, dense.Roots(rows.weights))
	dense.ScaleColumns(block, dense.Roots(cols.weights))
	extra := 0
	if f.Scaling == ScaleOrthonormal {
		extra = max(10, f.Rank/2)
	}
	t, err := truncatedSVD(ctx, block, f.Rank+extra, blockTolerance, f.Seed)
	if err != nil {
		return nil, err
	}
	m := f.data.functions(f.tiles, x, z, rows, cols, s, t)
	m.Method, m.Seed, m.Centered, m.Sums = "nystrom", f.Seed, f.Center, f.Sums
	if f.sums != nil { // new rows need exact sums and means as well
		left, right := landmarksOf(f.all[0]), landmarksOf(f.all[1])
		m.Left.All = &right
		if f.Center {
			m.Right.All, m.Right.AllLogSums = &left, f.sums.LogSums
		}
	}
	if f.Scaling == ScaleDerived {
		applyScale(m)
		return m, nil
	}
	return m, f.rescale(ctx, m)
}

// block returns G between the samples, centered if requested, and the sums of its rows and columns.
func (f *nystrom) block(ctx context.Context, x, z *tiles.Rows, rows, cols sample) (blas64.General, *tiles.Sums, error) {
	s := &tiles.Sums{}
	block, err := f.tiles.RawEntries(ctx, f.engine, x, z, tilesize.PairRows)
	if err != nil {
		return block, nil, err
	}
	if f.sums != nil {
		s = &tiles.Sums{LogSums: dense.Pick(f.sums.LogSums, rows.numbers), RowMeans: dense.Pick(f.sums.RowMeans, rows.numbers),
			ColMeans: dense.Pick(f.sums.ColMeans, cols.numbers), GrandMean: f.sums.GrandMean}
	} else if f.tiles.Normalised() {
		if s.LogSums, err = f.sampledSums(block, rows, cols); err != nil {
			return block, nil, err
		}
	}
	f.tiles.Divide(block, s.LogSums)
	if err := checkFinite("the sampled block", block); err != nil {
		return block, nil, err
	}
	if f.Center {
		if f.sums == nil {
			sampledMeans(s, block, rows.weights, cols.weights)
		}
		s.Center(block)
	}
	return block, s, nil
}

// sampledSums returns the logarithms of the weighted row sums of a raw block over the sampled columns.
func (f *nystrom) sampledSums(raw blas64.General, rows, cols sample) (logs []float64, err error) {
	var w tiles.Work
	logs = make([]float64, raw.Rows)
	for i := range logs {
		var sum logsum.Sum
		f.tiles.AddSum(&sum, matrix.Row(raw, i), cols.weights, &w)
		if logs[i], err = f.tiles.LogSum(sum, f.data.left.name(), rows.numbers[i]); err != nil {
			return nil, err
		}
	}
	return logs, nil
}

// sampledMeans stores the weighted means of the rows and columns of a block in s.
func sampledMeans(s *tiles.Sums, block blas64.General, rows, cols []float64) {
	s.RowMeans, s.ColMeans = make([]float64, block.Rows), make([]float64, block.Cols)
	n, m := dense.Sum(rows), dense.Sum(cols)
	for i := range block.Rows {
		for j, v := range matrix.Row(block, i) {
			s.RowMeans[i] += v * cols[j] / m
			s.ColMeans[j] += v * rows[i] / n
		}
		s.GrandMean += s.RowMeans[i] * rows[i] / n
	}
}

// functions turns triplets of the block between sampled rows and columns into functions of a row: u(x) = Σ_j G(x,
// z_j)·√w_j·v_j/λ_j, with the weights w. It overwrites the vectors.
func (d *Data) functions(t *tiles.Tiles, x, z *tiles.Rows, rows, cols sample, s *tiles.Sums, r *krylov.Triplets) *Model {
	over := dense.Reciprocals(r.Values)
	side := func(vectors blas64.General, landmarks *tiles.Rows, of sample, to blas64.General) *Factor {
		dense.ScaleRows(vectors, dense.Roots(of.weights))
		dense.ScaleColumns(vectors, over)
		return &Factor{Landmarks: landmarksOf(landmarks), Rows: of.numbers, Projection: vectors, Weights: of.weights,
			GrandMean: s.GrandMean, Map: to}
	}
	shape := d.size()
	m := &Model{Kernel: t.Kernel, Rows: shape.Rows, Cols: shape.Cols, Sums: SumsExact, Compatibility: d.kind, Values: r.Values, Origin: t.Origin(),
		Left: side(r.V, z, cols, d.maps[0]), Right: side(r.U, x, rows, d.maps[1])}
	m.Left.left, m.Left.Means = true, s.ColMeans
	m.Right.Means, m.Right.LogSums = s.RowMeans, s.LogSums
	return m
}

// applyScale applies the scale of equation (11). It is 1 if n/N = m/M; otherwise it moves a factor from one side to the
// other.
func applyScale(m *Model) {
	n, cols := float64(len(m.Right.Rows)), float64(len(m.Left.Rows))
	c := math.Pow(cols/float64(m.Cols)/(n/float64(m.Rows)), 0.25)
	dense.Scale(c, m.Left.Projection)
	dense.Scale(1/c, m.Right.Projection)
}
