package ksvd

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/krylov"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Exact is KSVD (paper, Algorithm 1) by block Krylov iteration on exact tiles: the
// leading singular triplets of G to a residual. Centring multiplies by I − 11ᵀ/N from
// the left and I − 11ᵀ/M from the right; it is applied to the vectors, so it costs
// nothing, and the means that new rows need come from the first pass.
//
// New rows are embedded by u(x) = G(x, ·)·V·diag(σ)⁻¹ and v(z) = Gᵀ(z, ·)·U·diag(σ)⁻¹,
// which give U and V on the fitted rows up to residual/σ.
//
// Cost: one pass over each side, which loads the rows; then products with G of b = r + 8
// vectors from either side, one for each iteration: 4·N·M·b flops and all entries, which
// are made once if N·M ≤ [HeldEntries]. Memory: the rows twice, and 32·(N+M)·b numbers.
// Between sparse rows a tile costs its entries and the paths that run through it. The
// model holds all rows.
type Exact struct {
	Rank   int // r
	Passes int // iterations at most; 0 means 300
	// Tolerance on the residuals ‖Gv−σu‖ and ‖Gᵀu−σv‖ of all r triplets, relative to
	// the largest σ. A singular value is off by at most so much, and where a gap
	// separates it from others, by tolerance²/gap, a vector by tolerance/gap. 0 means 1e-10.
	Tolerance float64
	Centre    bool
	Seed      uint64
}

// HeldEntries is how many entries G may have to be held in memory: 128 MB.
const HeldEntries = 4000 * 4000

// inMemory reports whether G is held in memory.
func inMemory(s model.Shape) bool { return float64(s.Rows)*float64(s.Cols) <= HeldEntries }

func (m Exact) settings() (Exact, error) {
	if m.Passes == 0 {
		m.Passes = 300
	}
	if m.Tolerance == 0 {
		m.Tolerance = 1e-10
	}
	if m.Rank < 1 || m.Passes < 1 || !(m.Tolerance > 0) {
		return m, fmt.Errorf("rank %d and passes %d must be at least 1, and tolerance %v positive", m.Rank, m.Passes, m.Tolerance)
	}
	return m, nil
}

// Fit decomposes the kernel matrix of data.
func (m Exact) Fit(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel) (*Fit, error) {
	return model.Leave(ctx, e, d, k, m.fit)
}

// fit is Fit for who waits until it ends.
func (m Exact) fit(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel) (*Fit, error) {
	m, err := m.settings()
	if err != nil {
		return nil, err
	}
	if k, err = model.Resolve(ctx, d, k, m.Seed); err != nil {
		return nil, err
	}
	t, err := newEntries(k, d.sparse())
	if err != nil {
		return nil, err
	}
	g := &exact{Exact: m, engine: e, data: d, entries: t}
	if g.left, g.right, err = d.load(ctx, t); err != nil {
		return nil, err
	}
	op, err := g.operator(ctx)
	if err != nil {
		return nil, err
	}
	r, err := g.iterate(ctx, op)
	if err != nil {
		return nil, err
	}
	fit := &Fit{Model: g.model(r), U: r.U, V: r.V, Accuracy: math.NaN(), data: d, stats: g.stats}
	fit.Report = model.Report{KernelEntries: t.count.Load(), ExactPasses: g.grid.passes, SourcePasses: 1, Residuals: r.Residuals()}
	m.judge(&fit.Report, r)
	fit.Note(fit.vanishing()...)
	return fit, nil
}

// exact is a fit under way.
type exact struct {
	Exact
	engine      stream.Engine
	data        *Data
	entries     *entries
	left, right *points
	stats       *statistics
	grid        *grid
}

// operator returns G, with the row sums that it needs.
func (g *exact) operator(ctx context.Context) (op krylov.Operator, err error) {
	if g.entries.normalised && g.entries.pathSums(g.data.Shape()) {
		if g.stats, err = pathStatistics(ctx, g.engine, g.data, g.entries, false); err != nil {
			return nil, err
		}
	}
	g.grid = newGrid(g.engine, g.data, g.entries, g.left, g.right)
	if g.stats == nil {
		if g.stats, err = g.grid.statistics(ctx, false); err != nil {
			return nil, err
		}
	}
	tiles := &exactOperator{grid: g.grid, stats: g.stats, centre: g.Centre}
	if inMemory(g.data.Shape()) {
		return tiles.hold(ctx)
	}
	return tiles, nil
}

func (g *exact) iterate(ctx context.Context, op krylov.Operator) (*krylov.Triplets, error) {
	n, m := g.left.count(), g.right.count()
	return iteration{rank: min(g.Rank, n, m), tolerance: g.Tolerance, passes: g.Passes, seed: g.Seed, centred: g.Centre}.run(ctx, op, n, m)
}

// judge tells of a rank that was not reached, and of passes that ended before the
// tolerance was.
func (m Exact) judge(report *model.Report, r *krylov.Triplets) {
	report.Note(rankNote(len(r.Values), m.Rank)...)
	if worst := report.Residual(); worst > m.Tolerance {
		report.Unsettled = true
		report.Note(fmt.Sprintf("after %d iterations the residuals ‖Gv−σu‖ and ‖Gᵀu−σv‖ are up to %.1e of the largest singular value; more passes make them smaller", r.Passes, worst))
	}
}

func rankNote(found, asked int) []string {
	if found >= asked {
		return nil
	}
	return []string{fmt.Sprintf("rank %d found, %d asked for: the other singular values are rounding, or the matrix has no more", found, asked)}
}

// model makes both sides functions of a row.
func (g *exact) model(r *krylov.Triplets) *Model {
	d, s := g.data, g.stats
	over := dense.Reciprocals(r.Values)
	u, v := dense.Clone(r.U), dense.Clone(r.V)
	dense.ScaleColumns(u, over)
	dense.ScaleColumns(v, over)
	rows, cols := g.left.count(), g.right.count()
	return &Model{Method: "exact", Kernel: g.entries.kernel, Seed: g.Seed, Rows: int64(rows), Cols: int64(cols), Centred: g.Centre,
		Sums: SumsExact, Compatibility: d.kind, Values: r.Values,
		Left: &Side{left: true, Landmarks: landmarksOf(g.right), Rows: stream.Numbers(cols), Projection: v, Weights: slices.Repeat([]float64{1}, cols),
			Means: s.colMeans, GrandMean: s.grand, Map: d.maps[0]},
		Right: &Side{Landmarks: landmarksOf(g.left), Rows: stream.Numbers(rows), Projection: u, Weights: slices.Repeat([]float64{1}, rows),
			LogSums: s.logSums, Means: s.rowMeans, GrandMean: s.grand, Map: d.maps[1]}}
}

// exactOperator is G, centred or not, by exact passes.
type exactOperator struct {
	grid   *grid
	stats  *statistics
	centre bool
}

// beginMeans makes room for the means, which the first pass works out.
func (o *exactOperator) beginMeans() (first bool) {
	if !o.centre || o.stats.rowMeans != nil {
		return false
	}
	o.stats.rowMeans, o.stats.colMeans = make([]float64, o.grid.rows), make([]float64, o.grid.cols)
	return true
}

func (o *exactOperator) endMeans() error {
	o.stats.finish()
	return o.stats.check(o.grid.entries.kernel.String(), o.grid.name)
}

// Multiply makes an exact pass. A tile belongs to one row block of G·Q and one of
// Gᵀ·P, and each of them gets its tiles in a fixed order: see stream.Pairs.
func (o *exactOperator) Multiply(ctx context.Context, q, aq, p, atp blas64.General) error {
	dense.Clear(aq)
	dense.Clear(atp)
	first := o.beginMeans()
	err := o.grid.pairs(ctx, "exact pass", func() tileVisitor {
		return func(tile blas64.General, i, j int) error {
			o.grid.entries.divide(tile, o.stats.sumsOf(i, tile.Rows))
			if first {
				addMeans(tile, o.stats.rowMeans[i:], o.stats.colMeans[j:])
			}
			dense.Gemm(blas.NoTrans, blas.NoTrans, 1, tile, stream.RowSlice(q, j, tile.Cols), 1, stream.RowSlice(aq, i, tile.Rows))
			dense.Gemm(blas.Trans, blas.NoTrans, 1, tile, stream.RowSlice(p, i, tile.Rows), 1, stream.RowSlice(atp, j, tile.Cols))
			return nil
		}
	})
	if err == nil && first {
		err = o.endMeans()
	}
	if o.centre {
		o.stats.centreProducts(q, aq, p, atp)
	}
	return err
}

// centreProducts turns products with G into those with G centred from both sides. The
// vectors have a mean of 0 to rounding, but vectors that were short may have been made
// of rounding.
func (s *statistics) centreProducts(q, aq, p, atp blas64.General) {
	subtractOuter(aq, s.rowMeans, q)
	subtractOuter(atp, s.colMeans, p)
	dense.CentreColumns(aq)
	dense.CentreColumns(atp)
}

// subtractOuter takes v·(1ᵀq) away from m.
func subtractOuter(m blas64.General, v []float64, q blas64.General) {
	sums := make([]float64, q.Cols)
	for i := range q.Rows {
		for k, x := range dense.Row(q, i) {
			sums[k] += x
		}
	}
	for i := range m.Rows {
		row := dense.Row(m, i)
		for k := range row {
			row[k] -= v[i] * sums[k]
		}
	}
}

// hold returns G in memory, centred if it is to be. One exact pass.
func (o *exactOperator) hold(ctx context.Context) (krylov.Operator, error) {
	a := stream.NewMatrix(int(o.grid.rows), int(o.grid.cols))
	first := o.beginMeans()
	err := o.grid.pairs(ctx, "exact pass", func() tileVisitor {
		return func(tile blas64.General, i, j int) error {
			o.grid.entries.divide(tile, o.stats.sumsOf(i, tile.Rows))
			if first {
				addMeans(tile, o.stats.rowMeans[i:], o.stats.colMeans[j:])
			}
			for k := range tile.Rows {
				copy(dense.Row(a, i+k)[j:], dense.Row(tile, k))
			}
			return nil
		}
	})
	if err == nil && first {
		err = o.endMeans()
	}
	if err != nil {
		return krylov.Matrix{}, err
	}
	if o.centre {
		o.stats.centre(a)
	}
	return krylov.Matrix{General: a}, checkFinite("G", a)
}

// centre takes the means away from a block of G with the given rows and columns,
// nil for all.
func (s *statistics) centre(a blas64.General) {
	for i := range a.Rows {
		row := dense.Row(a, i)
		for j, v := range row {
			row[j] = v - s.rowMeans[i] - s.colMeans[j] + s.grand
		}
	}
}
