package askls

import (
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/tilesize"
)

// plannedIterations is the largest number of MINRES iterations in a plan.
const plannedIterations = 100

// Plan returns the cost of a fit. An explicit matrix ignores the kernel.
func (m Solver) Plan(e stream.Engine, s model.Size, k kernelgen.Kernel) (*model.Plan, error) {
	m, err := m.settings(int(s.Rows))
	if err != nil {
		return nil, err
	}
	engine, notes := m.choose(s, k)
	p, err := m.plan(e, engine, s, k)
	if err == nil && m.Algorithm == AlgorithmAuto {
		p.Choice.Name, p.Notes = engine.String(), append(notes, p.Notes...)
	}
	return p, err
}

// fits reports whether an engine stays within the memory for two classes.
func (m Solver) fits(engine Algorithm, s model.Size, k kernelgen.Kernel) bool {
	if m.Memory == 0 {
		return true
	}
	s.Classes = 2
	p, err := m.plan(stream.Engine{}, engine, s, k)
	return err == nil && p.Memory.Check(m.Memory) == nil
}

func (m Solver) plan(e stream.Engine, engine Algorithm, s model.Size, k kernelgen.Kernel) (*model.Plan, error) {
	p := model.NewPlan(e, s.Rows, columnsRead(s))
	if engine == AlgorithmLowRank {
		return p, m.planLowRank(p, e, s, k)
	}
	n, c := s.Rows, int64(s.Classes)
	p.SourcePasses = 1
	if engine == AlgorithmDense {
		m.planDense(p, n, c)
	} else if err := m.planIterative(p, e, s, k); err != nil {
		return nil, err
	}
	m.planMatrix(p, e, s, k, engine) // common to all stages
	p.Add("model", 2*n*c, "")
	if m.Merge == MergeStack {
		p.Add("decisions out of fold", 6*n*c, "`Merge average`")
	}
	return p, nil
}

// columnsRead returns the number of columns read in a pass: 0 for sparse rows, which are in memory.
func columnsRead(s model.Size) int {
	if s.Sparse != nil {
		return 0
	}
	return s.Columns
}

// planMatrix adds the cost of K.
func (m Solver) planMatrix(p *model.Plan, e stream.Engine, s model.Size, k kernelgen.Kernel, engine Algorithm) {
	n := s.Rows
	switch {
	case explicit(s):
		p.Add("matrix and its transpose", 3*s.Sparse.Entries+4*n, "")
		return
	case s.Sparse != nil:
		p.Add("all rows", 3*s.Sparse.Entries+4*n, "`Algorithm lowrank`")
	default:
		p.Add("all rows", 4*n*int64(s.Columns), "`Algorithm lowrank`")
	}
	p.Add("tiles", int64(e.Workers())*tilesize.PairRows*tilesize.PairRows, "`Engine.Threads`")
	passes := 1.0
	if _, normalised := k.Normaliser(); normalised {
		passes = 3 // row sums for the fit and for the model
	}
	all := float64(n) * float64(n)
	if engine == AlgorithmDense {
		p.AddEntries(passes * all)
		p.Add("kernel matrix", n*n, smallerEngine)
		return
	}
	p.AddEntries((passes - 1) * all)
	if n <= 4000 {
		p.AddEntries(all)
		p.Add("kernel matrix", n*n, "`Algorithm lowrank`")
	}
}

// smallerEngine names the engines that need less memory than the dense one.
const smallerEngine = "`Algorithm iterative` or `Algorithm lowrank`"

func (m Solver) planDense(p *model.Plan, n, c int64) {
	size := 2*n + 2
	systems := int64(1)
	if m.Merge == MergeStack {
		systems = 2 // another for folds of a normalised kernel
	}
	p.Add("system and its factors", 3*systems*size*size, smallerEngine)
	p.Add("right sides and solutions", 8*size*c, "")
	if m.Merge == MergeStack {
		out := (size + int64(m.Folds) - 1) / int64(m.Folds)
		p.Add("blocks of folds", 8*out*out+2*out*size, "`Folds`")
	}
}

func (m Solver) planIterative(p *model.Plan, e stream.Engine, s model.Size, k kernelgen.Kernel) error {
	n, c := s.Rows, int64(s.Classes)
	sets := int64(1)
	if m.Merge == MergeStack {
		sets += int64(m.Folds)
	}
	columns := sets*c + 1
	iterations := int64(min(m.Iterations, plannedIterations))
	r, solve := int64(0), model.NewPlan(e, n, columnsRead(s))
	solve.Add("vectors of MINRES", 13*(2*n+2)*columns, "`Folds`, or the number of classes")
	if !explicit(s) && int64(m.Rank) < n {
		r = int64(m.Rank)
		before, err := m.planFunctions(e, s, k)
		if err != nil {
			return err
		}
		factors := model.NewPlan(e, n, columnsRead(s))
		factors.AddEntries(m.passEntries(s))
		factors.Add("factors of the approximation", 2*n*r+m.functions(s), "`Rank`")
		p.Stage(before)
		p.Stage(factors)
		p.SourcePasses += before.SourcePasses + 1
	}
	p.Stage(solve)
	p.Add("preconditioner", 4*n*(r+1)+6*(2*r+4)*(2*r+4), "`Rank`")
	if n > 4000 && !explicit(s) {
		p.AddEntries(float64(iterations) * float64(n) * float64(n))
	}
	return nil
}

func (m Solver) planLowRank(p *model.Plan, e stream.Engine, s model.Size, k kernelgen.Kernel) error {
	before, err := m.planFunctions(e, s, k)
	if err != nil {
		return err
	}
	p.Stage(before)
	p.AddEntries(m.passEntries(s))
	p.SourcePasses = before.SourcePasses + 1
	n, r, c, folds := s.Rows, min(int64(m.Rank), s.Rows), int64(s.Classes), int64(1)
	sums := model.NewPlan(e, n, columnsRead(s))
	sums.Add("functions of the approximation", m.functions(s), "`Rank`")
	if m.Merge == MergeStack {
		folds = int64(m.Folds)
		p.SourcePasses++
		p.AddEntries(m.passEntries(s))
	}
	width := 1 + r + c
	sums.Fold("triangular factors", n, columnsRead(s), 2*folds*width*width, "`Rank` or `Folds`")
	piece := int64(min(pieceRows(int(folds), int(r+c)), stream.BlockRows(columnsRead(s))))
	sums.Add("panels", e.PassWorkers(n, columnsRead(s))*3*piece*width, "`Engine.Threads`")
	sums.Add("core", 8*(2*r+4)*(2*r+4), "`Rank`")
	p.Stage(sums)
	if m.Merge == MergeStack {
		p.Add("decisions out of fold", 6*n*c, "`Merge average`")
	}
	p.Add("labels and targets", n*(c+2), "")
	return nil
}

// planFunctions returns the cost of the approximation, whose rows and columns are Landmarks here.
func (m Solver) planFunctions(e stream.Engine, s model.Size, k kernelgen.Kernel) (*model.Plan, error) {
	p, err := m.nystrom().Plan(e, s, k)
	if err != nil {
		return nil, err
	}
	for i := range p.Memory.Items {
		if item := &p.Memory.Items[i]; item.Setting == "`Rows/Cols`" {
			item.Setting = "`Landmarks`"
		}
	}
	return p, nil
}

// functions returns the size of the functions of both sides of the approximation.
func (m Solver) functions(s model.Size) int64 {
	return 2 * min(int64(m.nystrom().Rows), s.Rows) * int64(3*m.Rank+5+columnsRead(s))
}

// passEntries returns the kernel entries of a pass over both sides of the approximation.
func (m Solver) passEntries(s model.Size) float64 {
	return 2 * float64(s.Rows) * float64(min(int64(m.nystrom().Rows), s.Rows))
}
