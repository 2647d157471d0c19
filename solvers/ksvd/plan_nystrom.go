package ksvd

import (
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Plan returns the cost of a fit. With a tolerance it is that of the largest samples
// allowed. It is an error where [Nystrom.Summing] has one.
func (m Nystrom) Plan(e stream.Engine, s model.Shape, k kernelgen.Kernel) (*model.Plan, error) {
	s = twoSided(s)
	t, err := plannedEntries(k, s)
	if err != nil {
		return nil, err
	}
	if m, err = m.within(e, s, t).settings(s); err != nil {
		return nil, err
	}
	return m.plan(e, s, t), nil
}

// mostLandmarks is where doubling ends: the block of samples takes 6 GB then.
const mostLandmarks = 16384

// within returns the method with samples doubled no further than Memory allows.
func (m Nystrom) within(e stream.Engine, s model.Shape, t *entries) Nystrom {
	if !(m.Tolerance > 0) || m.Memory == 0 {
		return m
	}
	if m.MaxLandmarks == 0 {
		m.MaxLandmarks = mostLandmarks
	}
	for m.MaxLandmarks/2 >= max(m.Rows, m.Cols, 8*m.Rank, 128) {
		if full, err := m.settings(s); err != nil || full.plan(e, s, t).Memory.Check(m.Memory) == nil {
			break
		}
		m.MaxLandmarks /= 2
	}
	return m
}

// largest returns the method, whose settings are complete, with its largest samples.
func (m Nystrom) largest(s model.Shape) Nystrom {
	if m.Tolerance > 0 {
		m.Rows, m.Cols = int(min(s.Rows, int64(m.MaxLandmarks))), int(min(s.Cols, int64(m.MaxLandmarks)))
	}
	return m
}

// plan returns the plan of a method whose settings are complete.
func (m Nystrom) plan(e stream.Engine, s model.Shape, t *entries) *model.Plan {
	m = m.largest(s)
	p := newPlanner(e, s, t)
	n, c, r := int64(m.Rows), int64(m.Cols), int64(m.Rank)
	all := float64(s.Rows) * float64(s.Cols)
	p.ByOne("its work is in samples and in sums over all entries; `method ssrsvd` makes passes over rows alone")
	sums := m.summing(s, t)
	if sums.note != "" {
		p.Notes = append(p.Notes, sums.note)
	}
	kept := int64(0) // rows in the model besides the samples
	switch {
	case sums.passes == 0 || sums.sums == SumsSampled:
	case sums.byPaths:
		p.AddEntries(t.pathSumEntries(s, sums.passes))
		p.pathSums(t, "`sums sampled`")
		p.Passes++
	default:
		p.exactPasses()
		p.AddEntries(float64(sums.passes) * all)
		p.Passes++
	}
	if sums.passes > 0 && sums.sums == SumsExact {
		kept = s.Cols
		if m.Centre {
			kept += s.Rows
		}
	}
	p.Add("landmarks", p.rows(n)+p.rows(c), "`landmarks`")
	p.Add("sampled block", 3*n*c, "`landmarks`")
	p.Add("Krylov spaces of the block", (n+c)*(r+krylovExtra)*(2*blocksFor(n+c, r)+6), "`rank`")
	p.Add("tiles", p.threads*max(2*tileNumbers, 32*max(n, c)), "`threads`")
	p.AddEntries(float64(n) * float64(c))
	if m.Scaling != ScaleDerived {
		p.extension(m)
	}
	p.model(n+c, kept, r, "`sums sampled`")
	return p.Plan
}

// extension adds a pass over each side that evaluates all singular vectors.
func (p *planner) extension(m Nystrom) {
	s := p.shape
	p.AddEntries(float64(s.Rows)*float64(m.Cols) + float64(m.Rows)*float64(s.Cols))
	p.Passes++
}

// FactorPlan returns what it costs to write the factors of a fit: a pass over each side.
func (m Nystrom) FactorPlan(e stream.Engine, s model.Shape, k kernelgen.Kernel) (*model.Plan, error) {
	s = twoSided(s)
	t, err := plannedEntries(k, s)
	if err != nil {
		return nil, err
	}
	if m, err = m.within(e, s, t).settings(s); err != nil {
		return nil, err
	}
	p := &planner{model.NewPlan(e, s.Longest(), 0), s, int64(e.Workers())}
	p.extension(m.largest(s))
	p.Map("blocks of factors", s.Columns, m.Rank)
	return p.Plan, nil
}
