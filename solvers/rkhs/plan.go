package rkhs

import (
	"math/bits"

	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/stream"
)

// Plan works out the cost of a fit. That of EngineExact is for as many landmarks as it
// may take.
func (s Solver) Plan(e stream.Engine, shape Shape) (*lowrank.Plan, error) {
	s, _, err := s.settings(e, shape)
	if err != nil {
		return nil, err
	}
	p := &lowrank.Plan{Passes: 1}
	p.Memory.Items = append(p.Memory.Items, stream.BudgetItem{What: "program and I/O buffers", Bytes: lowrank.RuntimeBytes})
	columns := shape.Columns + shape.ColumnsY
	if s.Operator.traits().alone {
		columns = shape.Columns
	}
	e.PassBudget(&p.Memory, columns)
	features := int64(1)
	for _, space := range s.spacesOf(shape) {
		f, err := s.planSpace(p, e, space)
		if err != nil {
			return nil, err
		}
		features += f * int64(space.sides)
		p.KernelEntries += shape.Pairs * f * int64(space.sides)
		p.Flops += 2 * float64(shape.Pairs) * float64(f) * float64(f*int64(space.sides)+int64(space.columns))
	}
	s.planPass(p, e, shape, int64(columns), features)
	return p, nil
}

// plannedSpace is a space whose landmarks are chosen from so many rows.
type plannedSpace struct {
	rows    int64
	columns int
	sides   int // that have its features
}

// spacesOf are the spaces of a fit.
func (s Solver) spacesOf(shape Shape) []plannedSpace {
	n := shape.Pairs
	switch {
	case s.Operator.traits().alone:
		return []plannedSpace{{s.poolSize(n), shape.Columns, 1}}
	case s.oneSpace():
		return []plannedSpace{{s.poolSize(2 * n), shape.Columns, 2}}
	}
	return []plannedSpace{{s.poolSize(n), shape.Columns, 1}, {s.poolSize(n), shape.ColumnsY, 1}}
}

// planSpace adds the choice of landmarks, and is how many there will be at most.
func (s Solver) planSpace(p *lowrank.Plan, e stream.Engine, space plannedSpace) (int64, error) {
	most := int(min(int64(s.Landmarks), space.rows))
	var of *lowrank.Plan
	var err error
	switch {
	case s.Engine == EngineExact:
		of, err = lowrank.RPCholesky{Rank: most}.Plan(e, space.rows, space.columns)
	case s.Random:
		of, err = lowrank.RFF{Rank: s.Landmarks, Orthogonal: true}.Plan(e, space.rows, space.columns)
		most = s.Landmarks
	default:
		of, err = lowrank.Nystrom{Rank: most, Choice: lowrank.ChoicePivoted}.Plan(e, space.rows, space.columns)
	}
	if err != nil {
		return 0, err
	}
	p.Memory.Items = append(p.Memory.Items, of.Memory.Items[2:]...) // runtime and blocks once
	p.Memory.Add("rows to choose from", space.rows*int64(space.columns), "--landmarks")
	p.KernelEntries += of.KernelEntries
	p.Flops += of.Flops
	return int64(most), nil
}

// planPass adds the pass over the pairs and the algebra after it.
func (s Solver) planPass(p *lowrank.Plan, e stream.Engine, shape Shape, columns, features int64) {
	threads, n := int64(e.Workers()), shape.Pairs
	states := int64(bits.Len64(uint64(n/int64(stream.BlockRows(int(columns)))))) + threads + 3
	p.Memory.Add("features of a panel", threads*stream.PanelRows*2*features, "--threads")
	p.Memory.Add("QR workspace", threads*(stream.PanelRows+2*features)*features, "--landmarks")
	p.Memory.Add("moments of pairs", states*features*features, "--landmarks")
	p.Memory.Add("decomposition", 8*features*features, "--landmarks")
	if shape.Weighted {
		p.Memory.Add("weights", n, "")
	}
	p.Flops += 2*float64(n)*float64(features)*float64(features) + 30*float64(features)*float64(features)*float64(features)
}
