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

// pathSumEntries returns the entries of so many sums over paths for all rows of a side.
func (e *entries) pathSumEntries(s model.Shape, times int) float64 {
	groups := float64(max(s.Rows, s.Cols)) // one for each row
	if e.base == kernelgen.SquaredDistance && e.exponent == 0 {
		groups = float64(s.Sparse.Norms[0]) * float64(s.Sparse.Norms[1])
	}
	return float64(times) * (float64(s.Sparse.Pairs) + groups)
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

// How many iterations it takes as a rule until residuals are below the tolerance of Exact:
// measured for kernels of rows, and decided by how fast singular values fall, which a plan
// does not know. Those of graphs fall slowly.
const (
	rowIterations   = 12
	graphIterations = 24
)

// spanning returns no more iterations than b vectors each take to span the shorter side.
func spanning(iterations int, rows, cols, b int64) int {
	return int(min(int64(iterations), (min(rows, cols)+b-1)/b))
}

// plannedEntries returns the entries of a kernel that need not be resolved, to plan with.
func plannedEntries(k kernelgen.Kernel, s model.Shape) (*entries, error) {
	words := !k.Resolved()
	if words {
		two := stream.NewMatrix(2, 2)
		two.Data[0], two.Data[3] = 1, 1
		resolved, err := k.Resolve(two)
		if err != nil {
			return nil, err
		}
		k = resolved
	}
	t, err := newEntries(k, s.Sparse != nil)
	if err == nil {
		t.words = words
	}
	return t, err
}
