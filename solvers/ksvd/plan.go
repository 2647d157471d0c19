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
		return &planner{model.NewPlan(e, s.Longest(), s.Columns), s, int64(e.Workers())}
	}
	p := &planner{model.NewPlan(e, s.Longest(), 0), s, int64(e.Workers())}
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

// How many iterations it takes as a rule until residuals are below the tolerance of Exact, and
// below that of the block of Nystrom: measured for kernels of rows, and decided by how fast
// singular values fall, which a plan does not know. Those of graphs fall slowly.
const (
	rowIterations   = 12
	graphIterations = 24
	blockIterations = 6
)

// spanning returns no more iterations than b vectors each take to span the shorter side.
func spanning(iterations int, rows, cols, b int64) int {
	return int(min(int64(iterations), (min(rows, cols)+b-1)/b))
}

// svdWork returns the work of a full SVD.
func svdWork(rows, cols int64) float64 {
	long, short := float64(max(rows, cols)), float64(min(rows, cols))
	return 6*long*short*short + 40*short*short*short
}
