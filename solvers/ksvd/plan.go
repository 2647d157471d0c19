package ksvd

import (
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/stream"
)

// planner collects the items that methods have in common.
type planner struct {
	lowrank.Plan
	shape   Shape
	threads int64
}

func newPlanner(e stream.Engine, s Shape) *planner {
	p := &planner{shape: s, threads: int64(e.Workers())}
	p.Memory.Items = append(p.Memory.Items, stream.BudgetItem{What: "program and I/O buffers", Bytes: lowrank.RuntimeBytes})
	if s.Entries == 0 {
		e.PassBudget(&p.Memory, s.Columns)
	} else {
		// Indices of 4 bytes and values of 8, and starts of rows, of A and Aᵀ.
		p.Memory.Add("graph and its transpose", 3*s.Entries+s.Rows+s.Cols, "")
	}
	return p
}

// rows is what rows of one side take, as they are and packed.
func (p *planner) rows(n int64) int64 {
	if p.shape.Entries == 0 {
		return 2 * n * int64(p.shape.Columns)
	}
	mean := p.shape.Entries/max(1, p.shape.Rows) + 1
	return 3*n*mean + p.shape.Rows
}

// flops is the work of so many entries besides their profile.
func (p *planner) flops(entries float64) float64 {
	if p.shape.Entries == 0 {
		return 2 * entries * float64(p.shape.Columns)
	}
	mean := float64(p.shape.Entries) / float64(max(1, p.shape.Rows))
	return 2*entries*mean*mean/float64(max(1, p.shape.Rows)) + 2*entries
}

// exactPasses adds passes over all entries with b vectors on each side.
func (p *planner) exactPasses(n int, b int64) {
	s := p.shape
	entries := float64(n) * float64(s.Rows) * float64(s.Cols)
	p.KernelEntries += int64(min(entries, 1<<62))
	p.Flops += p.flops(entries) + 4*entries*float64(b)
	p.Memory.Add("tiles of an exact pass", p.threads*stream.PairRows*stream.PairRows, "--threads")
	if s.Entries == 0 {
		p.Memory.Add("all rows", p.rows(s.Rows)+p.rows(s.Cols), "the number of rows")
	} else {
		p.Memory.Add("column blocks of the graph", 3*s.Entries+(s.Cols/stream.PairRows+1)*s.Rows, "the number of nodes")
	}
}

// Plan works out the cost of a fit, with as many iterations as there may be at most
// of [Exact.Passes], or 10 by default.
func (m Exact) Plan(e stream.Engine, s Shape, k kernelgen.Kernel) (*lowrank.Plan, error) {
	iterations := m.Passes
	if iterations == 0 {
		iterations = 10
	}
	m, err := m.settings()
	if err != nil {
		return nil, err
	}
	p := newPlanner(e, s)
	b, passes := int64(m.Rank+krylovExtra), 0
	if _, normalised := k.Normaliser(); normalised {
		passes++
	}
	held := s.Rows*s.Cols <= HeldEntries
	if held {
		p.Memory.Add("G", s.Rows*s.Cols, "")
		p.Flops += 4 * float64(iterations) * float64(s.Rows) * float64(s.Cols) * float64(b)
		passes++
		p.exactPasses(passes, 0)
	} else {
		p.exactPasses(passes+iterations, b)
	}
	p.Memory.Add("Krylov spaces", (s.Rows+s.Cols)*b*(2*krylovBlocks+6), "--rank")
	p.Memory.Add("model", (s.Rows+s.Cols)*int64(2*m.Rank+3), "--rank")
	p.Passes = 1
	return &p.Plan, nil
}

// Plan works out the cost of a fit and, if factors shall be written, of the pass
// that makes them. With a tolerance it is that of the largest samples allowed. Exact
// sums of a graph are taken to go by its paths, see [Sums].
func (m Nystrom) Plan(e stream.Engine, s Shape, k kernelgen.Kernel, factors bool) (*lowrank.Plan, error) {
	m, err := m.settings(s)
	if err != nil {
		return nil, err
	}
	if m.Tolerance > 0 {
		m.Rows, m.Cols = int(min(s.Rows, int64(m.MaxSamples))), int(min(s.Cols, int64(m.MaxSamples)))
	}
	p := newPlanner(e, s)
	n, c, r := int64(m.Rows), int64(m.Cols), int64(m.Rank)
	_, normalised := k.Normaliser()
	exact, sums := m.exactSums(s, normalised)
	switch {
	case exact && s.Entries > 0:
		p.KernelEntries += int64(sums / pathCost)
		p.Flops += 4 * sums
		p.Memory.Add("sums over paths", 3*s.Rows+3*s.Cols+p.threads*2*max(s.Rows, s.Cols), "--sums sampled")
		p.Passes++
	case exact:
		p.exactPasses(exactSumPasses(normalised, m.Centre), 0)
		p.Passes++
	}
	p.Memory.Add("samples", p.rows(n)+p.rows(c), "--sample")
	p.Memory.Add("sampled block", 3*n*c, "--sample")
	p.Memory.Add("Krylov spaces of the block", (n+c)*(r+krylovExtra)*(2*krylovBlocks+6), "--rank")
	p.Memory.Add("tiles", p.threads*max(2*tileNumbers, 32*max(n, c)), "--threads")
	p.KernelEntries += n * c
	p.Flops += p.flops(float64(n*c)) + 40*float64(n*c)*float64(r+krylovExtra)
	sides := 0
	if m.Scaling != ScaleDerived {
		sides++
	}
	if m.Choice == ChoiceLeverage {
		sides++
		p.KernelEntries += n * c
		p.Memory.Add("leverage scores", 3*(s.Rows+s.Cols), "--samples uniform")
	}
	if factors {
		sides++
	}
	p.Passes += sides
	entries := float64(sides) * (float64(s.Rows)*float64(c) + float64(n)*float64(s.Cols))
	p.KernelEntries += int64(entries)
	p.Flops += p.flops(entries) + 2*entries*float64(r)
	return &p.Plan, nil
}

// Plan works out the cost of a fit.
func (m SSRSVD) Plan(e stream.Engine, s Shape) (*lowrank.Plan, error) {
	return m.lowrank().Plan(e, s.Rows, s.Cols, s.Columns)
}
