package lowrank

import (
	"fmt"
	"math/bits"

	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Plan is model.Plan, until its users have moved to that.
type Plan = model.Plan

// RuntimeBytes is model.RuntimeBytes, until its users have moved to that.
const RuntimeBytes = model.RuntimeBytes

// planner collects the items that methods have in common.
type planner struct {
	Plan
	engine    stream.Engine
	precision Precision
	threads   int64
	d         int64
}

func newPlanner(e stream.Engine, precision Precision, d int, passes int) *planner {
	p := &planner{engine: e, precision: precision, threads: int64(e.Workers()), d: int64(d)}
	p.Passes = passes
	p.Memory.Items = append(p.Memory.Items, stream.BudgetItem{What: "program and I/O buffers", Bytes: RuntimeBytes})
	e.PassBudget(&p.Memory, d)
	return p
}

// landmarks adds rows that are kept in memory, as they are and packed, and what
// float32 takes besides.
func (p *planner) landmarks(what string, rows int64) {
	const knob = "--nnz or --rank"
	p.Memory.Add(what, 2*rows*p.d, knob)
	if p.precision == Float32 {
		p.Memory.Add(what+" in float32", rows*p.d/2+p.threads*foldRows*(p.d+rows)/2, knob)
		columns := min(rows, boundColumns)
		p.Memory.Add("precision bound", columns*(2*p.d+2*foldRows)+foldRows*p.d, "--precision float64")
	}
}

// pass adds a pass of n rows that folds tiles of the given width into a
// triangular factor with c columns and states of the given size.
func (p *planner) pass(n, width, c, state int64) {
	panel := int64(stream.PanelRows)
	p.Memory.Add("tiles", p.threads*panel*(width+c), "--threads")
	p.Memory.Add("QR workspace", p.threads*(panel+2*c)*c, "--rank")
	p.Memory.Add("accumulators", p.states(n)*state, "--rank")
	p.KernelEntries += n * width
	p.Flops += 2 * float64(n) * float64(c) * float64(c)
}

// states is the number of partial accumulators that a fold of n rows holds.
func (p *planner) states(n int64) int64 {
	blocks := n / int64(stream.BlockRows(int(p.d)))
	return int64(bits.Len64(uint64(blocks))) + p.threads + 3
}

// core adds the fit of a core on t×u points, folded to r×s numbers.
func (p *planner) core(t, u, r, s int64) {
	p.Memory.Add("core points", (t+u)*2*p.d, "--sketch")
	p.Memory.Add("core tiles", p.threads*corePanel*(u+s), "--sketch")
	p.Memory.Add("core", (t+u)*r+(3+p.threads)*r*s, "--sketch")
	p.KernelEntries += t * u
	p.Flops += 2 * float64(t) * (float64(u)*float64(min(s, 2)) + float64(r)*float64(s))
}

// checks adds the error estimate on n rows, and the entries that embedding t core
// points takes, with width landmarks.
func (p *planner) checks(n, t, width int64) {
	rows := sampleRows(n, width)
	p.embeds(n, t, width)
	p.KernelEntries += rows * rows
	p.Memory.Add("error estimate", rows*(rows+width+2*p.d), "--rank")
}

// embeds adds the embedding of t core points and of the rows of the error estimate.
func (p *planner) embeds(n, t, width int64) {
	p.KernelEntries += (t + sampleRows(n, width)) * width
}

// sampleRows is how many of n rows the error estimate looks at.
func sampleRows(n, landmarks int64) int64 { return min(n, landmarks+int64(heldBack(int(landmarks)))) }

// choice adds the choice of landmarks.
func (p *planner) choice(c chooser) {
	m, l, k := c.reservoir(), int64(c.landmarks), int64(c.columns)
	const knob = "--landmarks uniform"
	if c.looks() {
		p.Memory.Add("candidates", 2*m*p.d, knob)
	}
	all := c.choice == ChoiceAuto
	if c.choice == ChoiceLeverage {
		s := int64(leverageSample(int(m), c.landmarks))
		p.Memory.Add("leverage scores", 2*s*p.d+4*s*s+3*m, knob)
		p.KernelEntries += s * (m + 2*s)
		p.Flops += 2*float64(m)*float64(s)*float64(s) + 10*float64(s)*float64(s)*float64(s)
	}
	if c.choice == ChoicePivoted || all {
		p.Memory.Add("pivoted Cholesky", m*(l+2), knob)
		p.KernelEntries += m * l
		p.Flops += float64(m) * float64(l) * float64(l)
	}
	if c.choice == ChoiceDeterminantal || all {
		p.Memory.Add("leading vectors", 8*m*(k+subspaceRandom), knob)
		p.KernelEntries += m * (m + stream.PairRows)
		p.Flops += 4*float64(m)*float64(m)*float64(k) + float64(m)*float64(k)*float64(l)
	}
	if all {
		j := min(m, judges)
		p.Memory.Add("jury", j*(2*j+2*l)+l*l, knob)
		p.KernelEntries += 3 * (j*j + l*l + j*l)
	}
}

// Plan works out the cost of a fit on n rows with d columns.
func (m S3SPSD) Plan(e stream.Engine, n int64, d int) (*Plan, error) {
	size, err := fitSizes(n, m.Rank, m.Sketch, m.NNZ)
	if err != nil {
		return nil, err
	}
	c, s, z := int64(size.rank), int64(size.sketch), int64(size.nnz)
	p := newPlanner(e, m.Precision, d, 1)
	p.landmarks("landmarks", z*c)
	p.pass(n, z*c, c, 5*c*c)
	p.core(z*s, z*s, s, s)
	p.checks(n, 2*z*s, z*c) // the core is fitted twice
	return &p.Plan, nil
}

// Plan works out the cost of a fit on n rows with d columns.
func (m Landmark) Plan(e stream.Engine, n int64, d int) (*Plan, error) {
	points, err := m.points(n, "C", "S")
	if err != nil {
		return nil, err
	}
	c, t := int64(len(points.landmarks)), int64(len(points.core))
	p := newPlanner(e, m.Precision, d, 1)
	p.landmarks("landmarks", c)
	p.pass(n, c, c, c*c)
	p.core(t, t, c, c)
	p.choice(chooser{rows: n, choice: m.Choice, columns: m.Rank, landmarks: int(c)})
	p.checks(n, t, c)
	p.Flops += 2 * float64(t) * float64(t) * float64(c)
	return &p.Plan, nil
}

// PlanRect works out the cost of a fit on m×n rows with d columns.
func (m Landmark) PlanRect(e stream.Engine, rows, cols int64, d int) (*Plan, error) {
	m.Choice, m.NNZ = ChoiceUniform, m.landmarksPerColumn()
	left, err := m.Plan(e, rows, d)
	if err != nil {
		return nil, err
	}
	right, err := m.Plan(e, cols, d)
	if err != nil {
		return nil, err
	}
	left.Memory.Items = append(left.Memory.Items, right.Memory.Items[2:]...) // runtime and blocks once
	core, sample := int64(m.coreSize(cols)), sampleRows(cols, int64(m.NNZ)*int64(m.Rank))
	left.KernelEntries += right.KernelEntries - core*core - sample*sample // one of each for both
	left.Flops += right.Flops
	return left, nil
}

// coreSize is the number of core points among n rows.
func (m Landmark) coreSize(n int64) int {
	points, err := m.points(n, "C", "S")
	if err != nil {
		return 0
	}
	return len(points.core)
}

// Plan works out the cost of a fit on rows×cols; cols is 0 for one source.
func (m SSRSVD) Plan(e stream.Engine, rows, cols int64, d int) (*Plan, error) {
	other := cols
	if cols == 0 {
		other = rows
	}
	size, err := fitSizes(min(rows, other), m.Rank, m.Sketch, m.NNZ)
	if err != nil {
		return nil, err
	}
	c, s, z := int64(size.rank), int64(size.sketch), int64(size.nnz)
	p := newPlanner(e, m.Precision, d, 1)
	p.landmarks("landmarks", 2*z*c)
	p.pass(rows, z*c, c, c*c)
	p.pass(other, z*c, c, c*c)
	p.core(z*s, z*s, s, s)
	p.checks(rows, z*s, z*c)
	p.embeds(other, z*s, z*c)
	return &p.Plan, nil
}

// Plan works out the cost of a fit on a rows×cols matrix.
func (m SSRSVDMatrix) Plan(e stream.Engine, rows, cols int64) (*Plan, error) {
	if most := min(rows, cols); m.Rank < 1 || int64(m.Rank) > most {
		return nil, fmt.Errorf("`rank %d`: a %d × %d matrix has rank %d at most", m.Rank, rows, cols, most)
	}
	if m.Sketch > 0 && m.Sketch < m.Rank {
		return nil, fmt.Errorf("`sketch %d` is below `rank %d`", m.Sketch, m.Rank)
	}
	c, s := int64(m.Rank), int64(max(m.Sketch, 5*m.Rank))
	p := newPlanner(e, Float64, int(cols), 1)
	p.pass(rows, c+s, c, c*c+c*cols+s*s+s*c)
	p.KernelEntries = rows * cols
	p.Flops += 2 * signsPerRow * 4 * float64(rows) * float64(cols)
	return &p.Plan, nil
}
