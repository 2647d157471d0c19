package rkhs

import (
	"slices"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/tilesize"
)

// Plan returns the cost of a fit; for AlgorithmExact, with the largest number of landmarks.
func (s Solver) Plan(e stream.Engine, shape model.Size, k kernelgen.Kernel) (*model.Plan, error) {
	return s.with(k).plan(e, shape)
}

func (s resolvedSolver) plan(e stream.Engine, shape model.Size) (*model.Plan, error) {
	auto := s.Algorithm == AlgorithmAuto
	s, notes, err := s.settings(e, shape)
	if err != nil {
		return nil, err
	}
	columns := shape.Columns + columnsOf(shape, SideY)
	if s.Operator.Traits().Single {
		columns = shape.Columns
	}
	rows := shape.Longest() // for unpaired rows, an upper bound of both passes
	features := 1
	for _, space := range s.spacesOf(shape) {
		features += s.mostFeatures(space.rows) * space.sides
	}
	e = pairBlocks(e, columns, features)
	p := model.NewPlan(e, rows, columns)
	p.SourcePasses, p.SharedPasses = 1, []string{"pairs"}
	if s.Algorithm == AlgorithmExact {
		p.SetNotShardable("the exact engine looks at pairs of rows, which are in memory; use `Algorithm landmark`")
	}
	if p.Notes = notes; auto {
		p.Choice.Name = s.Algorithm.String()
	}
	for _, space := range s.spacesOf(shape) {
		p.AddEntries(float64(space.of) * float64(s.planSpace(p, e, space)))
	}
	pass := model.NewPlan(e, rows, columns)
	s.planPass(pass, e, shape, columns, int64(features))
	p.Stage(pass)
	p.SourcePasses += pass.SourcePasses
	algebra, f := model.NewPlan(e, rows, columns), int64(features)
	algebra.Add("decomposition", 9*f*f, "`Landmarks`")
	if s.Operator.Traits().AllPairs {
		algebra.Add("features of all pairs", 2*rows*f, "`Landmarks`")
	}
	p.Stage(algebra)
	return p, nil
}

// plannedSpace is a space, with the number of candidates for its landmarks.
type plannedSpace struct {
	rows    int64
	columns int
	sides   int   // number of sides with its features
	of      int64 // number of rows of these sides
}

// spacesOf returns the spaces of a fit.
func (s resolvedSolver) spacesOf(shape model.Size) []plannedSpace {
	n, m := shape.Rows, rowsOf(shape, SideY)
	switch {
	case s.Operator.Traits().Single:
		return []plannedSpace{{s.poolSize(n), shape.Columns, 1, n}}
	case s.OneSpace():
		return []plannedSpace{{s.poolSize(n + m), shape.Columns, 2, n + m}}
	}
	return []plannedSpace{{s.poolSize(n), shape.Columns, 1, n}, {s.poolSize(m), columnsOf(shape, SideY), 1, m}}
}

// planSpace adds the choice of landmarks, and returns their largest number.
func (s resolvedSolver) planSpace(p *model.Plan, e stream.Engine, space plannedSpace) int64 {
	of := model.NewPlan(e, space.rows, space.columns)
	n, d, c := space.rows, int64(space.columns), int64(s.mostFeatures(space.rows))
	if s.Algorithm == AlgorithmExact {
		proposals := int64(basis.Proposals(n))
		of.Add("Cholesky factor", n*c, "`Landmarks`")
		of.Add("residual diagonal", 2*n, "the number of rows")
		of.Add("proposals", proposals*(proposals+3*d+c), "")
		of.AddEntries(float64(n)*float64(c) + 2*float64(c)*float64(min(proposals, 2*c)))
	} else {
		s.choice(n).AddTo(of, d)
	}
	of.Add("kernel between landmarks", 5*c*c, "`Landmarks`")
	of.AddEntries(2 * float64(c) * float64(c))
	of.Add("rows to choose from", n*d, "`Landmarks`")
	p.Stage(of)
	return c
}

// planPass adds the pass over the pairs and the algebra after it.
func (s resolvedSolver) planPass(p *model.Plan, e stream.Engine, shape model.Size, columns int, features int64) {
	n := shape.Longest()
	threads := e.PassWorkers(n, columns)
	p.Add("landmarks", 2*features*int64(columns), "`Landmarks`")
	p.Add("features of a panel", threads*tilesize.PanelRows*2*features, "`Engine.Threads`")
	// Three squares for matrix products, or one and the stacked matrix for reflections.
	p.Add("QR workspace", threads*(max(tilesize.PanelRows, features)+4*features)*features, "`Landmarks`")
	p.Fold("moments of pairs", n, columns, features*(features+1)/2, "`Landmarks`")
	if s.Operator.Traits().AllPairs {
		p.SourcePasses++
		p.Add("features of all pairs", 2*n*features, "`Landmarks`")
	}
	if s.Center && slices.ContainsFunc(s.kernels[:], kernelgen.Kernel.CenteredShift) {
		p.Add("moved rows", threads*tiles.OriginRows*int64(columns), "`Engine.Threads`")
	}
	if shape.Weighted {
		p.Add("weights", n, "")
	}
}
