package lowrank

import (
	"github.com/nystream/nystream/internal/linalg/krylov"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Plan returns the cost of a fit. Memory grows with the rows of both sides times the
// passes, and entries with the product of the sides.
func (m Subspace) Plan(e stream.Engine, s model.Shape, k kernelgen.Kernel) (*model.Plan, error) {
	if err := checkKernel(k); err != nil {
		return nil, err
	}
	m, err := m.settings(s, k)
	if err != nil {
		return nil, err
	}
	one := s.OneSource()
	if one && m.whole(s.Rows) {
		return m.planWhole(e, s), nil
	}
	start := m.start(s)
	var p *model.Plan
	if s.OneSource() {
		p, err = start.planPass(e, s.Rows, s.Columns, k)
	} else {
		p, err = start.Plan(e, s, k)
	}
	if err != nil {
		return nil, err
	}
	p.SourcePasses, p.ExactPasses = 1, m.Passes // the start fits rows in memory
	p.SetNotShardable("its exact passes are over pairs of rows, which are in memory; landmark, s3spsd and ssrsvd make passes over rows alone")
	passes, estimate, threads := model.NewPlan(e, s.Longest(), s.Columns), model.NewPlan(e, s.Longest(), s.Columns), int64(e.Workers())
	rows, cols, landmarks := s.Rows, s.Cols, start.landmarks()
	if s.OneSource() {
		cols = rows
	}
	p.AddEntries(float64(rows) * float64(min(landmarks, cols))) // the embedding of all rows
	if one {
		m.planOne(passes, rows, k)
	} else {
		p.AddEntries(float64(cols) * float64(min(landmarks, rows)))
		m.planTwo(passes, rows, cols)
	}
	passes.Add("tiles of an exact pass", threads*stream.PairRows*stream.PairRows, "`threads`")
	estimate.Add("tiles of the error estimate", threads*rowSample*s.Longest(), "`threads`")
	estimate.Add("factors", 4*(s.Rows+s.Cols)*int64(m.Rank), "`rank`")
	p.AddEntries(float64(min(rows, rowSample)) * float64(cols))
	p.Stage(passes)
	p.Stage(estimate)
	p.Add("all rows", (s.Rows+s.Cols)*int64(2*s.Columns+1), "the number of rows") // and packed
	return p, nil
}

// planOne adds the passes over half of the n×n entries.
func (m Subspace) planOne(p *model.Plan, n int64, k kernelgen.Kernel) {
	q, b := int64(m.Passes), min(n, int64(m.Rank)+subspaceLandmark+subspaceRandom)
	space := min(n, b*q)
	pairs := 5 * b // beside Q and A·Q: the blocks of a pass, then all Ritz vectors and their products
	if choiceOf(k) == krylov.Positive {
		pairs = max(pairs, 2*space)
	}
	p.Add("Krylov space", n*(2*space+pairs)+6*space*space, "`passes` or `rank`")
	p.AddEntries(float64(q) * float64(n) * float64(n+stream.PairRows) / 2)
}

// planTwo adds the passes over all entries.
func (m Subspace) planTwo(p *model.Plan, rows, cols int64) {
	q, b := int64(m.Passes), int64(m.Rank)+subspaceLandmark+subspaceRandom
	u, v := min(rows, b*q), min(cols, b*q)
	both, pairs := rows+cols, min(u, v)
	p.Add("Krylov spaces", both*(u+v+max(5*b, 2*pairs))+2*u*v+6*pairs*pairs, "`passes` or `rank`")
	p.AddEntries(float64(q) * float64(rows) * float64(cols))
}

// planWhole returns the cost of fitWhole.
func (m Subspace) planWhole(e stream.Engine, s model.Shape) *model.Plan {
	p := newPlanner(e, s.Rows, s.Columns)
	p.Add("the matrix and its eigenvectors", 4*s.Rows*s.Rows, "the number of rows")
	p.Add("all rows", 4*s.Rows*int64(s.Columns), "the number of rows")
	p.Add("eigenvectors that are kept", 5*s.Rows*min(s.Rows, int64(m.Rank)), "`rank`")
	p.Add("tiles between a panel and all rows", int64(e.Workers())*basis.PanelRows*s.Rows, "`threads`")
	p.AddEntries(float64(s.Rows) * float64(s.Rows+2*min(s.Rows, rowSample)))
	p.SourcePasses, p.ExactPasses = 1, 1
	p.SetNotShardable("it forms the matrix, which is in memory; landmark and s3spsd make passes over rows alone")
	p.Notes = append(p.Notes, m.wholeNote(s.Rows))
	return p.Plan
}
