package lowrank

import (
	"context"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// start returns the method that the passes start from for data of a shape.
func (m Subspace) start(s model.Shape) Landmark {
	least := s.Rows
	if !s.OneSource() {
		least = min(least, s.Cols)
	}
	start := m.Start
	start.Rank, start.Seed = int(min(int64(m.Rank)+subspaceLandmark, least)), m.Seed
	if start.Landmarks > 0 {
		start.Rank = min(start.Rank, start.Landmarks)
	}
	return start
}

// fitStart returns the fit that the passes start from. Landmarks of one source do for a
// matrix that is not symmetric as well: the passes find the rest.
func (m Subspace) fitStart(ctx context.Context, e stream.Engine, rows *sideRows, k kernelgen.Kernel) (*Fit, error) {
	d := rows.sources()
	start := m.start(d.Shape())
	if d.Right == nil {
		return start.fitOne(ctx, e, d.Left, k)
	}
	return start.fitTwo(ctx, e, d, k)
}

// planStart returns the cost of the start.
func (m Subspace) planStart(e stream.Engine, s model.Shape, k kernelgen.Kernel) (*model.Plan, error) {
	start := m.start(s)
	if s.OneSource() {
		return start.planPass(e, s.Rows, s.Columns, k)
	}
	return start.Plan(e, s, k)
}

// startLandmarks returns how many landmarks each embedding of the start has: the left one, of
// right rows, and the right one.
func (m Subspace) startLandmarks(s model.Shape) (left, right int64) {
	n := m.start(s).landmarks()
	if s.OneSource() {
		return min(n, s.Rows), min(n, s.Rows)
	}
	return min(n, s.Cols), min(n, s.Rows)
}
