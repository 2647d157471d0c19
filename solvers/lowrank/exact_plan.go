package lowrank

import (
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Plan returns the cost of a fit. Memory grows with the rows of both sides times the
// passes, and entries with the product of the sides.
func (m Subspace) Plan(e stream.Engine, s model.Shape, k kernelgen.Kernel) (*model.Plan, error) {
	if err := checkKernel(k); err != nil {
		return nil, err
	}
	m, err := m.settings(s)
	if err != nil {
		return nil, err
	}
	width := min(s.Longest(), int64(m.Rank)+subspaceOversampling)
	m.Passes = min(m.Passes, int((s.Longest()+width-1)/width)) // the space is the whole then
	p := model.NewPlan(e, s.Longest(), s.Columns)
	p.SourcePasses, p.ExactPasses = 1, m.Passes
	p.SetNotShardable("its exact passes are over pairs of rows, which are in memory; landmark, s3spsd and ssrsvd make passes over rows alone")
	passes, estimate := model.NewPlan(e, s.Longest(), s.Columns), model.NewPlan(e, s.Longest(), s.Columns)
	rows, cols := s.Rows, s.Cols
	if s.OneSource() {
		cols = rows
		m.planOne(passes, rows, k)
	} else {
		m.planTwo(passes, rows, cols)
	}
	passes.Add("tiles of an exact pass", int64(e.Workers())*stream.PairRows*stream.PairRows, "`threads`")
	estimate.Add("error estimate", exactSample*(2*exactSample+2*int64(s.Columns)), "")
	estimate.Add("factors", 4*(s.Rows+s.Cols)*int64(m.Rank), "`rank`")
	p.AddEntries(float64(min(rows, unitRows))*float64(cols) + float64(min(rows, exactSample))*float64(min(cols, exactSample)))
	p.Stage(passes)
	p.Stage(estimate)
	p.Add("all rows", (s.Rows+s.Cols)*int64(2*s.Columns+1), "the number of rows") // and packed
	return p, nil
}

// planOne adds the passes over half of the n×n entries.
func (m Subspace) planOne(p *model.Plan, n int64, k kernelgen.Kernel) {
	q, b := int64(m.Passes), min(n, int64(m.Rank)+subspaceOversampling)
	space := min(n, b*q)
	pairs := 5 * b // beside Q and A·Q: the blocks of a pass, then all Ritz vectors and their products
	if k.PositiveSemiDefinite() {
		pairs = max(pairs, 2*space)
	}
	p.Add("Krylov space", n*(2*space+pairs)+6*space*space, "`passes` or `rank`")
	p.AddEntries(float64(q) * float64(n) * float64(n+stream.PairRows) / 2)
}

// planTwo adds the passes over all entries.
func (m Subspace) planTwo(p *model.Plan, rows, cols int64) {
	q, b := int64(m.Passes), int64(m.Rank)+subspaceOversampling
	u, v := min(rows, b*q), min(cols, b*q)
	both, pairs := rows+cols, min(u, v)
	p.Add("Krylov spaces", both*(u+v+max(5*b, 2*pairs))+2*u*v+6*pairs*pairs, "`passes` or `rank`")
	p.AddEntries(float64(q) * float64(rows) * float64(cols))
}
