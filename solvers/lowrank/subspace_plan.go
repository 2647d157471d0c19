package lowrank

import (
	"github.com/nystream/nystream/internal/linalg/krylov"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Plan returns the cost of a fit. Memory grows with the rows of both sides times the
// passes, and entries with the product of the sides.
func (m Subspace) Plan(e stream.Engine, s model.Shape, k kernelgen.Kernel) (*model.Plan, error) {
	if err := k.CheckPlain(); err != nil {
		return nil, err
	}
	m, err := m.settings(s, k)
	if err != nil {
		return nil, err
	}
	if m.Whole {
		return m.planWhole(e, s), nil
	}
	p, err := m.planStart(e, s, k)
	if err != nil {
		return nil, err
	}
	p.Passes, p.ExactPasses = 1, m.Passes // the start fits rows in memory
	p.ByOne("its exact passes are over pairs of rows, which are in memory; landmark and s3spsd, or ssrsvd, without `refine` make passes over rows alone")
	passes, estimate, threads := model.NewPlan(e, s.Longest(), s.Columns), model.NewPlan(e, s.Longest(), s.Columns), int64(e.Workers())
	if m.oneFactor(s, k) {
		m.planSymmetric(passes, s, k)
	} else {
		m.planSVD(passes, s)
	}
	passes.Add("tiles of an exact pass", threads*stream.PairRows*(stream.PairRows+4*int64(s.Columns)), "`threads`")
	estimate.Add("tiles of the error estimate", threads*rowSample*max(s.Rows, s.Cols), "`threads`")
	estimate.Add("factors", 4*(s.Rows+s.Cols)*int64(m.Rank), "`rank`")
	p.Stage(passes)
	p.Stage(estimate)
	p.Add("all rows", (s.Rows+s.Cols)*int64(s.Columns+1), "the number of rows")
	return p, nil
}

// planSymmetric adds the passes over half of the n×n entries.
func (m Subspace) planSymmetric(p *model.Plan, s model.Shape, k kernelgen.Kernel) {
	n, q := s.Rows, int64(m.Passes)
	b := min(n, int64(m.Rank)+subspaceLandmark+subspaceRandom)
	space := min(n, b*q)
	pairs := 5 * b // beside Q and A·Q: the blocks of a pass, then all Ritz vectors and their products
	if choiceOf(k) == krylov.Positive {
		pairs = max(pairs, 2*space)
	}
	p.Add("Krylov space", n*(2*space+pairs)+6*space*space, "`passes` or `rank`")
	landmarks, _ := m.startLandmarks(s)
	p.AddEntries(float64(n)*float64(landmarks) + float64(q)*float64(n)*float64(n+stream.PairRows)/2 + float64(min(n, rowSample))*float64(n))
}

// planSVD adds the passes over all entries.
func (m Subspace) planSVD(p *model.Plan, s model.Shape) {
	left, right := m.startLandmarks(s)
	rows, cols := s.Rows, s.Cols
	if s.OneSource() {
		cols = rows
	}
	c, q := int64(m.Rank), int64(m.Passes)
	b := c + subspaceLandmark + subspaceRandom
	u, v := min(rows, b*q), min(cols, b*q)
	both, pairs := rows+cols, min(u, v)
	p.Add("Krylov spaces", both*(u+v+max(5*b, 2*pairs))+2*u*v+6*pairs*pairs, "`passes` or `rank`")
	p.AddEntries(float64(rows)*float64(left) + float64(cols)*float64(right) + float64(q)*float64(rows)*float64(cols))
}
