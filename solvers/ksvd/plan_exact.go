package ksvd

import (
	"fmt"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// vectors returns how many vectors there are in a product.
func (m Exact) vectors(s model.Shape) int64 { return min(int64(m.Rank)+krylovExtra, s.Rows, s.Cols) }

// iterations returns how many there will be as a rule.
func (m Exact) iterations(s model.Shape) int {
	expected := rowIterations
	if s.Sparse != nil {
		expected = graphIterations
	}
	return spanning(min(m.Passes, expected), s.Rows, s.Cols, m.vectors(s))
}

// tilePasses returns how many passes by tiles evaluate all entries.
func (m Exact) tilePasses(s model.Shape, t *entries) int {
	passes := 1
	if !inMemory(s) {
		passes = m.iterations(s)
	}
	if t.normalised && !t.pathSums(s) {
		passes++
	}
	return passes
}

// Plan returns the cost of a fit with as many iterations as there are as a rule, 12 or 24
// of a graph, or fewer where Passes or the shorter side allow no more. Its memory is that of any number.
// It is an error where the kernel cannot be computed between sparse rows.
func (m Exact) Plan(e stream.Engine, s model.Shape, k kernelgen.Kernel) (*model.Plan, error) {
	m, err := m.settings()
	if err != nil {
		return nil, err
	}
	s = twoSided(s)
	t, err := plannedEntries(k, s)
	if err != nil {
		return nil, err
	}
	p := newPlanner(e, s, t)
	b := int64(m.Rank + krylovExtra)
	if t.normalised && t.pathSums(s) {
		p.pathSums(t, "the number of nodes")
		p.AddEntries(t.pathSumEntries(s, 1))
	}
	p.exactPasses()
	if inMemory(s) {
		p.Add("G", s.Rows*s.Cols, "")
	}
	p.AddEntries(float64(m.tilePasses(s, t)) * float64(s.Rows) * float64(s.Cols))
	p.Add("Krylov spaces", (s.Rows+s.Cols)*b*(2*krylovBlocks+6), "`rank`")
	p.model(s.Rows+s.Cols, 0, int64(m.Rank), "`rank`")
	if n := m.iterations(s); n < m.Passes {
		p.Notes = append(p.Notes, fmt.Sprintf("iterations: %d are expected, and there are at most %d", n, m.Passes))
	}
	p.Passes = 1
	p.ByOne("its exact passes are over all entries; `method ssrsvd` makes passes over rows alone")
	return p.Plan, nil
}

// FactorPlan returns what it costs to write the factors of a fit, which has them.
func (m Exact) FactorPlan(e stream.Engine, _ model.Shape, _ kernelgen.Kernel) (*model.Plan, error) {
	return model.NewPlan(e, 0, 0), nil
}
