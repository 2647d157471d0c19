package ksvd

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/krylov"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// iteration is a truncated SVD by block Krylov iteration from random columns on both
// sides, see package krylov.
type iteration struct {
	rank      int
	tolerance float64 // on the residuals of all triplets, relative to the largest σ
	passes    int     // at most
	seed      uint64
	centred   bool // A maps 1 to 0, from either side
	blocks    int  // of the space, 0 means krylovBlocks
}

// krylovBlocks is how many blocks a space has at most, and krylovExtra how many
// vectors more than the rank a block has: what lies beyond the rank decides how fast
// residuals fall.
const (
	krylovBlocks = 8
	krylovExtra  = 8
)

// blockCols returns the number of vectors in a block.
func (m iteration) blockCols() int { return m.rank + krylovExtra }

// run decomposes an n×cols operator.
func (m iteration) run(ctx context.Context, op krylov.Operator, n, cols int) (*krylov.Triplets, error) {
	if m.blocks == 0 {
		m.blocks = krylovBlocks
	}
	s, err := krylov.NewPair(op, m.random(n, "krylov left"), m.random(cols, "krylov right"), m.blocks)
	if err != nil {
		return nil, notFinite(err)
	}
	r, err := s.Run(ctx, krylov.Iteration{Rank: m.rank, Passes: m.passes, Done: krylov.Within(m.tolerance)})
	if err != nil {
		return nil, notFinite(err)
	}
	dense.FixSigns(r.U, r.V)
	return r, nil
}

// notFinite returns an error that says what to do about entries that are not finite.
func notFinite(err error) error {
	var bad *krylov.NotFiniteError
	if errors.As(err, &bad) {
		return fmt.Errorf("ksvd: %w: the kernel is not finite on these rows; %s", err, changeKernel)
	}
	return err
}

// random returns standard normal columns, with mean 0 if A is centred.
func (m iteration) random(n int, purpose string) blas64.General {
	x := stream.NewMatrix(n, min(n, m.blockCols()))
	sketch.NewRandom(m.seed, purpose).Normals(x)
	if m.centred {
		dense.CentreColumns(x)
	}
	return x
}

// denseSVD is how large the shorter side of a matrix in memory is for which the full
// SVD is as fast.
const denseSVD = 96

// Spaces of a matrix in memory have fewer blocks where they would take more than
// spaceNumbers, but fewestBlocks: they begin again sooner then.
const (
	spaceNumbers = 1 << 24
	fewestBlocks = 4
)

// blocksFor returns how many blocks the space of a matrix in memory has, rows and columns
// together being n.
func blocksFor(n, rank int64) int64 {
	perBlock := n * (rank + krylovExtra)
	return max(fewestBlocks, min(krylovBlocks, (spaceNumbers/perBlock-6)/2))
}

// iterates reports whether the rank largest triplets of a matrix in memory are found by
// iteration, and not by its SVD.
func iterates(rows, cols, rank int64) bool {
	least := min(rows, cols)
	return least > denseSVD && 2*rank < least
}

// truncatedSVD returns the rank largest triplets of a matrix in memory.
func truncatedSVD(ctx context.Context, a blas64.General, rankWanted int, tolerance float64, seed uint64) (*krylov.Triplets, error) {
	if iterates(int64(a.Rows), int64(a.Cols), int64(rankWanted)) {
		return iteration{rank: rankWanted, tolerance: tolerance, passes: 100, seed: seed, blocks: int(blocksFor(int64(a.Rows+a.Cols), int64(rankWanted)))}.run(ctx, krylov.Matrix{General: a}, a.Rows, a.Cols)
	}
	d, err := newSVD("the sampled block", a)
	if err != nil {
		return nil, err
	}
	k := min(rankWanted, dense.Rank(d.S, rankTolerance))
	exact := make([]float64, k)
	return &krylov.Triplets{Values: d.S[:k], Left: exact, Right: exact, U: dense.Clone(dense.Columns(d.U, 0, k)), V: dense.Clone(dense.Columns(d.V, 0, k))}, nil
}
