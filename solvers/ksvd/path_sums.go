package ksvd

import (
	"context"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/internal/logsum"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Between sparse rows most inner products are zero, and then an entry depends on the
// squared norms of its two rows alone. So a sum over all rows of the other side is
//
//	Σ_j w_j·f(x, z_j) = Σ_j w_j·f₀(x, z_j) + Σ_{j: x·z_j ≠ 0} w_j·(f − f₀)(x, z_j)
//
// where f₀ is f at an inner product of zero. The first sum is over distinct norms, and
// the second over what paths of two edges reach: exact sums of a graph cost its paths
// and not N·M entries. Where no weight of the graph is negative, kernels that are
// divided by row sums have f ≥ f₀, and the difference loses nothing: the sum is at least
// half of the first term.

// pathSums sums a kernel over all of some sparse points.
type pathSums struct {
	entries   *entries
	columns   *stream.CSR // transpose of the points
	norm      []float64   // squared norms of the points
	logWeight []float64   // logarithms of their weights; nil for 1
	// The distinct norms that f₀ depends on, and the logarithms of the weights of each.
	// exp(c·(‖x‖²+‖z‖²)) is a product, so that one of norm 0 stands for all.
	group, groupWeight []float64

	lock    sync.Mutex
	without map[float64]logsum.Sum // sums of f₀ for the norms of rows
}

// maxGroups is how many distinct norms are summed over at most.
const maxGroups = 1 << 14

// pathSums reports whether sums over all rows of the right side, and over those of the
// left, go over paths: see newPathSums.
func (e *entries) pathSums(s model.Shape) bool {
	if s.Sparse == nil || e.normalised && s.Sparse.Negative {
		return false
	}
	return e.base != kernelgen.SquaredDistance || e.exponent != 0 || max(s.Sparse.Norms[0], s.Sparse.Norms[1]) <= maxGroups
}

// newPathSums prepares sums over points; nil if they have to go over all entries.
func newPathSums(e *entries, all *points, logWeight []float64) *pathSums {
	if all.sparse == nil || e.normalised && slices.ContainsFunc(all.sparse.Value, func(v float64) bool { return v < 0 }) {
		return nil
	}
	p := &pathSums{entries: e, columns: all.columns(), norm: squaredNorms(nil, all.sparse), logWeight: logWeight, without: map[float64]logsum.Sum{}}
	sums := map[float64]*logsum.Sum{}
	for j, z := range p.norm {
		key, log := 0.0, weightLog(logWeight, j)
		switch {
		case e.base != kernelgen.SquaredDistance:
		case e.exponent != 0:
			log += e.exponent * z
		default:
			key = z
		}
		if sums[key] == nil {
			sums[key] = new(logsum.Sum)
			if p.group = append(p.group, key); len(p.group) > maxGroups {
				return nil
			}
		}
		sums[key].AddLog(log)
	}
	slices.Sort(p.group)
	for _, key := range p.group {
		p.groupWeight = append(p.groupWeight, sums[key].Log())
	}
	return p
}

func weightLog(logs []float64, j int) float64 {
	if logs == nil {
		return 0
	}
	return logs[j]
}

// reacher finds what a sparse row has in common with some points. It belongs to one
// goroutine.
type reacher struct {
	columns *stream.CSR // transpose of the points
	dot     []float64   // inner products, zero between rows
	met     []bool
	touched []int32 // the points that something leads to
}

func newReacher(columns *stream.CSR) reacher {
	return reacher{columns: columns, dot: make([]float64, columns.Cols), met: make([]bool, columns.Cols)}
}

// reach finds the inner products of a row with the points that are not zero.
func (r *reacher) reach(index []int32, value []float64) {
	r.touched = r.touched[:0]
	for p, l := range index {
		at, times := r.columns.Row(int(l))
		v := weightAt(value, p)
		for q, j := range at {
			if !r.met[j] {
				r.met[j] = true
				r.touched = append(r.touched, j)
			}
			r.dot[j] += v * weightAt(times, q)
		}
	}
}

// forget makes ready for another row.
func (r *reacher) forget() {
	for _, j := range r.touched {
		r.dot[j], r.met[j] = 0, false
	}
}

// pathWorker sums for one goroutine.
type pathWorker struct {
	*pathSums
	reacher
	hit, miss []float64 // f and f₀ of what is touched, or their logarithms
	work      scratch
	products  []float64
}

func (p *pathSums) worker() *pathWorker {
	return &pathWorker{pathSums: p, reacher: newReacher(p.columns)}
}

// sum returns the sum of a sparse row over all points, as exp(most)·sum.
func (w *pathWorker) sum(index []int32, value []float64) logsum.Sum {
	x := 0.0
	for p := range index {
		v := weightAt(value, p)
		x += v * v
	}
	s := w.sumDisjoint(x)
	w.reach(index, value)
	w.hit, w.miss = w.hit[:0], w.miss[:0]
	for _, j := range w.touched {
		w.hit = append(w.hit, w.entries.baseOf(x, w.norm[j], w.dot[j]))
		w.miss = append(w.miss, w.entries.baseOf(x, w.norm[j], 0))
	}
	w.forget()
	w.entries.count.Add(int64(len(w.touched)))
	w.entries.fromBase(w.hit, &w.work)
	w.entries.fromBase(w.miss, &w.work)
	if w.entries.exponent == 0 {
		for i, j := range w.touched {
			s.Rest += math.Exp(weightLog(w.logWeight, int(j))) * (w.hit[i] - w.miss[i])
		}
		return s
	}
	return w.addHits(s)
}

// sumDisjoint returns the sum of f₀ for a row with a squared norm. With many groups it is worked
// out once for each norm, whichever worker comes first.
func (w *pathWorker) sumDisjoint(x float64) logsum.Sum {
	if len(w.group) == 1 {
		return w.sumWithout(x)
	}
	w.lock.Lock()
	defer w.lock.Unlock()
	s, known := w.without[x]
	if !known {
		s = w.sumWithout(x)
		w.without[x] = s
	}
	return s
}

// sumWithout returns the sum of f₀ for a row with a squared norm.
func (w *pathWorker) sumWithout(x float64) logsum.Sum {
	w.products = w.products[:0]
	for _, z := range w.group {
		w.products = append(w.products, w.entries.baseOf(x, z, 0))
	}
	w.entries.count.Add(int64(len(w.group)))
	w.entries.fromBase(w.products, &w.work)
	s := logsum.Zero()
	if w.entries.exponent == 0 {
		for g, v := range w.products {
			s.Rest += math.Exp(w.groupWeight[g]) * v
		}
		return s
	}
	for g, v := range w.products {
		s.AddLog(v + w.groupWeight[g])
	}
	return s
}

// addHits adds exponentials and takes away those that they stand in the place of.
func (w *pathWorker) addHits(s logsum.Sum) logsum.Sum {
	most := s.Most
	for i, j := range w.touched {
		log := weightLog(w.logWeight, int(j))
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
	w.entries.exp.Apply(w.hit, w.hit)
	w.entries.exp.Apply(w.miss, w.miss)
	for i, v := range w.hit {
		s.Rest += v - w.miss[i]
	}
	return s
}

// pathRows is how many rows are summed at a time.
const pathRows = 512

// pathEngine returns the engine with blocks as small as sparse rows need to keep all workers
// busy. Each row comes out the same whatever the block.
func pathEngine(e stream.Engine) stream.Engine {
	if e.BlockRows == 0 {
		e.BlockRows = pathRows
	}
	return e
}

// eachRow makes a pass over all rows of a side: the sums, as f gives them.
func (p *pathSums) eachRow(ctx context.Context, e stream.Engine, name string, rows source, f func(s logsum.Sum) float64) ([]float64, error) {
	sums := make([]float64, rows.sparse.Matrix.Rows)
	err := stream.Map(ctx, pathEngine(e), name, rows, 1, false, func() func(blas64.General, *stream.Block) error {
		w := p.worker()
		return func(dst blas64.General, b *stream.Block) error {
			for i := range dst.Rows {
				index, value := rows.sparse.Matrix.Row(int(b.Start) + i)
				dense.Row(dst, i)[0] = f(w.sum(index, value))
			}
			return nil
		}
	}, func(b *stream.Block, out blas64.General) error {
		for i := range out.Rows {
			sums[int(b.Start)+i] = dense.Row(out, i)[0]
		}
		return nil
	})
	return sums, err
}

// pathStatistics returns the sums and means of a graph by its paths; nil if they have to go
// over all entries.
func pathStatistics(ctx context.Context, e stream.Engine, d *Data, t *entries, centre bool) (*statistics, error) {
	left, right := d.left.sparse, d.right.sparse
	overRight := newPathSums(t, sparsePoints(right), nil)
	if overRight == nil {
		return nil, nil
	}
	s := &statistics{}
	var err error
	if t.normalised {
		if s.logSums, err = overRight.eachRow(ctx, e, "row sums", d.left, t.logOf); err != nil {
			return nil, err
		}
		for i, v := range s.logSums {
			if v-v != 0 {
				return nil, t.badSum(d.left.name(), int64(i), v)
			}
		}
	}
	if !centre {
		return s, nil
	}
	overLeft := newPathSums(t, sparsePoints(left), negated(s.logSums))
	if overLeft == nil {
		return nil, nil
	}
	n, m := float64(left.Matrix.Rows), float64(right.Matrix.Rows)
	mean := func(over float64) func(logsum.Sum) float64 {
		return func(s logsum.Sum) float64 { return t.weight * t.plain(s) / over }
	}
	if s.colMeans, err = overLeft.eachRow(ctx, e, "means", d.right, mean(n)); err != nil {
		return nil, err
	}
	if t.normalised {
		s.rowMeans = make([]float64, int(n))
		for i := range s.rowMeans {
			s.rowMeans[i] = t.weight / m
		}
	} else if s.rowMeans, err = overRight.eachRow(ctx, e, "means", d.left, mean(m)); err != nil {
		return nil, err
	}
	s.grand = dense.Sum(s.rowMeans) / n
	return s, s.check(t.kernel.String(), [2]string{d.left.name(), d.right.name()})
}

func negated(v []float64) []float64 {
	if v == nil {
		return nil
	}
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = -x
	}
	return out
}
