package lowrank

import (
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/tilesize"
)

// planner is a plan with the items common to several methods.
type planner struct {
	*model.Plan
	engine  stream.Engine
	threads int64
	rows, d int64
}

func newPlanner(e stream.Engine, rows int64, d int) *planner {
	p := &planner{Plan: model.NewPlan(e, rows, d), rows: rows, engine: e, threads: int64(e.Workers()), d: int64(d)}
	p.SourcePasses = 1
	return p
}

// stage adds a stage of the fit: see [model.Plan.Stage].
func (p *planner) stage(add func(next *planner)) {
	next := *p
	next.Plan = model.NewPlan(p.engine, p.rows, int(p.d))
	add(&next)
	p.Stage(next.Plan)
}

// Knobs for landmarks, core points and the nonzeros of a published sketch.
const (
	landmarksKnob = "`Landmarks` or `Rank`"
	coreKnob      = "`Core` or `Rank`"
	sketchedKnob  = "`NNZ` or `Rank`"
)

// gathered adds the core points and held-back rows of some sides of a source of n rows, fetched together with their
// landmarks. The longest list reuses the memory of the fetched rows.
func (p *planner) gathered(n, sides, landmarks, core int64) {
	held := sampleRows(n, landmarks) - landmarks
	all, longest := sides*(landmarks+core+held), max(landmarks, core, held)
	p.Add("core points and held-back rows", (min(n, all)+all-longest-sides*landmarks)*p.d, "`Sketch` or `Rank`")
}

// held adds the held-back rows of some sides of a source of n rows.
func (p *planner) held(n, sides, landmarks int64) {
	p.Add("held-back rows", sides*(sampleRows(n, landmarks)-landmarks)*p.d, "`Rank`")
}

// compared adds the landmarks and found rows of the error estimate: joined, and packed as columns of tiles.
func (p *planner) compared(landmarks, found int64) {
	p.Add("landmarks and rows found in the error estimate", (3*landmarks+found)*p.d, sketchedKnob)
}

// sketched adds the landmarks of published sketches: original rows, rows in the order of the sketch, and packed rows.
func (p *planner) sketched(rows int64) { p.Add("landmarks", 3*rows*p.d, sketchedKnob) }

// landmarks adds rows kept in memory, original and packed.
func (p *planner) landmarks(rows int64, knob string) { p.Add("landmarks", 2*rows*p.d, knob) }

// moved adds the shifted rows of a centred kernel.
func (p *planner) moved(k kernelgen.Kernel) {
	if k.CenteredShift() {
		p.Add("moved rows", p.threads*tiles.OriginRows*p.d, "`Engine.Threads`")
	}
}

// pass adds a pass over n rows that folds tiles of the given width into a triangular factor of c columns, with states
// of the given size.
func (p *planner) pass(n, width, c, state int64) {
	panel, threads := min(tilesize.PanelRows, n), p.engine.PassWorkers(n, int(p.d))
	p.Add("tiles", threads*panel*(width+c), "`Engine.Threads`")
	p.Add("QR workspace", threads*(panel+2*c)*c, "`Rank`")
	p.Fold("accumulators", n, int(p.d), state, "`Rank`")
	p.AddEntries(float64(n) * float64(width))
}

// widePass adds a pass over n rows that sums a Gram matrix of c columns, shared by the threads, with a state of the
// given size.
func (p *planner) widePass(n, c, state int64) {
	panel := min(tilesize.WideRows, n)
	threads := min(p.threads, n/panel+1)
	p.Add("tiles", 2*threads*panel*c, "`Engine.Threads`")
	p.Add("whitened rows", p.engine.WideBlocks(n, int(p.d))*panel*(c+c/8), "`Engine.Threads`")
	p.FoldWide("accumulators", n, c*(c+1)/2+state, "`Rank`")
	p.AddEntries(float64(n) * float64(c))
}

// scout adds the search for rows of high leverage in a sketch of c columns and the given width, from t core points.
func (p *planner) scout(t, width, c, found int64) {
	if found == 0 {
		return
	}
	p.stage(func(p *planner) {
		p.Add("leverage of core points", 2*t*c+5*c*c, "`Rank`")
		p.eachTile("tiles of the leverage", t, width)
	})
	p.AddEntries(float64(t) * float64(width))
}

// found returns the size in numbers of rows kept by a pass.
func (p *planner) found(rows int64) int64 { return rows * (p.d + 2) }

// foundChecks adds rows of high leverage to the error estimate on n rows with width landmarks.
func (p *planner) foundChecks(n, width, found int64) {
	p.AddEntries(float64(found) * float64(width+sampleRows(n, width)))
	p.Add("rows of high leverage in the error estimate", found*(found+sampleRows(n, width)), "`Rank`")
}

// core adds the fit of a core on t×t points, folded to r×r numbers: the points of each side, and those of one packed as
// columns of tiles.
func (p *planner) core(sides, t, r int64) {
	p.Add("core points", (sides+2)*t*p.d, "`Sketch`")
	p.Add("core tiles", p.threads*basis.PanelRows*(t+r), "`Sketch`")
	p.Add("core", 2*t*r+(3+p.threads)*r*r, "`Sketch`")
	p.AddEntries(float64(t) * float64(t))
}

// symmetricCore adds the memory of a core of one source on t points, projected to r.
func (p *planner) symmetricCore(t, r int64) {
	p.Add("core tiles", p.threads*tilesize.PairRows*(tilesize.PairRows+2*p.d), "`Engine.Threads`")
	p.Add("core", 2*t*r+4*r*r, coreKnob)
}

// pairs adds the entries between all pairs of m rows.
func (p *planner) pairs(m int64) { p.AddEntries(float64(m) * float64(m+tilesize.PairRows) / 2) }

// checks adds the error estimate on n rows, and the entries that embed t core points, with width landmarks.
func (p *planner) checks(n, t, width int64) {
	rows := sampleRows(n, width)
	p.embeds(n, t, width)
	p.AddEntries(float64(rows) * float64(rows))
	p.Add("error estimate", rows*(rows+width+2*p.d), "`Rank`")
	p.eachTile("tiles of the error estimate", rows, rows)
}

// embeds adds the embedding of t core points and of the rows of the error estimate.
func (p *planner) embeds(n, t, width int64) {
	p.AddEntries(float64(t+sampleRows(n, width)) * float64(width))
}

// eachTile adds the panels of rows against columns, one for each busy worker.
func (p *planner) eachTile(what string, rows, columns int64) {
	p.Add(what, min(rows, p.threads*basis.PanelRows)*columns, "`Engine.Threads`")
}

// sampleRows returns the number of rows of the error estimate.
func sampleRows(n, landmarks int64) int64 {
	return min(n, landmarks+int64(heldBackCount(int(landmarks))))
}

// Plan returns the cost of a fit.
func (m S3SPSD) Plan(e stream.Engine, s model.Size, k kernelgen.Kernel) (*model.Plan, error) {
	if err := checkSymmetric(s, k); err != nil {
		return nil, err
	}
	if err := m.check(k); err != nil {
		return nil, err
	}
	size, err := fitSizes(s.Rows, m.Rank, m.Sketch, m.NNZ, m.LeverageRows)
	if err != nil {
		return nil, err
	}
	c, core, z, found := int64(size.rank), int64(size.sketch), int64(size.nnz), int64(size.leverage)
	p := newPlanner(e, s.Rows, s.Columns)
	p.stage(func(p *planner) {
		p.gathered(s.Rows, 1, z*c, z*core)
		p.scout(z*core, z*c, c, found)
		p.pass(s.Rows, z*c, c, 5*c*c+p.found(found))
	})
	p.stage(func(p *planner) {
		p.core(1, z*core+found, core+found)
		p.held(s.Rows, 1, z*c)
	})
	p.stage(func(p *planner) {
		p.checks(s.Rows, 2*(z*core+found), z*c) // the core is fitted twice
		p.foundChecks(s.Rows, z*c, found)
		p.held(s.Rows, 1, z*c)
		p.compared(z*c, found)
	})
	p.sketched(z * c)
	p.SharedPasses = []string{"fit"}
	return p.Plan, nil
}

// Plan returns the cost of a fit.
func (m Landmark) Plan(e stream.Engine, s model.Size, k kernelgen.Kernel) (*model.Plan, error) {
	if s.OneSource() && k.Symmetric() {
		if err := checkSymmetric(s, k); err != nil {
			return nil, err
		}
		if err := m.checkOne(); err != nil {
			return nil, err
		}
		p, err := m.planPass(e, s.Rows, s.Columns, k)
		if err == nil {
			p.SharedPasses = []string{"fit"}
			err = m.planFewer(e, p, s, k)
		}
		return p, err
	}
	if err := m.checkTwo(k); err != nil {
		return nil, err
	}
	m.Rule = RuleUniform
	of, passes := s, 1
	if s.OneSource() {
		s.Cols, passes = s.Rows, 2
	}
	p, err := m.planPass(e, s.Rows, s.Columns, k)
	if err != nil {
		return nil, err
	}
	right, err := m.planPass(e, s.Cols, s.Columns, k)
	if err != nil {
		return nil, err
	}
	p.Stage(right) // the rows of both sides are in memory
	landmarks := m.landmarks()
	core, sample := int64(m.coreSize(s.Cols)), sampleRows(s.Cols, landmarks)
	p.Add("landmarks and core points of the other side", 2*(core+landmarks)*int64(s.Columns), "`Rank`")
	p.KernelEntries -= core*core + sample*sample // each is needed once for both sides
	points, err := m.points(s.Rows, "C", "S", true)
	if err != nil {
		return nil, err
	}
	p.SourcePasses = passes
	planRowSums(p, int64(e.Workers()), m.Sums, of, k, rowSumCost{landmarks: landmarks, core: int64(len(points.core) + points.scouted), scout: int64(min(1, points.scouted) * len(points.core)),
		sample: sampleRows(s.Rows, landmarks) + int64(points.scouted)})
	p.SharedPasses = []string{"fit", "fit"}
	return p, nil
}

// rowSumCost is the number of left rows whose row sums a fit computes, besides those of the pass.
type rowSumCost struct {
	landmarks int64 // three times
	scout     int64 // core rows before the pass, once
	core      int64 // twice
	sample    int64 // rows of the error estimate
}

// planRowSums adds the row sums of a kernel to the plan of a fit of size s.
func planRowSums(p *model.Plan, threads int64, rule Sums, s model.Size, k kernelgen.Kernel, c rowSumCost) {
	cols := s.Cols
	if s.OneSource() {
		cols = s.Rows
	}
	m, checked := sumRows(rule, s.Rows, cols, k)
	if m == 0 {
		return
	}
	p.Add("rows of the row sums", 2*(m+checked)*int64(s.Columns), "`Sums`")
	p.Add("tiles of the row sums", threads*tiles.SumTile, "`Engine.Threads`")
	if checked == 0 {
		p.SourcePasses++
		checked = m
	}
	p.AddEntries(float64(m)*float64(s.Rows+3*c.landmarks+c.scout+2*c.core+c.sample) + float64(checked)*float64(c.sample))
}

// planPass returns the cost of a pass over n rows with d columns, and of a core.
func (m Landmark) planPass(e stream.Engine, n int64, d int, k kernelgen.Kernel) (*model.Plan, error) {
	points, err := m.points(n, "C", "S", false)
	if err != nil {
		return nil, err
	}
	c, t, found := int64(len(points.landmarks)), int64(len(points.core)+points.scouted), int64(points.scouted)
	p := newPlanner(e, n, d)
	choice, ahead := m.choice(points, n, k), int64(0)
	choice.AddTo(p.Plan, p.d)
	if choice.NeedsKernel() {
		ahead = choice.Reservoir()
	}
	p.stage(func(p *planner) { p.Add("rows that are fetched", (t+ahead)*p.d, coreKnob) })
	p.stage(func(p *planner) {
		if m.wide(k) {
			p.widePass(n, c, p.found(found))
		} else {
			p.pass(n, c, c, c*c+p.found(found))
		}
		if found > 0 {
			p.Add("leverage of core points", 2*min(t, basis.SampleRows*c)*c+5*c*c, "`Rank`")
		}
	})
	if found > 0 {
		p.AddEntries(float64(min(t, basis.SampleRows*c) * c))
	}
	p.pairs(t)
	p.stage(func(p *planner) {
		p.Add("whitening", 4*c*c, "`Rank`")
		p.symmetricCore(t, c) // for all columns, in case the others are needed
	})
	p.stage(func(p *planner) {
		p.checks(n, t, c)
		p.foundChecks(n, c, found)
	})
	p.landmarks(c, landmarksKnob)
	p.Add("core points", 2*t*p.d, coreKnob)
	return p.Plan, nil
}

// coreSize returns the number of core points among n rows.
func (m Landmark) coreSize(n int64) int {
	points, err := m.points(n, "C", "S", false)
	if err != nil {
		return 0
	}
	return len(points.core)
}

// Plan returns the cost of a fit.
func (m SSRSVD) Plan(e stream.Engine, s model.Size, k kernelgen.Kernel) (*model.Plan, error) {
	if err := checkKernel(k); err != nil {
		return nil, err
	}
	other := s.Cols
	if s.OneSource() {
		other = s.Rows
	}
	size, err := fitSizes(min(s.Rows, other), m.Rank, m.Sketch, m.NNZ, m.LeverageRows)
	if err != nil {
		return nil, err
	}
	c, core, z, found := int64(size.rank), int64(size.sketch), int64(size.nnz), int64(size.leverage)
	p := newPlanner(e, s.Longest(), s.Columns)
	p.stage(func(p *planner) {
		if s.OneSource() {
			p.gathered(s.Rows, 2, z*c, z*core)
		} else {
			p.gathered(s.Rows, 1, z*c, z*core)
			p.gathered(other, 1, z*c, z*core)
		}
		p.scout(z*core, z*c, c, found)
		p.scout(z*core, z*c, c, found)
		p.pass(s.Rows, z*c, c, c*c+p.found(found))
		p.pass(other, z*c, c, c*c+p.found(found))
	})
	p.stage(func(p *planner) {
		p.core(2, z*core+found, core+found)
		p.held(min(s.Rows, other), 2, z*c)
	})
	p.stage(func(p *planner) {
		p.checks(s.Rows, z*core+found, z*c)
		p.embeds(other, z*core+found, z*c)
		p.foundChecks(s.Rows, z*c, found)
		p.Add("rows of the other side in the error estimate", (sampleRows(other, z*c)+found)*p.d, "`Rank`")
		p.held(min(s.Rows, other), 2, z*c)
		p.compared(2*z*c, 2*found)
	})
	p.sketched(2 * z * c)
	planRowSums(p.Plan, p.threads, m.Sums, s, k, rowSumCost{landmarks: z * c, scout: min(1, found) * z * core, core: z*core + found, sample: sampleRows(s.Rows, z*c) + found})
	p.SharedPasses = []string{"fit"}
	if !s.OneSource() {
		p.SharedPasses = append(p.SharedPasses, "fit")
	}
	return p.Plan, nil
}
