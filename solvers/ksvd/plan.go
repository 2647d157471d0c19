package ksvd

import (
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// planner collects the items that methods have in common.
type planner struct {
	*model.Plan
	shape   model.Shape
	threads int64
}

func newPlanner(e stream.Engine, s model.Shape, t *entries) *planner {
	if s.Sparse == nil {
		return &planner{model.NewPlan(e, s.Columns), s, int64(e.Workers())}
	}
	p := &planner{model.NewPlan(e, 0), s, int64(e.Workers())}
	// Indices of 4 bytes and values of 8, and starts of rows, of A and Aᵀ.
	p.Add("graph and its transpose", 3*s.Sparse.Entries+s.Rows+s.Cols, "")
	if t.words {
		p.Add("rows to work out the kernel from", 3*int64(sampledRows(s, model.ResolveRows))*s.Rows, "a `kernel` with numbers")
	}
	return p
}

// What takes longer than a flop of a product of dense matrices, in such flops: measured
// where these take 0.03 ns.
const (
	pathFlops   = 1000 // a step along a path, to a place in memory that is not near
	pairFlops   = 3000 // a pair of rows that a path joins, besides its paths
	sparseFlops = 40   // a flop of a product with a sparse matrix
	entryFlops  = 50   // an entry of a tile
	sparseEntry = 200  // what an entry between sparse rows takes besides
)

// work is what there is to do.
type work struct{ entries, flops float64 }

func (w *work) add(entries, flops float64) {
	w.entries += entries
	w.flops += flops
}

// time returns how long it takes, in flops.
func (w work) time() float64 { return w.entries*entryFlops + w.flops }

// count adds work.
func (p *planner) count(w work) { p.Work(w.entries, w.flops) }

// tileWork returns the work of so many entries in tiles, besides what is made of them. Between
// sparse rows they cost their share of the paths and a look at every entry.
func tileWork(s model.Shape, entries float64) work {
	if s.Sparse == nil {
		return work{entries, 2 * entries * float64(s.Columns)}
	}
	return work{entries, sparseEntry*entries + pathFlops*float64(s.Sparse.Paths)*entries/(float64(s.Rows)*float64(s.Cols))}
}

// pathSumWork returns the work of so many sums over paths for all rows of a side.
func (e *entries) pathSumWork(s model.Shape, times int) work {
	groups := float64(max(s.Rows, s.Cols)) // one for each row
	if e.base == kernelgen.SquaredDistance && e.exponent == 0 {
		groups = float64(s.Sparse.Norms[0]) * float64(s.Sparse.Norms[1])
	}
	n := float64(times)
	return work{n * (float64(s.Sparse.Pairs) + groups), n * (pathFlops*float64(s.Sparse.Paths) + pairFlops*float64(s.Sparse.Pairs))}
}

// rows returns what rows of one side take, as they are and packed.
func (p *planner) rows(n int64) int64 {
	if p.shape.Sparse == nil {
		return 2 * n * int64(p.shape.Columns)
	}
	return 3*n*p.meanEntries() + p.shape.Rows
}

// meanEntries returns how many entries a sparse row has.
func (p *planner) meanEntries() int64 { return p.shape.Sparse.Entries/max(1, p.shape.Rows) + 1 }

// model adds what a model takes: numbers for each landmark, and what is written of
// them, and of the rows that are kept for the sums of new ones.
func (p *planner) model(landmarks, kept, rank int64, knob string) {
	copied := (landmarks + kept) * int64(p.shape.Columns)
	if p.shape.Sparse != nil { // numbers of columns are whole
		copied = (landmarks + kept) * (p.meanEntries() + 1)
	}
	p.Add("model", landmarks*(3*rank+5)+2*kept+copied, knob)
}

// exactPasses adds what passes over all entries hold.
func (p *planner) exactPasses() {
	s := p.shape
	p.Add("tiles of an exact pass", p.threads*stream.PairRows*stream.PairRows, "`threads`")
	if s.Sparse != nil {
		p.Add("column blocks of the graph", 3*s.Sparse.Entries+(s.Cols/stream.PairRows+1)*s.Rows, "the number of nodes")
	} else {
		p.Add("all rows", p.rows(s.Rows)+p.rows(s.Cols), "the number of rows")
	}
}

// pathSums adds what sums over paths hold: norms and sums, inner products of each
// worker, and sums by norms.
func (p *planner) pathSums(t *entries, knob string) {
	s := p.shape
	numbers := 3*s.Rows + 3*s.Cols + p.threads*2*max(s.Rows, s.Cols)
	if t.base == kernelgen.SquaredDistance && t.exponent == 0 {
		numbers += 8 * (s.Sparse.Norms[0] + s.Sparse.Norms[1])
	}
	p.Add("sums over paths", numbers, knob)
}

// krylovWork returns the work of one iteration besides the products with the matrix: b vectors
// made orthogonal to spaces of 5·b on average, and what is small.
func krylovWork(rows, cols int64, b float64) float64 {
	return 260*float64(rows+cols)*b*b + 2e4*b*b*b
}

// plannedIterations is how many iterations are planned with at most.
const plannedIterations = 24

// vectors returns how many vectors there are in a product.
func (m Exact) vectors(s model.Shape) float64 {
	return float64(min(int64(m.Rank), s.Rows, s.Cols) + krylovExtra)
}

// tileWork returns the work of all products by tiles, and of what comes before.
func (m Exact) tileWork(s model.Shape, t *entries) work {
	all := float64(s.Rows) * float64(s.Cols)
	passes, iterations := 0, float64(min(m.Passes, plannedIterations))
	var w work
	switch {
	case t.normalised && t.pathSums(s):
		w = t.pathSumWork(s, 1)
	case t.normalised:
		passes++
	}
	if inMemory(s) {
		passes++
	} else {
		passes += int(iterations)
	}
	tiles := tileWork(s, float64(passes)*all)
	w.add(tiles.entries, tiles.flops+iterations*4*all*m.vectors(s))
	return w
}

// pathWork returns the work of all products by paths, and of what comes before.
func (m Exact) pathWork(s model.Shape, t *entries) work {
	groups, b := t.groups(s), m.vectors(s)
	table := float64(groups[0]) * float64(groups[1])
	var w work
	products := float64(min(m.Passes, plannedIterations))
	if t.normalised {
		w = t.pathSumWork(s, 1)
	}
	w.add(2*float64(s.Sparse.Pairs)+table, 2*(pathFlops*float64(s.Sparse.Paths)+pairFlops*float64(s.Sparse.Pairs)))
	w.add(0, products*b*(4*sparseFlops*float64(s.Sparse.Pairs+s.Rows+s.Cols)+4*table))
	return w
}

// Plan returns the cost of a fit with 24 iterations, or [Exact.Passes] if that is less.
// It is an error where [Exact.Choose] has one.
func (m Exact) Plan(e stream.Engine, s model.Shape, k kernelgen.Kernel) (*model.Plan, error) {
	m, err := m.settings()
	if err != nil {
		return nil, err
	}
	s = twoSided(s)
	t, err := plannedEntries(k, s)
	if err != nil {
		return nil, err
	}
	o, err := m.within(e, s, t)
	if err != nil {
		return nil, err
	}
	return m.plan(e, s, t, o), nil
}

// plan returns the plan of a fit by an operator.
func (m Exact) plan(e stream.Engine, s model.Shape, t *entries, o Operator) *model.Plan {
	p := newPlanner(e, s, t)
	b := int64(m.Rank + krylovExtra)
	if t.normalised && t.pathSums(s) {
		p.pathSums(t, "the number of nodes")
	}
	if o == OperatorPaths {
		p.paths(t, b)
		p.count(m.pathWork(s, t))
	} else {
		p.exactPasses()
		if inMemory(s) {
			p.Add("G", s.Rows*s.Cols, "")
		}
		p.count(m.tileWork(s, t))
	}
	p.Flops += float64(min(m.Passes, plannedIterations)) * krylovWork(s.Rows, s.Cols, m.vectors(s))
	p.Add("Krylov spaces", (s.Rows+s.Cols)*b*(2*krylovBlocks+6), "`rank`")
	p.model(s.Rows+s.Cols, 0, int64(m.Rank), "`rank`")
	p.Passes = 1
	return p.Plan
}

// FactorPlan returns what it costs to write the factors of a fit, which has them.
func (m Exact) FactorPlan(e stream.Engine, _ model.Shape, _ kernelgen.Kernel) (*model.Plan, error) {
	return model.NewPlan(e, 0), nil
}

// paths adds what the operator of paths holds.
func (p *planner) paths(t *entries, b int64) {
	s := p.shape
	p.Add("pairs that paths of two edges join", 3*s.Sparse.Pairs, "the number of edges")
	groups := t.groups(s)
	sides := 5*(s.Rows+s.Cols) + p.threads*2*max(s.Rows, s.Cols)
	p.Add("pairs that none joins", sides+groups[0]*groups[1]+max(groups[0], groups[1])*b, "")
	p.Add("products", 2*(p.threads+2)*pathRows*b, "`threads`")
}

// Plan returns the cost of a fit. With a tolerance it is that of the largest samples
// allowed. It is an error where [Nystrom.Summing] has one.
func (m Nystrom) Plan(e stream.Engine, s model.Shape, k kernelgen.Kernel) (*model.Plan, error) {
	s = twoSided(s)
	t, err := plannedEntries(k, s)
	if err != nil {
		return nil, err
	}
	if m, err = m.within(e, s, t).settings(s); err != nil {
		return nil, err
	}
	return m.plan(e, s, t), nil
}

// mostSamples is where doubling ends: the block of samples takes 6 GB then.
const mostSamples = 16384

// within returns the method with samples doubled no further than Memory allows.
func (m Nystrom) within(e stream.Engine, s model.Shape, t *entries) Nystrom {
	if !(m.Tolerance > 0) || m.Memory == 0 {
		return m
	}
	if m.MaxSamples == 0 {
		m.MaxSamples = mostSamples
	}
	for m.MaxSamples/2 >= max(m.Rows, m.Cols, 8*m.Rank, 128) {
		if full, err := m.settings(s); err != nil || full.plan(e, s, t).Memory.Check(m.Memory) == nil {
			break
		}
		m.MaxSamples /= 2
	}
	return m
}

// largest returns the method, whose settings are complete, with its largest samples.
func (m Nystrom) largest(s model.Shape) Nystrom {
	if m.Tolerance > 0 {
		m.Rows, m.Cols = int(min(s.Rows, int64(m.MaxSamples))), int(min(s.Cols, int64(m.MaxSamples)))
	}
	return m
}

// plan returns the plan of a method whose settings are complete.
func (m Nystrom) plan(e stream.Engine, s model.Shape, t *entries) *model.Plan {
	m = m.largest(s)
	p := newPlanner(e, s, t)
	n, c, r := int64(m.Rows), int64(m.Cols), int64(m.Rank)
	all := float64(s.Rows) * float64(s.Cols)
	sums := m.summing(s, t)
	if sums.note != "" {
		p.Notes = append(p.Notes, sums.note)
	}
	kept := int64(0) // rows in the model besides the samples
	switch {
	case sums.passes == 0 || sums.sums == SumsSampled:
	case sums.byPaths:
		p.count(t.pathSumWork(s, sums.passes))
		p.pathSums(t, "`sums sampled`")
		p.Passes++
	default:
		p.exactPasses()
		p.count(tileWork(s, float64(sums.passes)*all))
		p.Passes++
	}
	if sums.passes > 0 && sums.sums == SumsExact {
		kept = s.Cols
		if m.Centre {
			kept += s.Rows
		}
	}
	p.Add("samples", p.rows(n)+p.rows(c), "`sample`")
	p.Add("sampled block", 3*n*c, "`sample`")
	p.Add("Krylov spaces of the block", (n+c)*(r+krylovExtra)*(2*krylovBlocks+6), "`rank`")
	p.Add("tiles", p.threads*max(2*tileNumbers, 32*max(n, c)), "`threads`")
	p.count(tileWork(s, float64(n)*float64(c)))
	p.Flops += plannedIterations / 2 * (4*float64(n)*float64(c)*float64(r+krylovExtra) + krylovWork(n, c, float64(r+krylovExtra)))
	if m.Scaling != ScaleDerived {
		p.extension(m)
	}
	if m.Choice == ChoiceLeverage {
		p.extension(m)
		p.count(tileWork(s, float64(n)*float64(c)))
		p.Add("leverage scores", 3*(s.Rows+s.Cols), "`landmarks uniform`")
	}
	p.model(n+c, kept, r, "`sums sampled`")
	return p.Plan
}

// extension adds a pass over each side that evaluates all singular vectors.
func (p *planner) extension(m Nystrom) {
	s := p.shape
	entries := float64(s.Rows)*float64(m.Cols) + float64(m.Rows)*float64(s.Cols)
	p.count(tileWork(s, entries))
	p.Flops += 2 * entries * float64(m.Rank)
	p.Passes++
}

// FactorPlan returns what it costs to write the factors of a fit: a pass over each side.
func (m Nystrom) FactorPlan(e stream.Engine, s model.Shape, k kernelgen.Kernel) (*model.Plan, error) {
	s = twoSided(s)
	t, err := plannedEntries(k, s)
	if err != nil {
		return nil, err
	}
	if m, err = m.within(e, s, t).settings(s); err != nil {
		return nil, err
	}
	p := &planner{model.NewPlan(e, 0), s, int64(e.Workers())}
	p.extension(m.largest(s))
	p.Map("blocks of factors", s.Columns, m.Rank)
	return p.Plan, nil
}

// Plan returns the cost of a fit.
func (m SSRSVD) Plan(e stream.Engine, s model.Shape, k kernelgen.Kernel) (*model.Plan, error) {
	if err := m.check(s, k); err != nil {
		return nil, err
	}
	s = twoSided(s)
	return m.lowrank().Plan(e, s.Rows, s.Cols, s.Columns)
}

// FactorPlan returns what it costs to write the factors of a fit: a pass over each side
// that evaluates as much as the fit.
func (m SSRSVD) FactorPlan(e stream.Engine, s model.Shape, k kernelgen.Kernel) (*model.Plan, error) {
	fit, err := m.Plan(e, s, k)
	if err != nil {
		return nil, err
	}
	p := model.NewPlan(e, 0)
	p.Work(float64(fit.KernelEntries), fit.Flops)
	p.Map("blocks of factors", s.Columns, m.Rank)
	p.Passes = 1
	return p, nil
}
