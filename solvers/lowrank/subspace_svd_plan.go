package lowrank

import "github.com/nystream/nystream/stream"

// Plan works out the cost of a fit on rows×cols with d columns; cols is 0 for one
// source. Memory grows with the rows of both sides times the passes, and time with
// their product.
func (m SubspaceSVD) Plan(e stream.Engine, rows, cols int64, d int) (*Plan, error) {
	m, err := m.settings()
	if err != nil {
		return nil, err
	}
	size := m.startSize(rows, cols)
	plan, err := m.Start.planStart(e, d, size)
	if err != nil {
		return nil, err
	}
	left, right, err := m.Start.landmarks(size)
	if err != nil {
		return nil, err
	}
	loaded := rows + cols
	if cols == 0 {
		cols = rows
	}
	c, q, threads := int64(m.Rank), int64(m.Passes), int64(e.Workers())
	b := c + subspaceLandmark + subspaceRandom
	p, k := min(rows, b*q), min(cols, b*q)
	both, pairs := rows+cols, min(p, k)
	plan.Memory.Add("all rows", 4*loaded*int64(d), "the number of rows")
	plan.Memory.Add("Krylov spaces", both*(p+k+3*pairs)+2*p*k+6*pairs*pairs, "--refine or --rank")
	plan.Memory.Add("blocks of an exact pass", both*(2*b+2*c+2*probeCols), "--rank")
	plan.Memory.Add("tiles of an exact pass", threads*stream.PairRows*(stream.PairRows+4*int64(d)), "--threads")
	// To write factors.
	plan.Memory.Add("tiles between a panel and all rows", threads*stream.PanelRows*max(rows, cols), "--threads")
	plan.KernelEntries += rows*left + cols*right + q*rows*cols
	plan.Flops += 4*float64(q)*float64(rows)*float64(cols)*float64(b) + 8*float64(both)*float64(pairs)*float64(pairs)
	plan.Passes = 1 // the start fits rows in memory
	return plan, nil
}
