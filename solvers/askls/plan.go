package askls

import (
	"math"
	"math/bits"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Plan is what a fit will cost, worked out before a row is read.
type Plan struct {
	lowrank.Plan
	Engine Engine // the one that auto chooses
}

// plannedIterations is how many iterations of MINRES a plan counts with at most.
const plannedIterations = 100

// Plan works out the cost of a fit with so many classes; the kernel does not matter for
// an explicit matrix. Check its Memory against a limit: the error says which knob helps.
func (m Solver) Plan(e stream.Engine, s Shape, k kernelgen.Kernel, classes int) (*Plan, error) {
	m, err := m.settings(int(s.Samples))
	if err != nil {
		return nil, err
	}
	return m.plan(e, m.choose(s), s, k, classes)
}

// fits says that an engine makes do with the memory for two classes.
func (m Solver) fits(engine Engine, s Shape) bool {
	if m.Memory == 0 {
		return true
	}
	p, err := m.plan(stream.Engine{}, engine, s, kernelgen.SNE(1), 2)
	return err == nil && p.Memory.Check(m.Memory) == nil
}

func (m Solver) plan(e stream.Engine, engine Engine, s Shape, k kernelgen.Kernel, classes int) (*Plan, error) {
	p := &Plan{Engine: engine}
	if engine == EngineLowRank {
		return p, m.planLowRank(p, e, s, k, int64(classes))
	}
	n, c := s.Samples, int64(classes)
	p.Memory.Items = append(p.Memory.Items, stream.BudgetItem{What: "program and I/O buffers", Bytes: lowrank.RuntimeBytes})
	p.Passes = 1
	m.planMatrix(p, e, s, k, engine)
	if engine == EngineDense {
		m.planDense(p, n, c)
	} else if err := m.planIterative(p, e, s, k, c); err != nil {
		return nil, err
	}
	p.Memory.Add("model", 2*n*c, "")
	if m.Merge == MergeStack {
		p.Memory.Add("decisions out of fold", 6*n*c, "--merge average")
	}
	return p, nil
}

// planMatrix adds what K takes.
func (m Solver) planMatrix(p *Plan, e stream.Engine, s Shape, k kernelgen.Kernel, engine Engine) {
	n := s.Samples
	if s.Explicit {
		p.Memory.Add("matrix and its transpose", 3*s.Entries+4*n, "")
		return
	}
	e.PassBudget(&p.Memory, s.Sides.Columns)
	p.Memory.Add("all rows", 4*n*int64(s.Sides.Columns), "--engine lowrank")
	p.Memory.Add("tiles", int64(e.Workers())*stream.PairRows*stream.PairRows, "--threads")
	passes := int64(1)
	if _, normalised := k.Normaliser(); normalised {
		passes = 3 // row sums for the fit and for the model
	}
	if engine == EngineDense {
		p.KernelEntries += passes * n * n
		p.Memory.Add("kernel matrix", n*n, "--engine iterative or lowrank")
		return
	}
	p.KernelEntries += (passes - 1) * n * n
	if n <= 4000 {
		p.KernelEntries += n * n
		p.Memory.Add("kernel matrix", n*n, "--engine lowrank")
	}
}

func (m Solver) planDense(p *Plan, n, c int64) {
	size := 2*n + 2
	if m.Symmetry != Asymmetric {
		size = n + 1
	}
	const knob = "--engine iterative or lowrank"
	systems := int64(1)
	if m.Merge == MergeStack {
		systems = 2 // another for folds, where the kernel is normalised
	}
	p.Memory.Add("system and its factors", 2*systems*size*size, knob)
	p.Memory.Add("right sides and solutions", 8*size*c, "")
	cube := float64(size) * float64(size) * float64(size)
	p.Flops += 2 * cube // plain factors, and the square with its own where they are singular
	if m.Merge == MergeStack {
		out := (size + int64(m.Folds) - 1) / int64(m.Folds)
		p.Memory.Add("blocks of folds", 8*out*out+2*out*size, "--folds")
		p.Flops += 2*cube + 2*float64(size)*float64(size)*float64(out)
	}
}

func (m Solver) planIterative(p *Plan, e stream.Engine, s Shape, k kernelgen.Kernel, c int64) error {
	n := s.Samples
	sets := int64(1)
	if m.Merge == MergeStack {
		sets += int64(m.Folds)
	}
	columns := sets*c + probeColumns
	p.Memory.Add("vectors of MINRES", 13*(2*n+2)*columns, "--folds, or the number of classes")
	iterations := int64(min(m.Iterations, plannedIterations))
	r := int64(0)
	if !s.Explicit && int64(m.Rank) < n {
		r = int64(m.Rank)
		before, err := withFactors(m.nystrom(), e, s.Sides, k)
		if err != nil {
			return err
		}
		p.Include(before)
		p.Passes += before.Passes
	}
	p.Memory.Add("preconditioner", 4*n*(r+1)+6*(2*r+4)*(2*r+4), "--rank")
	p.Flops += float64(iterations) * float64(columns) * (8*float64(n)*float64(r+1) + 60*float64(n))
	if s.Explicit {
		p.Flops += float64(iterations) * float64(columns) * 4 * float64(s.Entries)
		return nil
	}
	if n > 4000 {
		p.KernelEntries += int64(math.Min(float64(iterations)*float64(n)*float64(n), 1<<62))
	}
	p.Flops += float64(iterations) * float64(columns) * 4 * float64(n) * float64(n)
	return nil
}

// withFactors is the cost of factors of K, and of a pass over them.
func withFactors(m ksvd.Method, e stream.Engine, s model.Shape, k kernelgen.Kernel) (*model.Plan, error) {
	p, err := m.Plan(e, s, k)
	if err != nil {
		return nil, err
	}
	factors, err := m.FactorPlan(e, s, k)
	if err != nil {
		return nil, err
	}
	p.Include(factors)
	p.Passes += factors.Passes
	return p, nil
}

func (m Solver) planLowRank(p *Plan, e stream.Engine, s Shape, k kernelgen.Kernel, c int64) error {
	var method ksvd.Method = m.nystrom()
	if m.Approximation == ApproximateSSRSVD {
		method = m.ssrsvd()
	}
	inner, err := withFactors(method, e, s.Sides, k)
	if err != nil {
		return err
	}
	p.Plan = *inner
	n, r, folds := s.Samples, int64(min(int64(m.Rank), s.Samples)), int64(1)
	if m.Merge == MergeStack {
		folds = int64(m.Folds)
		p.Passes++
		p.Memory.Add("decisions out of fold", 6*n*c, "--merge average")
		p.Flops += 4 * float64(n) * float64(r) * float64(c)
		p.KernelEntries += inner.KernelEntries / 2
	}
	width := 1 + r + c
	states := int64(bits.Len64(uint64(n/256+1))) + 3*int64(e.Workers()) + 3
	p.Memory.Add("triangular factors", states*2*folds*width*width, "--rank or --folds")
	p.Memory.Add("panels", int64(e.Workers())*2*int64(stream.BlockRows(s.Sides.Columns))*width, "--threads")
	p.Memory.Add("core", 8*(2*r+4)*(2*r+4), "--rank")
	p.Memory.Add("labels and targets", n*(c+2), "")
	p.Flops += 4*float64(n)*float64(width)*float64(width) + float64(folds+1)*9*math.Pow(float64(2*r+4), 3)
	return nil
}
