package transport

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/internal/logsum"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Exact solves the problem with all entries of K, in the domain of logarithms.
//
// Cost: one pass over each source, which loads the rows; then one visit of all m·n entries
// for each round, of half of them where one source is on both sides and the kernel is symmetric,
// and one for the report. Memory: the rows, and some 10·n numbers for the
// sums of a visit. The model holds the rows, but with [MapNearest].
type Exact struct {
	Sinkhorn
}

// Fit finds the plan between the rows of d.
func (m Exact) Fit(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel) (*Fit, error) {
	return model.Leave(ctx, e, d, k, m.fit)
}

// fit is Fit for who waits until it ends.
func (m Exact) fit(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel) (*Fit, error) {
	s, err := m.settings()
	if err != nil {
		return nil, err
	}
	if err := d.check(); err != nil {
		return nil, err
	}
	if k, err = model.Resolve(ctx, d, k, s.Seed); err != nil {
		return nil, err
	}
	x, err := newExact(ctx, e, s, d, k)
	if err != nil {
		return nil, err
	}
	f, err := x.solve(ctx)
	if err != nil {
		return nil, err
	}
	return f, f.finish(ctx, e, s, d, func(ctx context.Context, d *Data) (*Fit, error) {
		self, err := newExact(ctx, e, s, d, k)
		if err != nil {
			return nil, err
		}
		return self.solve(ctx)
	})
}

// exact is a solution under way: the logarithms of u and v.
type exact struct {
	*grid
	Sinkhorn
	f, g []float64
	// low and high are what the entries of log K are between, known after the first round.
	low, high float64
}

func newExact(ctx context.Context, e stream.Engine, s Sinkhorn, d *Data, k kernelgen.Kernel) (*exact, error) {
	g, err := newGibbs(k, s.Epsilon)
	if err != nil {
		return nil, err
	}
	left, err := loadPoints(ctx, d, model.Left)
	if err != nil {
		return nil, err
	}
	right := left
	if !d.oneSource() {
		if right, err = loadPoints(ctx, d, model.Right); err != nil {
			return nil, err
		}
	}
	x := &exact{grid: newGrid(e, g, left, right), Sinkhorn: s}
	x.g = slices.Clone(right.log) // v = b
	if x.f = x.g; !x.symmetric() {
		x.f = make([]float64, len(left.log))
	}
	return x, nil
}

// solve iterates, and makes a fit of what is found.
func (x *exact) solve(ctx context.Context) (*Fit, error) {
	before, err := x.warm(ctx)
	if err != nil {
		return nil, err
	}
	p := &progress{Sinkhorn: x.Sinkhorn}
	rounds, err := p.iterate(ctx, func(first bool) (float64, error) { return x.round(ctx, first) })
	if err != nil {
		return nil, err
	}
	end, err := x.measure(ctx)
	if err != nil {
		return nil, err
	}
	f := &Fit{Model: x.model(), solution: x, Rounds: rounds, Before: before, History: append(p.history, end.change), Cost: end.cost}
	f.Value = x.value(end)
	f.ExactPasses, f.SourcePasses, f.KernelEntries = x.passes, 1, x.entries.Load()
	f.judge(x.Sinkhorn)
	return f, nil
}

// round makes a round, and returns the error of the plan before it.
func (x *exact) round(ctx context.Context, first bool) (before float64, err error) {
	if x.symmetric() {
		return x.symmetricRound(ctx)
	}
	n := len(x.g)
	var sums []float64
	if !first && x.plain() && x.low >= -plainRange && x.high <= plainRange {
		sums, err = x.plainRound(ctx)
	} else {
		sums, err = x.logRound(ctx, first)
	}
	if err != nil {
		return 0, err
	}
	return sums[n] / sums[n+1], x.setRight(ctx, sums[:n])
}

// logRound makes u, and returns the masses of the columns with it and v before, and after
// them what a round changes of the masses of rows, and their sum.
func (x *exact) logRound(ctx context.Context, first bool) ([]float64, error) {
	n, exponent := len(x.g), x.exponent()
	x.low, x.high = math.Inf(-1), math.Inf(1)
	var lock sync.Mutex
	low, high := math.Inf(1), math.Inf(-1)
	sums, err := x.strips(ctx, "round", n+2, func() stripVisitor {
		weights := make([]float64, 64)
		return func(sum []float64, at int, logs blas64.General) error {
			if first {
				l, h := between(logs)
				lock.Lock()
				low, high = min(low, l), max(high, h)
				lock.Unlock()
			}
			for i := range logs.Rows {
				row := dense.Row(logs, i)
				dense.Axpy(1, x.g, row)
				s := logsum.Zero()
				s.Add(row)
				log := s.Log()
				if log-log != 0 {
					return x.badSum(x.left.name, x.left.numberOf(at+i), log)
				}
				f := x.left.log[at+i] - exponent*log
				after := math.Exp(f + log)
				if !first {
					sum[n] += math.Abs(math.Exp(x.f[at+i]+log) - after)
				}
				sum[n+1] += after
				x.f[at+i], weights[i] = f, math.Exp(f+s.Most)
			}
			addProducts(sum[:n], logs, weights)
			return nil
		}
	})
	if first {
		x.low, x.high = low, high
	}
	return sums, err
}

// between returns the least and the largest entry.
func between(m blas64.General) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for i := range m.Rows {
		for _, v := range dense.Row(m, i) {
			low, high = min(low, v), max(high, v)
		}
	}
	return low, high
}

// plainRange is how large logarithms of K are where sums are made of K itself, with u and v as
// numbers: whose logarithms differ no more than those of K, and those of the masses. Then no
// product of the three leaves the range of float64 that matters.
const plainRange = 150

// plainRound is logRound without logarithms, but for those of sums: a third of the time.
func (x *exact) plainRound(ctx context.Context) ([]float64, error) {
	n, exponent := len(x.g), x.exponent()
	most := slices.Max(x.g)
	v := make([]float64, n)
	for j, g := range x.g {
		v[j] = math.Exp(g - most)
	}
	sums, err := x.plainStrips(ctx, "round", n+2, func() stripVisitor {
		products, weights := make([]float64, 64), make([]float64, 64)
		return func(sum []float64, at int, strip blas64.General) error {
			gemv(blas.NoTrans, strip, v, 0, products[:strip.Rows])
			for i, product := range products[:strip.Rows] {
				log := math.Log(product) + most
				if log-log != 0 {
					return x.badSum(x.left.name, x.left.numberOf(at+i), log)
				}
				f := x.left.log[at+i] - exponent*log
				after := math.Exp(f + log)
				sum[n] += math.Abs(math.Exp(x.f[at+i]+log) - after)
				sum[n+1] += after
				x.f[at+i], weights[i] = f, math.Exp(f+most)
			}
			addProducts(sum[:n], strip, weights)
			return nil
		}
	})
	for j := range x.g { // the masses of columns are with v, not with the largest of it
		if err == nil {
			sums[j] *= v[j]
		}
	}
	return sums, err
}

// addProducts adds stripᵀ·w to sum.
func addProducts(sum []float64, strip blas64.General, w []float64) {
	blas64.Gemv(blas.Trans, 1, strip, dense.Vector(w[:strip.Rows]), 1, dense.Vector(sum))
}

// vanishing is below what the mass of a column, made with v before a round, has lost digits.
const vanishing = 1e-280

// setRight makes v of the masses of the columns that u and v before it give.
func (x *exact) setRight(ctx context.Context, masses []float64) error {
	logs, err := x.logsOf(ctx, masses)
	exponent := x.exponent()
	for j, log := range logs {
		x.g[j] = x.right.log[j] - exponent*log
	}
	return err
}

// logsOf returns the logarithms of Kᵀu, of the masses of the columns that u and v give.
func (x *exact) logsOf(ctx context.Context, masses []float64) ([]float64, error) {
	logs := make([]float64, len(masses))
	var lost []int
	for j, mass := range masses {
		if logs[j] = math.Log(mass) - x.g[j]; !(mass > vanishing) || math.IsInf(mass, 1) {
			lost = append(lost, j)
		}
	}
	again, err := x.columnSums(ctx, lost)
	if err != nil {
		return nil, err
	}
	for k, j := range lost {
		if logs[j] = again[k]; again[k]-again[k] != 0 {
			return nil, x.badSum(x.right.name, x.right.numberOf(j), again[k])
		}
	}
	return logs, nil
}

// lostColumns is how many columns are summed at a time by themselves.
const lostColumns = 64

// columnSums returns the logarithms of Kᵀu for some columns, those whose masses vanish beside
// those of others.
func (x *exact) columnSums(ctx context.Context, columns []int) ([]float64, error) {
	logs := make([]float64, 0, len(columns))
	for first := 0; first < len(columns); first += lostColumns {
		some := columns[first:min(first+lostColumns, len(columns))]
		panel := x.pack(dense.PickRows(x.right.rows, some))
		sums := make([]logsum.Sum, len(some))
		for j := range sums {
			sums[j] = logsum.Zero()
		}
		src := stream.NewRowNumbers(x.left.name, int64(x.left.rows.Rows))
		err := stream.Map(ctx, x.engine, "columns", src, len(some), false, func() func(blas64.General, *stream.Block) error {
			var w kernelgen.Workspace
			return func(dst blas64.General, b *stream.Block) error {
				x.fill(dst, stream.RowSlice(x.left.rows, int(b.Start), dst.Rows), panel, &w)
				return nil
			}
		}, func(b *stream.Block, out blas64.General) error {
			for i := range out.Rows {
				for j, log := range dense.Row(out, i) {
					sums[j].AddLog(log + x.f[int(b.Start)+i])
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		for _, s := range sums {
			logs = append(logs, s.Log())
		}
	}
	return logs, nil
}

// measures are what a visit of the plan tells.
type measures struct {
	mass   float64 // of the plan
	change float64 // what another step for u would change of the masses of rows, relative to mass
	cost   float64 // ⟨T, C⟩
}

// measure visits the plan.
func (x *exact) measure(ctx context.Context) (measures, error) {
	exponent := x.exponent()
	sums, err := x.strips(ctx, "cost", 4, func() stripVisitor {
		var raw []float64
		return func(sum []float64, at int, logs blas64.General) error {
			for i := range logs.Rows {
				row := dense.Row(logs, i)
				raw = append(raw[:0], row...)
				dense.Axpy(1, x.g, row)
				s := logsum.Zero()
				s.Add(row)
				log := s.Log()
				now, after := math.Exp(x.f[at+i]+log), math.Exp(x.left.log[at+i]-exponent*log+log)
				sum[0] += now
				sum[1] += math.Abs(now - after)
				sum[2] += after
				sum[3] -= x.Epsilon * math.Exp(x.f[at+i]+s.Most) * dotFinite(row, raw)
			}
			return nil
		}
	})
	if err != nil {
		return measures{}, err
	}
	return measures{mass: sums[0], change: sums[1] / sums[2], cost: sums[3]}, nil
}

// dotFinite returns Σ p_j·log_j, without terms whose p_j is 0.
func dotFinite(p, log []float64) (sum float64) {
	for j, v := range p {
		if v != 0 {
			sum += v * log[j]
		}
	}
	return sum
}

// value returns the regularised value, that of the dual problem at u and v: see [Fit].
func (x *exact) value(end measures) float64 {
	return x.dual(x.f, x.left.log) + x.dual(x.g, x.right.log) - x.Epsilon*(end.mass-1)
}

// dual returns the part of the dual problem's value that the scalings of one side have.
func (s Sinkhorn) dual(scaling, mass []float64) (sum float64) {
	for i, f := range scaling {
		a, potential := math.Exp(mass[i]), s.Epsilon*(f-mass[i])
		if s.Relax > 0 {
			potential = -s.Relax * math.Expm1(-potential/s.Relax)
		}
		sum += a * potential
	}
	return sum
}

// model returns the maps of both sides by the kernel.
func (x *exact) model() *Model {
	m := &Model{Engine: EngineExact, Kernel: x.kernel, Epsilon: x.Epsilon, Relax: x.Relax, Seed: x.Seed,
		Rows: int64(x.left.rows.Rows), Cols: int64(x.right.rows.Rows)}
	m.Left = &Map{Points: x.right.rows, Logs: x.g}
	m.Right = &Map{Points: x.left.rows, Logs: x.f}
	return m
}

// Plan returns the cost of a fit.
func (m Exact) Plan(e stream.Engine, s model.Shape, k kernelgen.Kernel) (*model.Plan, error) {
	set, err := m.settings()
	if err != nil {
		return nil, err
	}
	if err := k.CheckPlain(); err != nil {
		return nil, err
	}
	cols := s.Cols
	if s.OneSource() {
		cols = s.Rows
	}
	p := model.NewPlan(e, s.Longest(), s.Columns)
	e.BlockRows = gridRows
	p.Add("rows", 2*(s.Rows+2*cols)*int64(s.Columns), "")
	p.Add("scalings", 3*(s.Rows+cols), "")
	p.Add("strips", int64(e.Workers()*stripRows(int(cols)))*cols, "`threads`")
	p.Add("sums of columns", e.FoldStates(s.Rows, 0)*cols, "`threads`")
	visits := float64(set.Rounds + 1)
	entries := float64(s.Rows) * float64(cols)
	solves := 1.0
	if set.Divergence {
		solves += float64(s.Rows)/float64(cols) + float64(cols)/float64(s.Rows)
	}
	if s.OneSource() && k.Symmetric() {
		solves = 0.5
	}
	p.AddEntries(entries * visits * solves)
	p.Passes, p.ExactPasses = 1, int(visits)
	p.ByOne("the rows are in the memory of one process")
	p.Notes = append(p.Notes, fmt.Sprintf("a round visits all %.3g entries; there are at most %d", entries, set.Rounds))
	return p, nil
}
