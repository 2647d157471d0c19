package lowrank

import (
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/tilesize"
)

// Plan returns the cost of a fit. Memory grows with the product of rows and passes, and entries with the square of the
// rows.
func (m Subspace) Plan(e stream.Engine, s model.Size, k kernelgen.Kernel) (*model.Plan, error) {
	if err := checkSymmetric(s, k); err != nil {
		return nil, err
	}
	m, err := m.settings()
	if err != nil {
		return nil, err
	}
	n, d := s.Rows, int64(s.Columns)
	width, sample := min(n, int64(m.Rank)+subspaceOversampling), min(n, exactSample)
	blocks := min(int64(m.Passes), (n+width-1)/width) // more would exceed the number of rows
	space := min(n, width*blocks)
	pairs := 5 * width // in addition to Q and A·Q: the blocks of a pass, then all Ritz vectors and their products
	if k.PositiveSemiDefinite() {
		pairs = max(pairs, 2*space)
	}
	p := model.NewPlan(e, n, s.Columns)
	passes, estimate := model.NewPlan(e, n, s.Columns), model.NewPlan(e, n, s.Columns)
	passes.Add("Krylov space", n*(2*space+pairs)+6*space*space, "`Passes` or `Rank`")
	passes.Add("tiles of an exact pass", int64(e.Workers())*tilesize.PairRows*tilesize.PairRows, "`Engine.Threads`")
	estimate.Add("error estimate", sample*(2*sample+2*d), "")
	estimate.Add("factors", 4*n*int64(m.Rank), "`Rank`")
	p.Stage(passes)
	p.Stage(estimate)
	p.Add("all rows", n*(2*d+1), "the number of rows") // including packed ones
	p.AddEntries(float64(blocks)*float64(n)*float64(n+tilesize.PairRows)/2 + float64(min(n, unitRows)*n+sample*sample))
	p.SourcePasses, p.ExactPasses = 1, int(blocks)
	p.SetNotShardable("its exact passes are over pairs of rows, which are in memory; landmark, s3spsd and ssrsvd make passes over rows alone")
	return p, nil
}
