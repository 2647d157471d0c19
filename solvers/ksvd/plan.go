package ksvd

import (
	"fmt"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/tilesize"
)

// planner collects items common to several methods.
type planner struct {
	*model.Plan
	engine      stream.Engine
	shape       model.Size
	tiles       *tiles.Tiles
	threads     int64
	extraPasses int // 1 if both sides are one source
}

// newPlanner plans a fit of a resolved kernel. It fails if the kernel cannot be computed between the rows.
func newPlanner(e stream.Engine, s model.Size, k kernelgen.Kernel) (*planner, error) {
	words := !k.Resolved()
	if words {
		two := matrix.New(2, 2)
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
	p := &planner{engine: e, shape: twoSided(s), tiles: t, threads: int64(e.Workers())}
	if s.Sparse == nil {
		if s.OneSource() {
			p.extraPasses = 1
		}
		p.Plan = model.NewPlan(e, s.Longest(), s.Columns)
		return p, nil
	}
	s = p.shape
	p.Plan = model.NewPlan(e, s.Longest(), 0)
	// Indices of 4 bytes, values of 8, and starts of rows, for A and Aᵀ.
	p.Add("graph and its transpose", 3*s.Sparse.Entries+s.Rows+s.Cols, "")
	if words {
		p.Add("rows to work out the kernel from", 3*int64(sampledRows(s, family.ResolveRows))*s.Rows, "a `Kernel` with numbers")
	}
	return p, nil
}

// shiftedRows adds the memory of shifted rows for a centred kernel: see [Data.setOrigin].
func (p *planner) shiftedRows(center bool) {
	if s := p.shape; center && s.Sparse == nil && p.tiles.Kernel.CenteredShift() {
		p.Add("moved rows", (2*family.ResolveRows+p.threads*tiles.OriginRows)*int64(s.Columns), "`Engine.Threads`")
	}
}

// totalEntries returns the number of entries of G.
func (p *planner) totalEntries() float64 { return float64(p.shape.Rows) * float64(p.shape.Cols) }

// rows returns the size of the rows of one side, including packed ones, in numbers.
func (p *planner) rows(n int64) int64 {
	if p.shape.Sparse == nil {
		return 2 * n * int64(p.shape.Columns)
	}
	return 3*n*p.rowEntries() + p.shape.Rows
}

// denseRows returns the size of the dense rows of both sides in numbers. Sides with one source share their rows.
func (p *planner) denseRows() int64 {
	rows := p.shape.Rows
	if p.extraPasses == 0 {
		rows += p.shape.Cols
	}
	return rows * int64(p.shape.Columns)
}

// rowEntries returns the mean number of entries of a sparse row.
func (p *planner) rowEntries() int64 { return p.shape.Sparse.Entries/max(1, p.shape.Rows) + 1 }

// stages adds stages of the fit, each of which releases its memory at the end: the memory of the largest, and the
// entries of all.
func (p *planner) stages(all ...func(next *planner)) {
	var largest *model.Plan
	for _, add := range all {
		next := *p
		next.Plan = model.NewPlan(p.engine, 0, 0)
		add(&next)
		p.AddEntries(float64(next.KernelEntries))
		next.KernelEntries = 0
		if largest == nil || next.Memory.Total() > largest.Memory.Total() {
			largest = next.Plan
		}
	}
	p.Include(largest)
}

// model adds a model with the given landmarks and kept rows for the sums of new rows, and the copy that is saved.
func (p *planner) model(landmarks, kept, rank int64, knob string) {
	copied := (landmarks + kept) * int64(p.shape.Columns)
	if p.shape.Sparse != nil {
		copied = (landmarks + kept) * (p.rowEntries() + 1)
	}
	p.Add("model", landmarks*(3*rank+5)+2*kept+copied, knob)
}

// exactPasses adds passes over all entries.
func (p *planner) exactPasses(passes int) {
	s := p.shape
	p.AddEntries(float64(passes) * p.totalEntries())
	p.Add("tiles of an exact pass", p.threads*tilesize.PairRows*tilesize.PairRows, "`Engine.Threads`")
	if s.Sparse != nil {
		p.Add("column blocks of the graph", 3*s.Sparse.Entries+(s.Cols/tilesize.PairRows+1)*s.Rows, "the number of nodes")
	} else {
		p.Add("all rows", p.rows(s.Rows)+p.rows(s.Cols), "the number of rows")
	}
}

// pathSums adds sums over paths for all rows of a side: norms and sums, and inner products of each worker.
func (p *planner) pathSums(passes int, knob string) {
	s := p.shape
	most := max(s.Rows, s.Cols)
	p.AddEntries(float64(passes) * (min(float64(s.Sparse.Paths), p.totalEntries()) + float64(most)))
	p.Add("sums over paths", 3*s.Rows+3*s.Cols+p.threads*2*most, knob)
}

// Typical iterations of Exact, measured for kernels of rows. They depend on the singular values, which a plan does not
// know; those of graphs decay slowly.
const (
	rowIterations   = 12
	graphIterations = 24
)

// Plan returns the cost of a fit with 12 iterations, 24 for a graph, or fewer if Iterations or the shorter side allow
// no more. Memory does not depend on the number of iterations. It fails if the kernel cannot be computed between sparse
// rows.
func (m Exact) Plan(e stream.Engine, s model.Size, k kernelgen.Kernel) (*model.Plan, error) {
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
	iterations = int(min(int64(iterations), int64(m.Iterations), (min(s.Rows, s.Cols)+b-1)/b)) // at most the dimension
	passes := iterations
	if fitsInMemory(s) {
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
	p.shiftedRows(m.Center)
	p.Add("Krylov spaces", (s.Rows+s.Cols)*int64(m.Rank+tiles.Oversampling)*(2*tiles.MaxBlocks+6), "`Rank`")
	p.model(s.Rows+s.Cols, 0, int64(m.Rank), "`Rank`")
	if iterations < m.Iterations {
		p.Notes = append(p.Notes, fmt.Sprintf("iterations: %d are expected, and there are at most %d", iterations, m.Iterations))
	}
	p.SourcePasses = 1
	p.SetNotShardable("its exact passes are over all entries; `Method ssrsvd` makes passes over rows alone")
	return p.Plan, nil
}

// Plan returns the cost of a fit. It fails if the kernel cannot be computed between sparse rows.
func (m Nystrom) Plan(e stream.Engine, s model.Size, k kernelgen.Kernel) (*model.Plan, error) {
	p, err := newPlanner(e, s, k)
	if err != nil {
		return nil, err
	}
	if m, err = m.settings(p.shape); err != nil {
		return nil, err
	}
	s = p.shape
	n, c, r := int64(m.Rows), int64(m.Cols), int64(m.Rank)
	p.SetNotShardable("its work is in samples and in sums over all entries; `Method ssrsvd` makes passes over rows alone")
	if m.Tolerance > 0 {
		p.SetNotShardable("landmarks are doubled by what the passes find; name `Rows/Cols` instead of `Tolerance`")
		p.Notes = append(p.Notes, fmt.Sprintf("memory, passes and kernel entries are those of %d and %d landmarks; the data decide", m.Rows, m.Cols))
	}
	sums := m.summing(s, p.tiles)
	p.Notes = append(p.Notes, sums.notes()...)
	kept := int64(0) // rows of the model other than the samples
	if sums.exact() {
		p.SourcePasses++
		kept = s.Cols
		if m.Center {
			kept += s.Rows
		}
		if s.Sparse == nil {
			p.Add("all rows", p.denseRows(), "the number of rows")
		}
	}
	p.shiftedRows(m.Center)
	p.Add("landmarks", p.rows(n)+p.rows(c), "`Rows/Cols`")
	p.AddEntries(float64(n) * float64(c))
	if m.Scaling != ScaleDerived {
		p.AddEntries(float64(s.Rows)*float64(c) + float64(n)*float64(s.Cols))
		p.SourcePasses += 1 + p.extraPasses
	}
	rows, cols := n+int64(heldBackCount(s.Rows, int(n))), c+int64(heldBackCount(s.Cols, int(c)))
	p.stages(func(p *planner) { p.exactSums(sums) }, func(p *planner) {
		p.residualRows(rows, cols)
		p.Add("sampled block", 3*n*c, "`Rows/Cols`")
		p.Add("Krylov spaces of the block", (n+c)*(r+tiles.Oversampling)*(2*blocksFor(n+c, r)+6), "`Rank`")
	}, func(p *planner) {
		p.residualRows(rows, cols)
		p.residuals(rows, cols, n, c, r)
	})
	tile := int64(tilesize.Rows(int(max(n, c)), int(r))) * max(n, c)
	p.Add("tiles", p.threads*max(2*tilesize.TileNumbers, tile), "`Engine.Threads`")
	p.model(n+c, kept, r, "`Sums sampled`")
	return p.Plan, nil
}

// exactSums adds the passes of exact sums. Rows that are held afterwards are not counted.
func (p *planner) exactSums(how sumPlan) {
	s := p.shape
	switch {
	case !how.exact():
	case how.byPaths:
		p.pathSums(how.passes, "`Sums sampled`")
	case s.Sparse != nil:
		p.exactPasses(how.passes)
	default:
		p.AddEntries(float64(how.passes) * p.totalEntries())
		p.Add("tiles of an exact pass", p.threads*tilesize.PairRows*tilesize.PairRows, "`Engine.Threads`")
		p.Add("rows as the columns of tiles", s.Cols*int64(s.Columns), "`Sums sampled`")
	}
}

// residualRows adds the rows and columns used for residuals, including the landmarks.
func (p *planner) residualRows(rows, cols int64) {
	numbers := (rows + cols) * int64(p.shape.Columns)
	if p.shape.Sparse != nil {
		numbers = p.rows(rows) + p.rows(cols)
	}
	p.Add("rows and columns of the residuals", numbers, "`Rows/Cols`")
}

// residuals adds the cost of estimates from the given rows and columns, which include n landmark rows and c landmark
// columns.
func (p *planner) residuals(rows, cols, n, c, rank int64) {
	if p.shape.Sparse == nil {
		p.Add("columns of the residuals as those of tiles", cols*int64(p.shape.Columns), "`Rows/Cols`")
	}
	p.Add("entries of the residuals", 3*rows*cols+6*(rows+cols)*rank, "`Rows/Cols`")
	checked := min(rank, checkedDirections)
	p.Add("Krylov spaces of the residuals", (rows+cols)*(checked+tiles.Oversampling)*(2*blocksFor(rows+cols, checked)+6), "`Rows/Cols`")
	p.AddEntries(float64(rows)*float64(cols) + float64(rows)*float64(c) + float64(n)*float64(cols))
}
