package lowrank

import (
	"context"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// SVDStart is a method that [SubspaceSVD] starts from: [Landmark] or [SSRSVD].
// Its Rank and Seed are set by what it starts; its tiles are in float64.
type SVDStart interface {
	// fitStart is the fit with a rank; right is nil for one source.
	fitStart(ctx context.Context, e stream.Engine, left, right stream.Source, k kernelgen.Kernel, s startSize) (*Fit, error)
	planStart(e stream.Engine, d int, s startSize) (*Plan, error)
	// landmarks is how many landmarks each embedding of the fit has: the left one,
	// of right rows, and the right one.
	landmarks(s startSize) (left, right int64, err error)
}

// startSize is what a start shall be: cols is 0 for one source.
type startSize struct {
	rows, cols int64
	rank       int
	seed       uint64
}

// least is the length of the shorter side.
func (s startSize) least() int64 {
	if s.cols == 0 {
		return s.rows
	}
	return min(s.rows, s.cols)
}

// startSize is that for a rows×cols matrix; cols is 0 for one source.
func (m SubspaceSVD) startSize(rows, cols int64) startSize {
	s := startSize{rows: rows, cols: cols, seed: m.Seed}
	s.rank = int(min(int64(m.Rank)+subspaceLandmark, s.least()))
	return s
}

// startFit is the fit that the passes start from.
func (m SubspaceSVD) startFit(ctx context.Context, e stream.Engine, rows *svdRows, k kernelgen.Kernel) (*Fit, error) {
	cols := int64(0)
	if !rows.oneSource() {
		cols = int64(rows.right.rows.Rows)
	}
	return m.Start.fitStart(ctx, e, rows.l, rows.rightSource(), k, m.startSize(int64(rows.left.rows.Rows), cols))
}

// sized is the method with the size of a start.
func (m Landmark) sized(s startSize) Landmark {
	m.Rank, m.Seed, m.Precision = s.rank, s.seed, Float64
	return m
}

func (m Landmark) fitStart(ctx context.Context, e stream.Engine, left, right stream.Source, k kernelgen.Kernel, s startSize) (*Fit, error) {
	if right == nil {
		return m.sized(s).Fit(ctx, e, left, k)
	}
	return m.sized(s).FitRect(ctx, e, left, right, k)
}

func (m Landmark) planStart(e stream.Engine, d int, s startSize) (*Plan, error) {
	if s.cols == 0 {
		return m.sized(s).Plan(e, s.rows, d)
	}
	return m.sized(s).PlanRect(e, s.rows, s.cols, d)
}

func (m Landmark) landmarks(s startSize) (left, right int64, err error) {
	side := func(n int64) int64 {
		points, e := m.sized(s).points(n, "C", "S")
		if e != nil {
			err = e
			return 0
		}
		return int64(len(points.landmarks))
	}
	if s.cols == 0 {
		return side(s.rows), side(s.rows), err
	}
	return side(s.cols), side(s.rows), err
}

// sized is the method with the size of a start: with fewer nonzeros where there
// are few rows.
func (m SSRSVD) sized(s startSize) SSRSVD {
	m.Rank, m.Seed, m.Precision = s.rank, s.seed, Float64
	if m.NNZ == 0 {
		m.NNZ = 4
	}
	if most := s.least() / int64(max(1, s.rank)); int64(m.NNZ) > most {
		m.NNZ = int(max(1, most))
	}
	if m.Sketch > 0 {
		m.Sketch = max(m.Sketch, m.Rank)
	}
	return m
}

func (m SSRSVD) fitStart(ctx context.Context, e stream.Engine, left, right stream.Source, k kernelgen.Kernel, s startSize) (*Fit, error) {
	return m.sized(s).Fit(ctx, e, left, right, k)
}

func (m SSRSVD) planStart(e stream.Engine, d int, s startSize) (*Plan, error) {
	return m.sized(s).Plan(e, s.rows, s.cols, d)
}

func (m SSRSVD) landmarks(s startSize) (left, right int64, err error) {
	z := m.sized(s)
	n := int64(z.NNZ) * int64(z.Rank)
	return n, n, nil
}
