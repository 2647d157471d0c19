package ism

import (
	"math"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/tilesize"
)

// plannedTries is the number of W assumed by a plan.
const plannedTries = 10

// Plan returns the cost of a fit to data of size s with a kernel. The numbers of iterations and rounds depend on the
// data: the plan assumes 10 of each, or Iterations if that is less.
func (m Solver) Plan(e stream.Engine, s model.Size, k kernelgen.Kernel) (*model.Plan, error) {
	m, err := m.settings()
	if err != nil {
		return nil, err
	}
	terms, err := termsOf(k)
	if err != nil {
		return nil, err
	}
	if err := m.checkResponse(s); err != nil {
		return nil, err
	}
	n, d := s.Rows, s.Columns
	choice, err := m.chooseEngine(int(n), d, terms)
	if err != nil {
		return nil, err
	}
	e.BlockRows = passRows(choice, e, d)
	p := &plan{Plan: model.NewPlan(e, n, d), engine: e, solver: m, terms: terms, n: n, d: int64(d), tries: int64(min(plannedTries, m.Iterations))}
	if m.Paradigm != Supervised {
		p.tries = int64(min(plannedTries, m.Iterations*m.Rounds))
	}
	p.Choice.Name = choice.String()
	p.gamma(s)
	p.Add("sample", 2*int64(m.sampleSize(int(n)))*p.d, "")
	if constantPhi(terms) {
		p.tries = 1
	}
	switch {
	case choice == AlgorithmExact:
		p.exact()
		p.SetNotShardable("the exact engine visits all pairs of rows, which are in memory; use `Algorithm linear`")
	case m.Paradigm != Supervised:
		p.linear()
		p.SetNotShardable("clusters are found in all projected rows, which are in memory; `Paradigm supervised` needs none")
	default:
		p.linear()
		p.SharedPasses, p.MorePasses = []string{"columns", "start", "iteration"}, true
	}
	p.Add("Φ and its eigenvectors", 2*p.d*p.d+leadingNumbers(p.d, int64(m.Dim)), "the number of columns")
	return p.Plan, nil
}

// plan is a plan under construction.
type plan struct {
	*model.Plan
	engine stream.Engine
	solver Solver
	terms  []term
	n, d   int64
	k      int64 // columns of the factors of Γ
	tries  int64 // number of W
}

// gamma adds the memory of Γ and the clusters.
func (p *plan) gamma(s model.Size) {
	switch n := p.n; {
	case s.Classes > 0:
		p.k = int64(s.Classes)
		p.Add("classes", n/2+1, "")
	case s.Targets > 0:
		p.k = int64(s.Targets)
		p.Add("factors of what is known", 2*n*p.k, "the rank of the kernel of targets")
	}
	if c := int64(p.solver.Clusters); p.solver.Paradigm != Supervised {
		p.k += c
		p.Add("spectral embedding and its centred copy", 4*p.n*c, "`Clusters`")
		p.Add("projected rows", p.n*int64(p.solver.Dim), "`Dim`")
		p.Add("k-means", 2*p.n, "")
		rounds := min(plannedTries, p.solver.Rounds)
		p.SourcePasses += rounds + 4 // projections, and the first Y
		features := int64(len(p.terms)) * min(p.n, int64(max(embeddingLandmarks, p.solver.Landmarks)))
		p.KernelEntries += int64(rounds+1) * (3*p.n + int64(p.solver.sampleSize(int(p.n)))) * features
	}
}

// exact adds the cost of the exact engine: the upper half of all pairs for each W, and all rows in memory.
func (p *plan) exact() {
	p.SourcePasses += 2
	n, q := float64(p.n), int64(p.solver.Dim)
	functions := float64(len(p.terms))
	for _, t := range p.terms {
		if t.Ratio == 0 { // f' is not a multiple of f
			functions++
		}
	}
	p.KernelEntries += p.tries * int64(math.Min(n*(n+tilesize.PairRows)/2*functions, 1<<56))
	p.Add("all rows, twice", 2*p.n*p.d, "`Algorithm linear`")
	p.Add("projected rows and degrees", p.n*(q+2), "`Dim`")
	p.Add("factors of Γ, twice", 2*p.n*p.k, "")
	p.Add("tiles", int64(p.engine.Workers())*tilesize.PairRows*5*tilesize.PairRows, "`Engine.Threads`")
}

// linear adds the cost of the linear engine: one or two passes for each W, and accumulators of k·d·r numbers for r
// features.
func (p *plan) linear() {
	most, d, k, q := min(p.n, int64(p.solver.Landmarks)), p.d, p.k, int64(p.solver.Dim)
	r, more, light := int64(0), int64(0), int64(0) // columns for f', for f, and of the light pass
	for _, t := range p.terms {
		if t.Slope.Flat {
			r++
			continue
		}
		r += most
		if t.Base == kernelgen.SquaredDistance {
			light += most
		}
		if t.Ratio == 0 {
			more += most
		}
	}
	const panel = tilesize.PanelRows
	p.SourcePasses += 2 + int(p.tries)
	if light > 0 {
		p.SourcePasses += int(p.tries)
	}
	p.KernelEntries += p.tries * (p.n*(r+more+light) + min(p.n, 2*most)*(r+more))
	p.Add("choice of landmarks", 8*most*most, "`Landmarks`")
	p.Fold("sums of a pass", p.n, int(d), k*(d*r+r+more)+d*d, "`Landmarks`")
	p.Add("panels", p.engine.PassWorkers(p.n, int(d))*panel*(2*d+q+2*r+more), "`Landmarks`")
	p.Add("products of sums", 4*d*r, "`Landmarks`")
}
