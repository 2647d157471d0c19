package lowrank

import (
	"context"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// start returns the method that the passes start from for data of a shape.
func (m Subspace) start(s model.Shape) Method {
	least := s.Rows
	if !s.OneSource() {
		least = min(least, s.Cols)
	}
	rank := int(min(int64(m.Rank)+subspaceLandmark, least))
	switch start := m.Start.(type) {
	case nil:
		return Landmark{Rank: rank, Seed: m.Seed}
	case Landmark:
		start.Rank, start.Seed = rank, m.Seed
		return start
	case SSRSVD:
		start.Rank, start.Seed = rank, m.Seed
		return start.fitting(least)
	}
	return m.Start
}

// fitting returns the method with fewer nonzeros where there are few rows.
func (m SSRSVD) fitting(rows int64) SSRSVD {
	if m.NNZ == 0 {
		m.NNZ = 4
	}
	if most := rows / int64(max(1, m.Rank)); int64(m.NNZ) > most {
		m.NNZ = int(max(1, most))
	}
	if m.Sketch > 0 {
		m.Sketch = max(m.Sketch, m.Rank)
	}
	return m
}

// fitStart returns the fit that the passes start from. Landmarks of one source do for a
// matrix that is not symmetric as well: the passes find the rest.
func (m Subspace) fitStart(ctx context.Context, e stream.Engine, rows *sideRows, k kernelgen.Kernel) (*Fit, error) {
	d := rows.sources()
	start := m.start(d.Shape())
	if landmark, is := start.(Landmark); is && d.Right == nil {
		return landmark.fitOne(ctx, e, d.Left, k)
	}
	return start.Fit(ctx, e, d, k)
}

// planStart returns the cost of the start.
func (m Subspace) planStart(e stream.Engine, s model.Shape, k kernelgen.Kernel) (*model.Plan, error) {
	start := m.start(s)
	if landmark, is := start.(Landmark); is && s.OneSource() {
		return landmark.planPass(e, s.Rows, s.Columns, k)
	}
	return start.Plan(e, s, k)
}

// startLandmarks returns how many landmarks each embedding of the start has, as far as it
// is known: the left one, of right rows, and the right one.
func (m Subspace) startLandmarks(s model.Shape) (left, right int64) {
	switch start := m.start(s).(type) {
	case Landmark:
		n := int64(start.landmarksPerColumn()) * int64(start.Rank)
		if s.OneSource() {
			return min(n, s.Rows), min(n, s.Rows)
		}
		return min(n, s.Cols), min(n, s.Rows)
	case SSRSVD:
		n := int64(start.NNZ) * int64(start.Rank)
		return n, n
	}
	return 0, 0
}
