package krylov

import (
	"context"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
)

// Parameters of [Outermost].
const (
	outermostWidth  = 8
	outermostBlocks = 6
)

// Outermost estimates the least and the largest eigenvalue of an n×n matrix from the inside,
// usually to a few per cent of their distance. Cost: 48 products with vectors and 10⁴·n flops.
func Outermost(ctx context.Context, op Symmetric, n int) (low, high float64, err error) {
	if n == 0 {
		return 0, 0, nil
	}
	start := matrix.New(n, min(n, outermostWidth))
	sketch.NewRandom(0, "outermost eigenvalues").Normals(start)
	s, err := NewSpace(op, start, outermostBlocks)
	if err != nil {
		return 0, 0, err
	}
	never := func(_, _ []float64, _ float64) bool { return false }
	if _, err := s.Run(ctx, Iteration{Rank: 1, Passes: outermostBlocks, Done: never}); err != nil {
		return 0, 0, err
	}
	return s.values[len(s.values)-1], s.values[0], nil
}
