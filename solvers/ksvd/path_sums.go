package ksvd

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/internal/logsum"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/sparse"
)

// Between sparse rows, most inner products are zero. Such an entry is a constant, or an exponential of the squared
// norms of its two rows. A sum over all rows of the other side is therefore
//
//	Σ_j w_j·f(x, z_j) = Σ_j w_j·f₀(x, z_j) + Σ_{j: x·z_j ≠ 0} w_j·(f − f₀)(x, z_j)
//
// where f₀ is f at an inner product of zero. The first sum is a product, and the second runs over paths of two edges,
// so the cost of exact sums of a graph is its number of paths instead of N·M entries. If no weight of the graph is
// negative, normalised kernels have f ≥ f₀, and no digits cancel: the sum is at least half of the first term.

// pathSums computes sums of a kernel over all of some sparse rows z_j.
type pathSums struct {
	tiles   *tiles.Tiles
	columns *sparse.CSR // transpose of the rows
	norms   []float64   // squared norms of the rows
	logSums []float64   // row sums that normalise their entries; nil for none
	weight  float64     // logarithm of Σ_j w_j·f₀(x, z_j) / f₀(x, 0)
}

// newPathSums prepares sums over rows. It returns nil if all entries are needed.
func newPathSums(t *tiles.Tiles, rows *tiles.Rows, logSums []float64) *pathSums {
	negative := rows.Sparse != nil && slices.ContainsFunc(rows.Sparse.Value, func(v float64) bool { return v < 0 })
	if rows.Sparse == nil || !byPaths(t, negative) {
		return nil
	}
	p := &pathSums{tiles: t, columns: rows.Transpose(), norms: tiles.SquaredNorms(nil, rows.Sparse), logSums: logSums}
	var sum logsum.Sum
	for j, z := range p.norms {
		log := p.logWeight(j)
		if t.IsRadial() {
			log += t.Exponent() * z
		}
		sum.AddLog(log)
	}
	p.weight = sum.Log()
	return p
}

// logWeight returns the logarithm of the weight of z_j.
func (p *pathSums) logWeight(j int) float64 {
	if p.logSums == nil {
		return 0
	}
	return -p.logSums[j]
}

// pathWorker computes sums for one goroutine.
type pathWorker struct {
	*pathSums
	dots      []float64 // inner products of a row with all z_j; zero between calls
	reached   []bool
	touched   []int32   // the z_j reached by paths from the row
	hit, miss []float64 // f and f₀ of touched, or their logarithms
	work      tiles.Work
}

func (p *pathSums) worker() *pathWorker {
	return &pathWorker{pathSums: p, dots: make([]float64, len(p.norms)), reached: make([]bool, len(p.norms))}
}

// sums returns the sums of sparse rows.
func (w *pathWorker) sums(rows *tiles.Rows) []logsum.Sum {
	sums := make([]logsum.Sum, rows.Count())
	for i := range sums {
		sums[i] = w.sum(rows.Sparse.Row(i))
	}
	return sums
}

// sum returns the sum for a sparse row.
func (w *pathWorker) sum(index []int32, value []float64) logsum.Sum {
	x := 0.0
	for p := range index {
		v := tiles.ValueAt(value, p)
		x += v * v
	}
	s := w.sumDisjoint(x)
	w.reach(index, value)
	w.hit, w.miss = w.hit[:0], w.miss[:0]
	for _, j := range w.touched {
		w.hit = append(w.hit, w.tiles.Base(x, w.norms[j], w.dots[j]))
		w.miss = append(w.miss, w.tiles.Base(x, w.norms[j], 0))
		w.dots[j], w.reached[j] = 0, false
	}
	w.tiles.Entries.Add(int64(len(w.touched)))
	w.tiles.FromBase(w.hit, &w.work)
	w.tiles.FromBase(w.miss, &w.work)
	if w.tiles.Exponent() != 0 {
		return w.addHits(s)
	}
	for i, j := range w.touched {
		s.Scaled += math.Exp(w.logWeight(int(j))) * (w.hit[i] - w.miss[i])
	}
	return s
}

// reach computes the nonzero inner products of a row.
func (w *pathWorker) reach(index []int32, value []float64) {
	w.touched = w.touched[:0]
	for p, l := range index {
		at, times := w.columns.Row(int(l))
		v := tiles.ValueAt(value, p)
		for q, j := range at {
			if !w.reached[j] {
				w.reached[j] = true
				w.touched = append(w.touched, j)
			}
			w.dots[j] += v * tiles.ValueAt(times, q)
		}
	}
}

// sumDisjoint returns the sum of f₀ for a row of squared norm x.
func (w *pathWorker) sumDisjoint(x float64) logsum.Sum {
	v := []float64{w.tiles.Base(x, 0, 0)}
	w.tiles.Entries.Add(1)
	w.tiles.FromBase(v, &w.work)
	s := logsum.Zero()
	if w.tiles.Exponent() != 0 {
		s.AddLog(v[0] + w.weight)
	} else {
		s.Scaled += math.Exp(w.weight) * v[0]
	}
	return s
}

// addHits adds the exponentials of hit, and subtracts those of miss, which s includes.
func (w *pathWorker) addHits(s logsum.Sum) logsum.Sum {
	most := s.Max
	for i, j := range w.touched {
		log := w.logWeight(int(j))
		w.hit[i] += log
		w.miss[i] += log
		most = max(most, w.hit[i])
	}
	if math.IsInf(most, -1) {
		return s
	}
	s.Raise(most)
	for i := range w.hit {
		w.hit[i] -= most
		w.miss[i] -= most
	}
	logsum.Exponentials(w.hit)
	logsum.Exponentials(w.miss)
	for i, v := range w.hit {
		s.Scaled += v - w.miss[i]
	}
	return s
}

// pathRows is the number of rows in a block, small enough to keep all workers busy.
const pathRows = 512

// eachRow makes a pass over all rows of a side and calls f with their sums.
func (p *pathSums) eachRow(ctx context.Context, e stream.Engine, pass string, rows source,
	f func(s logsum.Sum, row int64) (float64, error)) ([]float64, error) {
	if e.BlockRows == 0 {
		e.BlockRows = pathRows
	}
	out, err := stream.MapRows(ctx, e, pass, rows, 1, func() func(blas64.General, *stream.Block) error {
		w := p.worker()
		return func(dst blas64.General, b *stream.Block) (err error) {
			for i, s := range w.sums(rows.panel(b, 0, b.X)) {
				if matrix.Row(dst, i)[0], err = f(s, b.Start+int64(i)); err != nil {
					return err
				}
			}
			return nil
		}
	})
	return out.Data, err
}

// pathStatistics returns the sums and means of a graph, computed by paths. It returns nil if all entries are needed.
func pathStatistics(ctx context.Context, e stream.Engine, d *Data, t *tiles.Tiles, means bool) (s *tiles.Sums, err error) {
	left, right := d.left.sparse, d.right.sparse
	overRight := newPathSums(t, tiles.SparseRows(right.Matrix, right.Transpose()), nil)
	if overRight == nil {
		return nil, nil
	}
	s = &tiles.Sums{}
	if t.Normalised() {
		log := func(s logsum.Sum, row int64) (float64, error) { return t.LogSum(s, d.left.name(), row) }
		s.LogSums, err = overRight.eachRow(ctx, e, "row sums", d.left, log)
		if err != nil {
			return nil, err
		}
	}
	if !means {
		return s, nil
	}
	overLeft := newPathSums(t, tiles.SparseRows(left.Matrix, left.Transpose()), s.LogSums)
	if overLeft == nil {
		return nil, nil
	}
	n, m := float64(left.Matrix.Rows), float64(right.Matrix.Rows)
	mean := func(over float64) func(logsum.Sum, int64) (float64, error) {
		return func(s logsum.Sum, _ int64) (float64, error) { return t.Mean(s, over), nil }
	}
	if s.ColMeans, err = overLeft.eachRow(ctx, e, "means", d.right, mean(n)); err != nil {
		return nil, err
	}
	if t.Normalised() {
		s.RowMeans = slices.Repeat([]float64{t.RowMean(m)}, int(n))
	} else if s.RowMeans, err = overRight.eachRow(ctx, e, "means", d.left, mean(m)); err != nil {
		return nil, err
	}
	s.GrandMean = dense.Sum(s.RowMeans) / n
	return s, s.Check(t, d.names())
}
