package transport

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/internal/logsum"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Exact solves the problem with all entries of K, in the log domain. If ε is below 1/150 of the largest cost, the
// iterations start from a larger ε and lower it in stages. Iterations of all stages count.
//
// Cost: one pass over each source, which loads the rows. Each iteration computes all m·n kernel entries; the report
// computes them once more. Memory: the rows and about 10·n numbers. The model holds the rows.
type Exact struct {
	Sinkhorn
}

// Fit finds the plan between the rows of d.
func (m Exact) Fit(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel) (*Fit, error) {
	return family.RunFit(ctx, e, m, d, k, m.fit)
}

// fit implements Fit.
func (m Exact) fit(ctx context.Context, e stream.Engine, d *Data, k kernelgen.Kernel) (*Fit, error) {
	return m.Sinkhorn.fit(ctx, e, d, k,
		func(ctx context.Context, s Sinkhorn, d *Data, k kernelgen.Kernel) (*Fit, error) {
			x, err := newExactIteration(ctx, e, s, d, k)
			if err != nil {
				return nil, err
			}
			return x.solve(ctx)
		})
}

// exactIteration is the state of the iteration: the logarithms of u and v.
type exactIteration struct {
	*grid
	Sinkhorn
	f, g     []float64
	moderate bool // |log K| is at most plainRange; false before the first iteration

	target float64   // the ε of the fit; Epsilon is that of the stage
	logK   *extremes // for the target; set in the first iteration
	stages stages
	spent  int64 // kernel entries of earlier stages
}

// newExactIteration loads both sides and starts from v = b. If one source provides both sides they share the rows, and
// for a symmetric kernel the logarithms.
func newExactIteration(ctx context.Context, e stream.Engine, s Sinkhorn, d *Data,
	k kernelgen.Kernel) (*exactIteration, error) {
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
	x := &exactIteration{grid: newGrid(e, g, left, right), Sinkhorn: s, target: s.Epsilon, logK: newExtremes()}
	x.g = slices.Clone(right.log) // v = b
	if x.f = x.g; !x.symmetric() {
		x.f = make([]float64, len(left.log))
	}
	return x, nil
}

// solve iterates, and returns the fit with its maps.
func (x *exactIteration) solve(ctx context.Context) (*Fit, error) {
	history, err := x.iterate(ctx, func(first bool) (before float64, more bool, err error) {
		if before, err = x.step(ctx, first); err == nil {
			more, err = x.lower(first, before)
		}
		return before, more, err
	})
	if err != nil {
		return nil, err
	}
	end, err := x.measure(ctx)
	if err != nil {
		return nil, err
	}
	m := &Model{Algorithm: AlgorithmExact, Left: &Mapping{Points: x.right.rows, Logs: x.g}, Right: &Mapping{Points: x.left.rows, Logs: x.f}}
	f := &Fit{Model: m, History: append(history, end.change), Cost: end.cost}
	f.Iterations = len(f.History)
	f.Value = x.dual(x.f, x.left.log) + x.dual(x.g, x.right.log) - x.Epsilon*(end.mass-1)
	f.ExactPasses, f.SourcePasses, f.KernelEntries = x.passes, 1, x.spent+x.entries()
	f.judge(x.MarginalTol)
	return f, nil
}

// plainRange bounds |log K| for sums of K itself instead of logarithms, which take a third of the time. Then the
// logarithms of u and v differ by no more than those of K and of the masses, and no product of the three overflows.
const plainRange = 150

// step makes an iteration, and returns the error of the plan before it.
func (x *exactIteration) step(ctx context.Context, first bool) (before float64, err error) {
	if x.symmetric() {
		return x.symmetricStep(ctx)
	}
	n, exponent := len(x.g), x.exponent()
	entries, rowSums := x.logs, func(strip blas64.General, logs, shifts []float64) {
		if first {
			x.logK.observe(strip)
		}
		for i := range strip.Rows {
			s := weights(matrix.Row(strip, i), x.g)
			logs[i], shifts[i] = s.Log(), s.Max
		}
	}
	var v []float64 // for plain K: exp(g − its maximum)
	if x.moderate && x.power != nil {
		most := slices.Max(x.g)
		v = make([]float64, n)
		for j, g := range x.g {
			v[j] = math.Exp(g - most)
		}
		entries, rowSums = x.power, func(strip blas64.General, logs, shifts []float64) {
			blas64.Gemv(blas.NoTrans, 1, strip, dense.Vector(v), 0, dense.Vector(logs[:strip.Rows]))
			for i, product := range logs[:strip.Rows] {
				logs[i], shifts[i] = math.Log(product)+most, most
			}
		}
	}
	// The masses of the columns with the new u, the change of the row masses, and their sum.
	sums, err := x.strips(ctx, entries, "round", n+2, func() stripVisitor {
		logs, scales := make([]float64, 64), make([]float64, 64)
		return func(sum []float64, at int, strip blas64.General) error {
			rowSums(strip, logs, scales)
			for i, log := range logs[:strip.Rows] {
				if !matrix.IsFinite(log) {
					return x.badSum(x.left.name, x.left.numberOf(at+i), log)
				}
				f := x.left.log[at+i] - exponent*log
				after := math.Exp(f + log)
				if !first {
					sum[n] += math.Abs(math.Exp(x.f[at+i]+log) - after)
				}
				sum[n+1] += after
				x.f[at+i], scales[i] = f, math.Exp(f+scales[i])
			}
			blas64.Gemv(blas.Trans, 1, strip, dense.Vector(scales[:strip.Rows]), 1, dense.Vector(sum[:n]))
			return nil
		}
	})
	if err != nil {
		return 0, err
	}
	for j, w := range v {
		sums[j] *= w
	}
	if first {
		x.moderate = x.logK.largestAbs <= plainRange
	}
	logs, err := x.logsOf(ctx, sums[:n])
	for j, log := range logs {
		x.g[j] = x.right.log[j] - exponent*log
	}
	return sums[n] / sums[n+1], err
}

// weights adds the logarithms of scalings to a row of log K, and returns the sum of the exponentials. It replaces the
// row by the exponentials, divided by the largest.
func weights(row, logs []float64) logsum.Sum {
	matrix.Axpy(1, logs, row)
	s := logsum.Zero()
	s.Add(row)
	return s
}

// leastColumnMass is the smallest accurate mass of a column, computed with the v before an iteration.
const leastColumnMass = 1e-280

// logsOf returns the logarithms of Kᵀu, from the masses of the columns with u and the previous v.
func (x *exactIteration) logsOf(ctx context.Context, masses []float64) ([]float64, error) {
	logs := make([]float64, len(masses))
	var lost []int
	for j, mass := range masses {
		if logs[j] = math.Log(mass) - x.g[j]; !(mass > leastColumnMass) || math.IsInf(mass, 1) {
			lost = append(lost, j)
		}
	}
	for some := range slices.Chunk(lost, lostColumns) {
		sums, err := x.columnSums(ctx, some)
		if err != nil {
			return nil, err
		}
		for k, j := range some {
			if logs[j] = sums[k].Log(); logs[j]-logs[j] != 0 {
				return nil, x.badSum(x.right.name, x.right.numberOf(j), logs[j])
			}
		}
	}
	return logs, nil
}

// lostColumns is the number of columns summed separately at a time.
const lostColumns = 64

// columnSums returns Kᵀu for a few columns whose masses are negligible compared with those of others.
func (x *exactIteration) columnSums(ctx context.Context, columns []int) ([]logsum.Sum, error) {
	right := &tiles.Rows{Dense: dense.PickRows(x.right.rows, columns)}
	sums := make([]logsum.Sum, len(columns))
	src := &stream.RowNumbers{Name: x.left.name, Rows: int64(x.left.rows.Rows)}
	err := stream.Map(ctx, x.engine, "columns", src, len(columns), false, func() func(blas64.General, *stream.Block) error {
		var w kernelgen.Workspace
		return func(dst blas64.General, b *stream.Block) error {
			x.logs.FillDense(dst, matrix.Rows(x.left.rows, int(b.Start), dst.Rows), right, &w)
			return nil
		}
	}, func(b *stream.Block, out blas64.General) error {
		for i := range out.Rows {
			for j, log := range matrix.Row(out, i) {
				sums[j].AddLog(log + x.f[int(b.Start)+i])
			}
		}
		return nil
	})
	return sums, err
}

// planStatistics are statistics of the plan.
type planStatistics struct {
	mass   float64
	change float64 // the change that another step for u would make to the masses of rows, relative to mass
	cost   float64 // ⟨T, C⟩
}

// measure computes the statistics in a pass over the plan.
func (x *exactIteration) measure(ctx context.Context) (planStatistics, error) {
	exponent := x.exponent()
	sums, err := x.strips(ctx, x.logs, "cost", 4, func() stripVisitor {
		var raw []float64
		return func(sum []float64, at int, logs blas64.General) error {
			for i := range logs.Rows {
				row := matrix.Row(logs, i)
				raw = append(raw[:0], row...)
				s := weights(row, x.g)
				log := s.Log()
				now, after := math.Exp(x.f[at+i]+log), math.Exp(x.left.log[at+i]-exponent*log+log)
				sum[0] += now
				sum[1] += math.Abs(now - after)
				sum[2] += after
				sum[3] -= x.Epsilon * math.Exp(x.f[at+i]+s.Max) * dotFinite(row, raw)
			}
			return nil
		}
	})
	if err != nil {
		return planStatistics{}, err
	}
	return planStatistics{mass: sums[0], change: sums[1] / sums[2], cost: sums[3]}, nil
}

// dotFinite returns Σ p_j·log_j, without terms for p_j = 0.
func dotFinite(p, log []float64) (sum float64) {
	for j, v := range p {
		if v != 0 {
			sum += v * log[j]
		}
	}
	return sum
}

// dual returns one side's part of the dual value.
func (s Sinkhorn) dual(scaling, mass []float64) (sum float64) {
	for i, f := range scaling {
		a, potential := math.Exp(mass[i]), s.Epsilon*(f-mass[i])
		if s.MarginalPenalty > 0 {
			potential = -s.MarginalPenalty * math.Expm1(-potential/s.MarginalPenalty)
		}
		sum += a * potential
	}
	return sum
}

// Plan returns the cost of a fit.
func (m Exact) Plan(e stream.Engine, s model.Size, k kernelgen.Kernel) (*model.Plan, error) {
	set, err := m.settings()
	if err != nil {
		return nil, err
	}
	if err := k.CheckPlain(); err != nil {
		return nil, err
	}
	cols := columns(s)
	p := model.NewPlan(e, s.Longest(), s.Columns)
	e.BlockRows = gridRows
	p.Add("rows", 2*(s.Rows+2*cols)*int64(s.Columns), "")
	p.Add("scalings", 3*(s.Rows+cols), "")
	p.Add("strips", int64(e.Workers()*stripRows(int(cols)))*cols, "`Engine.Threads`")
	p.Add("sums of columns", e.FoldStates(s.Rows, 0)*cols, "`Engine.Threads`")
	visits := float64(set.Iterations + 1)
	entries := float64(s.Rows) * float64(cols)
	p.AddEntries(entries * visits)
	p.SourcePasses, p.ExactPasses = 1, int(visits)
	p.SetNotShardable("the rows are in the memory of one process")
	p.Notes = append(p.Notes, fmt.Sprintf("an iteration has %.3g kernel entries; there are at most %d iterations", entries, set.Iterations))
	return p, nil
}
