package lowrank

import "github.com/nystream/nystream/stream"

// Plan works out the cost of a fit on n rows with d columns. Memory grows with n
// times the passes, and time with n².
func (m Subspace) Plan(e stream.Engine, n int64, d int) (*Plan, error) {
	m, err := m.settings()
	if err != nil {
		return nil, err
	}
	start := m.landmark(n)
	plan, err := start.Plan(e, n, d)
	if err != nil {
		return nil, err
	}
	points, err := start.points(n, "C", "S")
	if err != nil {
		return nil, err
	}
	c, q := int64(m.Rank), int64(m.Passes)
	b := min(n, c+subspaceLandmark+subspaceRandom)
	space, threads := min(n, b*q), int64(e.Workers())
	plan.Memory.Add("all rows", 4*n*int64(d), "the number of rows")
	plan.Memory.Add("Krylov space", 5*n*space+6*space*space, "--passes or --rank")
	plan.Memory.Add("blocks of an exact pass", n*(2*b+4*c), "--rank")
	plan.Memory.Add("tiles of an exact pass", threads*stream.PairRows*(stream.PairRows+4*int64(d)), "--threads")
	// To estimate the error, and to write factors.
	plan.Memory.Add("tiles between a panel and all rows", threads*stream.PanelRows*n, "--threads")
	plan.KernelEntries += n*int64(len(points.landmarks)) + q*n*(n+stream.PairRows)/2 + min(n, rowSample)*n
	plan.Flops += 2*float64(q)*float64(n)*float64(n)*float64(b) + 8*float64(n)*float64(space)*float64(space)
	return plan, nil
}
