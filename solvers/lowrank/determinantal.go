package lowrank

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/krylov"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// determinantal draws rows of a panel from determinantal point processes
// (Belhadji, Bardenet & Chainais 2020, "A determinantal point process for column
// subset selection"). With V the k leading eigenvectors of the kernel matrix of
// the panel, k rows are a sample of the process with kernel V·Vᵀ: the pivots of its
// randomly pivoted Cholesky factorisation. More are drawn from the rows that are
// left, again and again.
//
// V is found by one step of subspace iteration from random columns, two exact
// passes over the panel (Halko, Martinsson & Tropp 2011, Algorithm 4.4).
func (c chooser) determinantal(ctx context.Context, t *tiles, e stream.Engine, candidates *panel, most int) ([]int, error) {
	v, err := t.leadingVectors(ctx, e, candidates, c.columns, c.seed)
	if err != nil {
		return nil, err
	}
	left := make([]int, v.Rows) // indices of candidates
	for i := range left {
		left[i] = i
	}
	var chosen []int
	for round := 0; len(chosen) < most && v.Cols > 0; round++ {
		p := projection()
		rows := p.pack(dense.PickRows(v, left), stream.Numbers(len(left)), nil)
		found, err := p.pivotRows(ctx, e, rows, min(v.Cols, most-len(chosen)), c.seed, "eigenvectors", fmt.Sprintf("determinantal %d", round))
		if err != nil {
			return nil, err
		}
		taken := make(map[int]bool)
		for _, i := range found {
			taken[i] = true
			chosen = append(chosen, left[i])
		}
		rest := left[:0:0]
		for i, r := range left {
			if !taken[i] {
				rest = append(rest, r)
			}
		}
		left = rest
	}
	if len(chosen) == 0 {
		chosen = []int{0}
	}
	return chosen, nil
}

// projection evaluates V·Vᵀ between rows of V.
func projection() *tiles { return newTiles(kernelgen.Linear(), Float64) }

// leadingVectors returns about the k leading eigenvectors of the kernel matrix of the
// rows of a panel, fewer if the others are rounding.
func (t *tiles) leadingVectors(ctx context.Context, e stream.Engine, p *panel, k int, seed uint64) (blas64.General, error) {
	n := p.rows.Rows
	if err := t.chooseUnit(ctx, e, p.rows, t.pickIndices(p, []int{0})); err != nil {
		return blas64.General{}, err
	}
	defer func() { t.unit = 1 }() // the landmarks decide
	e.Progress = nil
	block := stream.NewMatrix(n, min(n, k+subspaceRandom))
	noise := sketch.NewRandom(seed, "leading vectors")
	for i := range n {
		draws := noise.At(uint64(p.number[i]))
		for j := range block.Cols {
			dense.Row(block, i)[j] = draws.Normal()
		}
	}
	src := stream.FromMatrix("candidates", p.rows)
	var pairs *krylov.Pairs
	for range 2 {
		space, err := krylov.NewSpace(&symmetricTiles{t, e, src}, block, 1)
		if err != nil {
			return block, iterationError(err)
		}
		space.Choice = choiceOf(t.kernel)
		if pairs, err = space.Run(ctx, krylov.Iteration{Rank: k, Passes: 1}); err != nil {
			return block, iterationError(err)
		}
		block = dense.Clone(space.Q.Product())
	}
	return pairs.U, nil
}
