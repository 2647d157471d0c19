package ksvd

import (
	"fmt"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// planner collects the items that methods share.
type planner struct {
	*model.Plan
	shape   model.Shape
	tiles   *tiles.Tiles
	threads int64
	again   int // 1 if both sides are one source
}

// newPlanner plans a fit of a kernel that need not be resolved. It fails if the kernel cannot be
// computed between the rows.
func newPlanner(e stream.Engine, s model.Shape, k kernelgen.Kernel) (*planner, error) {
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
	t, err := tiles.New(k, s.Sparse != nil)
	if err != nil {
		return nil, err
	}
	return planTiles(e, s, t, words), nil
}

// planTiles plans a fit of a resolved kernel. words says that its parameters were words.
func planTiles(e stream.Engine, s model.Shape, t *tiles.Tiles, words bool) *planner {
	p := &planner{shape: twoSided(s), tiles: t, threads: int64(e.Workers())}
	if s.Sparse == nil {
		if s.OneSource() {
			p.again = 1
		}
		p.Plan = model.NewPlan(e, s.Longest(), s.Columns)
		return p
	}
	s = p.shape
	p.Plan = model.NewPlan(e, s.Longest(), 0)
	// Indices of 4 bytes and values of 8, and starts of rows, of A and Aᵀ.
	p.Add("graph and its transpose", 3*s.Sparse.Entries+s.Rows+s.Cols, "")
	if words {
		p.Add("rows to work out the kernel from", 3*int64(sampledRows(s, model.ResolveRows))*s.Rows, "a `kernel` with numbers")
	}
	return p
}

// all returns the number of entries of G.
func (p *planner) all() float64 { return float64(p.shape.Rows) * float64(p.shape.Cols) }

// rows returns the numbers of rows of one side, packed too.
func (p *planner) rows(n int64) int64 {
	if p.shape.Sparse == nil {
		return 2 * n * int64(p.shape.Columns)
	}
	return 3*n*p.rowEntries() + p.shape.Rows
}

// rowEntries returns the mean number of entries of a sparse row.
func (p *planner) rowEntries() int64 { return p.shape.Sparse.Entries/max(1, p.shape.Rows) + 1 }

// model adds a model of so many landmarks, with kept rows for the sums of new ones, and the copy
// that is written.
func (p *planner) model(landmarks, kept, rank int64, knob string) {
	copied := (landmarks + kept) * int64(p.shape.Columns)
	if p.shape.Sparse != nil {
		copied = (landmarks + kept) * (p.rowEntries() + 1)
	}
	p.Add("model", landmarks*(3*rank+5)+2*kept+copied, knob)
}

// exactPasses adds so many passes over all entries.
func (p *planner) exactPasses(passes int) {
	s := p.shape
	p.AddEntries(float64(passes) * p.all())
	p.Add("tiles of an exact pass", p.threads*stream.PairRows*stream.PairRows, "`threads`")
	if s.Sparse != nil {
		p.Add("column blocks of the graph", 3*s.Sparse.Entries+(s.Cols/stream.PairRows+1)*s.Rows, "the number of nodes")
	} else {
		p.Add("all rows", p.rows(s.Rows)+p.rows(s.Cols), "the number of rows")
	}
}

// pathSums adds so many sums over paths for all rows of a side: norms and sums, inner products of
// each worker, and sums by norms.
func (p *planner) pathSums(passes int, knob string) {
	s := p.shape
	numbers, groups := 3*s.Rows+3*s.Cols+p.threads*2*max(s.Rows, s.Cols), max(s.Rows, s.Cols)
	if grouped(p.tiles) {
		numbers += 8 * (s.Sparse.Norms[0] + s.Sparse.Norms[1])
		groups = s.Sparse.Norms[0] * s.Sparse.Norms[1]
	}
	p.AddEntries(float64(passes) * (min(float64(s.Sparse.Paths), p.all()) + float64(groups)))
	p.Add("sums over paths", numbers, knob)
}

// Iterations until residuals reach the tolerance of Exact, measured for kernels of rows. Singular
// values decide, which a plan does not know; those of graphs decay slowly.
const (
	rowIterations   = 12
	graphIterations = 24
)

// Plan returns the cost of a fit with 12 iterations, 24 for a graph, or fewer if Passes or the
// shorter side allow no more. Memory does not depend on them. It fails if the kernel cannot be
// computed between sparse rows.
func (m Exact) Plan(e stream.Engine, s model.Shape, k kernelgen.Kernel) (*model.Plan, error) {
	m, err := m.settings()
	if err != nil {
		return nil, err
	}
	p, err := newPlanner(e, s, k)
	if err != nil {
		return nil, err
	}
	s = p.shape
	iterations := rowIterations
	if s.Sparse != nil {
		iterations = graphIterations
	}
	b := min(int64(m.Rank+tiles.Oversampling), s.Rows, s.Cols)
	iterations = int(min(int64(iterations), int64(m.Iterations), (min(s.Rows, s.Cols)+b-1)/b)) // as many blocks span the side
	passes := iterations
	if formed(s) {
		passes = 1
		p.Add("G", s.Rows*s.Cols, "")
	}
	switch {
	case p.tiles.Normalised() && sumsByPaths(p.tiles, s):
		p.pathSums(1, "the number of nodes")
	case p.tiles.Normalised():
		passes++
	}
	p.exactPasses(passes)
	p.Add("Krylov spaces", (s.Rows+s.Cols)*int64(m.Rank+tiles.Oversampling)*(2*tiles.MaxBlocks+6), "`rank`")
	p.model(s.Rows+s.Cols, 0, int64(m.Rank), "`rank`")
	if iterations < m.Iterations {
		p.Notes = append(p.Notes, fmt.Sprintf("iterations: %d are expected, and there are at most %d", iterations, m.Iterations))
	}
	p.SourcePasses = 1
	p.SetNotShardable("its exact passes are over all entries; `method ssrsvd` makes passes over rows alone")
	return p.Plan, nil
}

// FactorPlan implements [Method]: the fit has the factors.
func (m Exact) FactorPlan(e stream.Engine, _ model.Shape, _ kernelgen.Kernel) (*model.Plan, error) {
	return model.NewPlan(e, 0, 0), nil
}

// mostLandmarks is the largest number of landmarks of a side that a fit to a tolerance takes: the
// sampled block takes 6 GB then.
const mostLandmarks = 16384

// doubled returns the method with twice the landmarks, as far as there are rows; false if it has
// the most already or, after the first round, would exceed Memory.
func (m Nystrom) doubled(e stream.Engine, s model.Shape, t *tiles.Tiles, round int) (Nystrom, bool) {
	next := m
	next.Rows = max(m.Rows, int(min(2*int64(m.Rows), s.Rows, mostLandmarks)))
	next.Cols = max(m.Cols, int(min(2*int64(m.Cols), s.Cols, mostLandmarks)))
	if next == m || round > 0 && m.Memory > 0 && next.plan(planTiles(e, s, t, false)).Memory.Check(m.Memory) != nil {
		return m, false
	}
	return next, true
}

// planned returns the method with all settings and its largest samples, and a planner.
func (m Nystrom) planned(e stream.Engine, s model.Shape, k kernelgen.Kernel) (Nystrom, *planner, error) {
	p, err := newPlanner(e, s, k)
	if err != nil {
		return m, nil, err
	}
	m, err = m.settings(p.shape)
	for round, more := 0, err == nil && m.Tolerance > 0; more; round++ {
		m, more = m.doubled(e, p.shape, p.tiles, round)
	}
	return m, p, err
}

// Plan returns the cost of a fit; with a tolerance, that of the largest samples allowed. It fails
// if the kernel cannot be computed between sparse rows.
func (m Nystrom) Plan(e stream.Engine, s model.Shape, k kernelgen.Kernel) (*model.Plan, error) {
	m, p, err := m.planned(e, s, k)
	if err != nil {
		return nil, err
	}
	return m.plan(p), nil
}

// plan completes the plan of a method with all settings.
func (m Nystrom) plan(p *planner) *model.Plan {
	s, n, c, r := p.shape, int64(m.Rows), int64(m.Cols), int64(m.Rank)
	p.SetNotShardable("its work is in samples and in sums over all entries; `method ssrsvd` makes passes over rows alone")
	sums := m.summing(s, p.tiles)
	p.Notes = append(p.Notes, sums.notes()...)
	kept := int64(0) // rows in the model besides the samples
	if sums.exact() {
		p.SourcePasses++
		kept = s.Cols
		if m.Center {
			kept += s.Rows
		}
		if sums.byPaths {
			p.pathSums(sums.passes, "`sums sampled`")
		} else {
			p.exactPasses(sums.passes)
		}
	}
	p.Add("landmarks", p.rows(n)+p.rows(c), "`landmarks`")
	p.Add("sampled block", 3*n*c, "`landmarks`")
	p.Add("Krylov spaces of the block", (n+c)*(r+tiles.Oversampling)*(2*blocksFor(n+c, r)+6), "`rank`")
	p.Add("tiles", p.threads*max(2*tileNumbers, 32*max(n, c)), "`threads`")
	p.AddEntries(float64(n) * float64(c))
	if m.Scaling != ScaleDerived {
		p.AddEntries(m.extension(s))
		p.SourcePasses += 1 + p.again
	}
	p.model(n+c, kept, r, "`sums sampled`")
	return p.Plan
}

// extension returns the entries of a pass over each side that evaluates all singular vectors.
func (m Nystrom) extension(s model.Shape) float64 {
	return float64(s.Rows)*float64(m.Cols) + float64(m.Rows)*float64(s.Cols)
}

// factorPlan returns the cost of such a pass.
func factorPlan(e stream.Engine, s model.Shape, rank int, entries float64) *model.Plan {
	p := model.NewPlan(e, s.Longest(), 0)
	p.AddEntries(entries)
	p.Map("blocks of factors", s.Columns, rank)
	p.SourcePasses = 1
	return p
}

// FactorPlan implements [Method]: a pass over each side.
func (m Nystrom) FactorPlan(e stream.Engine, s model.Shape, k kernelgen.Kernel) (*model.Plan, error) {
	m, p, err := m.planned(e, s, k)
	if err != nil {
		return nil, err
	}
	return factorPlan(e, p.shape, m.Rank, m.extension(p.shape)), nil
}
