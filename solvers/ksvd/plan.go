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
	if !s.Sparse {
		e.PassBudget(&p.Memory, s.Columns)
	} else {
		// Indices of 4 bytes and values of 8, and starts of rows, of A and Aᵀ.
		p.Memory.Add("graph and its transpose", 3*s.Entries+s.Rows+s.Cols, "")
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

// time is in flops.
func (w work) time() float64 { return w.entries*entryFlops + w.flops }

// add counts work.
func (p *planner) add(w work) {
	p.KernelEntries += int64(min(w.entries, 1<<62))
	p.Flops += w.flops
}

// tiles is the work of so many entries in tiles, besides what is made of them. Between
// sparse rows they cost their share of the paths and a look at every entry.
func (s Shape) tiles(entries float64) work {
	if !s.Sparse {
		return work{entries, 2 * entries * float64(s.Columns)}
	}
	return work{entries, sparseEntry*entries + pathFlops*float64(s.Paths)*entries/(float64(s.Rows)*float64(s.Cols))}
}

// pathSumWork is that of so many sums over paths for all rows of a side.
func (e *entries) pathSumWork(s Shape, times int) work {
	groups := float64(max(s.Rows, s.Cols)) // one for each row
	if e.base == kernelgen.SquaredDistance && e.exponent == 0 {
		groups = float64(s.Norms[0]) * float64(s.Norms[1])
	}
	n := float64(times)
	return work{n * (float64(s.Pairs) + groups), n * (pathFlops*float64(s.Paths) + pairFlops*float64(s.Pairs))}
}

// rows is what rows of one side take, as they are and packed.
func (p *planner) rows(n int64) int64 {
	if !p.shape.Sparse {
		return 2 * n * int64(p.shape.Columns)
	}
	return 3*n*p.meanEntries() + p.shape.Rows
}

// meanEntries is how many entries a sparse row has.
func (p *planner) meanEntries() int64 { return p.shape.Entries/max(1, p.shape.Rows) + 1 }

// model adds what a model takes: numbers for each landmark, and what is written of
// them and of whole sides that are kept for the sums of new rows.
func (p *planner) model(landmarks, whole, rank int64, knob string) {
	copied := (landmarks + whole) * int64(p.shape.Columns)
	if p.shape.Sparse { // numbers of columns as whole numbers
		copied = (landmarks + whole) * (p.meanEntries() + 1)
	}
	p.Memory.Add("model", landmarks*(3*rank+5)+2*whole+copied, knob)
}

// exactPasses adds what passes over all entries hold.
func (p *planner) exactPasses() {
	s := p.shape
	p.Memory.Add("tiles of an exact pass", p.threads*stream.PairRows*stream.PairRows, "--threads")
	if s.Sparse {
		p.Memory.Add("column blocks of the graph", 3*s.Entries+(s.Cols/stream.PairRows+1)*s.Rows, "the number of nodes")
	} else {
		p.Memory.Add("all rows", p.rows(s.Rows)+p.rows(s.Cols), "the number of rows")
	}
}

// pathSums adds what sums over paths hold: norms and sums, inner products of each
// worker, and sums by norms.
func (p *planner) pathSums(t *entries, knob string) {
	s := p.shape
	numbers := 3*s.Rows + 3*s.Cols + p.threads*2*max(s.Rows, s.Cols)
	if t.base == kernelgen.SquaredDistance && t.exponent == 0 {
		numbers += 8 * (s.Norms[0] + s.Norms[1])
	}
	p.Memory.Add("sums over paths", numbers, knob)
}

// krylovWork is that of one iteration besides the products with the matrix: b vectors
// made orthogonal to spaces of 5·b on average, and what is small.
func krylovWork(rows, cols int64, b float64) float64 {
	return 260*float64(rows+cols)*b*b + 2e4*b*b*b
}

// plannedIterations is how many iterations are planned with at most.
const plannedIterations = 24

// vectors is how many vectors there are in a product.
func (m Exact) vectors(s Shape) float64 {
	return float64(min(int64(m.Rank), s.Rows, s.Cols) + krylovExtra)
}

// tileWork is that of all products by tiles, and of what comes before.
func (m Exact) tileWork(s Shape, t *entries) work {
	all := float64(s.Rows) * float64(s.Cols)
	passes, iterations := 0, float64(min(m.Passes, plannedIterations))
	var w work
	switch {
	case t.normalised && t.pathSums(s):
		w = t.pathSumWork(s, 1)
	case t.normalised:
		passes++
	}
	if held(s) {
		passes++
	} else {
		passes += int(iterations)
	}
	tiles := s.tiles(float64(passes) * all)
	w.add(tiles.entries, tiles.flops+iterations*4*all*m.vectors(s))
	return w
}

// pathWork is that of all products by paths, and of what comes before.
func (m Exact) pathWork(s Shape, t *entries) work {
	groups, b := t.groups(s), m.vectors(s)
	table := float64(groups[0]) * float64(groups[1])
	var w work
	products := float64(min(m.Passes, plannedIterations))
	if t.normalised {
		w = t.pathSumWork(s, 1)
	}
	w.add(2*float64(s.Pairs)+table, 2*(pathFlops*float64(s.Paths)+pairFlops*float64(s.Pairs)))
	w.add(0, products*b*(4*sparseFlops*float64(s.Pairs+s.Rows+s.Cols)+4*table))
	return w
}

// Plan works out the cost of a fit with 24 iterations, or [Exact.Passes] if that is less.
// It is an error where [Exact.Choose] has one.
func (m Exact) Plan(e stream.Engine, s Shape, k kernelgen.Kernel) (*lowrank.Plan, error) {
	m, err := m.settings()
	if err != nil {
		return nil, err
	}
	t, err := plannedEntries(k, s)
	if err != nil {
		return nil, err
	}
	if m.Operator, err = m.operator(s, t); err != nil {
		return nil, err
	}
	p := newPlanner(e, s)
	b := int64(m.Rank + krylovExtra)
	if t.normalised && t.pathSums(s) {
		p.pathSums(t, "the number of nodes")
	}
	if m.Operator == OperatorPaths {
		p.paths(t, b)
		p.add(m.pathWork(s, t))
	} else {
		p.exactPasses()
		if held(s) {
			p.Memory.Add("G", s.Rows*s.Cols, "")
		}
		p.add(m.tileWork(s, t))
	}
	p.Flops += float64(min(m.Passes, plannedIterations)) * krylovWork(s.Rows, s.Cols, m.vectors(s))
	p.Memory.Add("Krylov spaces", (s.Rows+s.Cols)*b*(2*krylovBlocks+6), "--rank")
	p.model(s.Rows+s.Cols, 0, int64(m.Rank), "--rank")
	p.Passes = 1
	return &p.Plan, nil
}

// paths adds what the operator of paths holds.
func (p *planner) paths(t *entries, b int64) {
	s := p.shape
	p.Memory.Add("pairs that paths of two edges join", 3*s.Pairs, "the number of edges")
	groups := t.groups(s)
	sides := 5*(s.Rows+s.Cols) + p.threads*2*max(s.Rows, s.Cols)
	p.Memory.Add("pairs that none joins", sides+groups[0]*groups[1]+max(groups[0], groups[1])*b, "")
	p.Memory.Add("products", 2*(p.threads+2)*pathRows*b, "--threads")
}

// Plan works out the cost of a fit and, if factors shall be written, of the pass
// that makes them. With a tolerance it is that of the largest samples allowed. It is an
// error where [Nystrom.Summing] has one.
func (m Nystrom) Plan(e stream.Engine, s Shape, k kernelgen.Kernel, factors bool) (*lowrank.Plan, error) {
	m, err := m.settings(s)
	if err != nil {
		return nil, err
	}
	t, err := plannedEntries(k, s)
	if err != nil {
		return nil, err
	}
	if m.Tolerance > 0 {
		m.Rows, m.Cols = int(min(s.Rows, int64(m.MaxSamples))), int(min(s.Cols, int64(m.MaxSamples)))
	}
	p := newPlanner(e, s)
	n, c, r := int64(m.Rows), int64(m.Cols), int64(m.Rank)
	all := float64(s.Rows) * float64(s.Cols)
	sums := m.summing(s, t)
	whole := int64(0)
	switch {
	case sums.passes == 0 || sums.sums == SumsSampled:
	case sums.byPaths:
		p.add(t.pathSumWork(s, sums.passes))
		p.pathSums(t, "--sums sampled")
		p.Passes++
	default:
		p.exactPasses()
		p.add(s.tiles(float64(sums.passes) * all))
		p.Passes++
	}
	if sums.passes > 0 && sums.sums == SumsExact {
		whole = s.Cols
		if m.Centre {
			whole += s.Rows
		}
	}
	p.Memory.Add("samples", p.rows(n)+p.rows(c), "--sample")
	p.Memory.Add("sampled block", 3*n*c, "--sample")
	p.Memory.Add("Krylov spaces of the block", (n+c)*(r+krylovExtra)*(2*krylovBlocks+6), "--rank")
	p.Memory.Add("tiles", p.threads*max(2*tileNumbers, 32*max(n, c)), "--threads")
	p.add(s.tiles(float64(n) * float64(c)))
	p.Flops += plannedIterations / 2 * (4*float64(n)*float64(c)*float64(r+krylovExtra) + krylovWork(n, c, float64(r+krylovExtra)))
	sides := 0
	if m.Scaling != ScaleDerived {
		sides++
	}
	if m.Choice == ChoiceLeverage {
		sides++
		p.add(s.tiles(float64(n) * float64(c)))
		p.Memory.Add("leverage scores", 3*(s.Rows+s.Cols), "--samples uniform")
	}
	if factors {
		sides++
	}
	p.Passes += sides
	entries := float64(sides) * (float64(s.Rows)*float64(c) + float64(n)*float64(s.Cols))
	p.add(s.tiles(entries))
	p.Flops += 2 * entries * float64(r)
	p.model(n+c, whole, r, "--sums sampled")
	return &p.Plan, nil
}

// Plan works out the cost of a fit.
func (m SSRSVD) Plan(e stream.Engine, s Shape) (*lowrank.Plan, error) {
	return m.lowrank().Plan(e, s.Rows, s.Cols, s.Columns)
}
