package ksvd

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/krylov"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/internal/tiles"
)

// rankTolerance is the relative cutoff of singular values: smaller ones are rounding errors of the kernel entries.
const rankTolerance = 1e-12

// newSVD decomposes a small matrix. what is its name in errors.
func newSVD(what string, a blas64.General) (*dense.SVD, error) {
	if err := checkFinite(what, a); err != nil {
		return nil, err
	}
	s, err := dense.NewSVD(a)
	if err != nil {
		return nil, fmt.Errorf("the SVD of %s did not converge", what)
	}
	return s, nil
}

// changeKernel is the remedy for entries that are not finite.
const changeKernel = "scale the columns (`Treatment.Scale standard`) or change the kernel"

// checkFinite returns an error for the first entry that is not finite.
func checkFinite(what string, m blas64.General) error {
	i, j, found := dense.NotFinite(m)
	if !found {
		return nil
	}
	return fmt.Errorf("entry (%d, %d) of %s is %v: the kernel is not finite on these rows; %s", i, j, what, m.Data[i*m.Stride+j], changeKernel)
}

// decompose returns the leading triplets of an n×m operator. It adds a remedy to errors about products that are not
// finite.
func decompose(ctx context.Context, s tiles.SVD, op krylov.Operator, n, m int) (*krylov.Triplets, error) {
	r, err := s.Decompose(ctx, op, n, m)
	if bad := new(krylov.NotFiniteError); errors.As(err, &bad) {
		return nil, fmt.Errorf("%w: the kernel is not finite on these rows; %s", err, changeKernel)
	}
	return r, err
}

func rankNote(found, asked int) []string {
	if found >= asked {
		return nil
	}
	return []string{fmt.Sprintf("rank %d found, %d asked for: the other singular values are rounding, or the matrix has no more", found, asked)}
}

const (
	// denseSVD is the largest shorter side of a matrix for which the full SVD is as fast.
	denseSVD = 96
	// Krylov spaces of a matrix in memory have at most spaceNumbers numbers, but at least fewestBlocks blocks.
	spaceNumbers = 1 << 24
	fewestBlocks = 4
)

// blocksFor returns the number of blocks in the Krylov space of a matrix. n is its number of rows plus columns.
func blocksFor(n, rank int64) int64 {
	perBlock := n * (rank + tiles.Oversampling)
	return max(fewestBlocks, min(tiles.MaxBlocks, (spaceNumbers/perBlock-6)/2))
}

// truncatedSVD returns the leading triplets of a matrix in memory.
func truncatedSVD(ctx context.Context, a blas64.General, rankWanted int, tolerance float64, seed uint64) (*krylov.Triplets, error) {
	if least := min(a.Rows, a.Cols); least > denseSVD && 2*rankWanted < least {
		blocks := blocksFor(int64(a.Rows+a.Cols), int64(rankWanted))
		s := tiles.SVD{Rank: rankWanted, Tolerance: tolerance, Passes: 100, Seed: seed, Blocks: int(blocks)}
		return decompose(ctx, s, krylov.Matrix{General: a}, a.Rows, a.Cols)
	}
	d, err := newSVD("the sampled block", a)
	if err != nil {
		return nil, err
	}
	k := min(rankWanted, dense.Rank(d.S, rankTolerance))
	exact := make([]float64, k)
	u, v := matrix.Clone(matrix.Columns(d.U, 0, k)), matrix.Clone(matrix.Columns(d.V, 0, k))
	return &krylov.Triplets{Values: d.S[:k], Left: exact, Right: exact, U: u, V: v}, nil
}
