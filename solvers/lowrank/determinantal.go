package lowrank

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas"
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
func (c chooser) determinantal(ctx context.Context, t *tiles, e stream.Engine, candidates *panel, most int) ([]int, error) {
	v, err := c.leadingVectors(ctx, t, e, candidates)
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

// formedEntries is up to how many candidates the matrix between them is kept; of more each
// of two passes makes it anew.
const formedEntries = 1024

// leadingVectors returns about the k leading eigenvectors of the kernel matrix of the
// rows of a panel, fewer if the others are rounding, by one step of subspace iteration
// from random columns (Halko, Martinsson & Tropp 2011, Algorithms 4.4 and 5.3).
//
// Vectors of a sketch of the matrix, F·Fᵀ with pivoted Cholesky factors F, would take fewer
// flops, but rows that are pivots stand out in them: with 3/2·k pivots the errors of the
// landmarks were a quarter larger on abalone and satimage, those of no choice at all.
func (c chooser) leadingVectors(ctx context.Context, t *tiles, e stream.Engine, p *panel) (blas64.General, error) {
	e.Progress = nil
	n := p.rows.Rows
	block := stream.NewMatrix(n, min(n, c.vectors()+subspaceRandom))
	if err := t.chooseUnit(ctx, e, p.rows, t.pickIndices(p, []int{0})); err != nil {
		return block, err
	}
	defer func() { t.unit = 1 }() // the landmarks decide
	matrix, err := t.candidateMatrix(ctx, e, p)
	if err != nil {
		return block, err
	}
	sketch.NewRandom(c.seed, "leading vectors").Normals(block)
	product := stream.NewMatrix(n, block.Cols)
	if err := matrix.Multiply(ctx, block, product); err != nil {
		return block, err
	}
	basis, _, err := sketch.CholeskyQR(product)
	if err != nil {
		return block, notFinite("the kernel between candidates")
	}
	if err := matrix.Multiply(ctx, basis, product); err != nil {
		return block, err
	}
	eig, err := newEigen("the kernel between candidates", dense.SymmetricPart(dense.Mul(blas.Trans, basis, blas.NoTrans, product)))
	if err != nil {
		return block, err
	}
	k := min(c.vectors(), dense.Rank(eig.Values, RankTolerance))
	return dense.Mul(blas.NoTrans, basis, blas.NoTrans, dense.Columns(eig.Vectors, 0, k)), nil
}

// candidateMatrix returns the kernel matrix of the rows of a panel.
func (t *tiles) candidateMatrix(ctx context.Context, e stream.Engine, p *panel) (krylov.Symmetric, error) {
	if p.rows.Rows > formedEntries {
		return &symmetricTiles{t, e, stream.FromMatrix("candidates", p.rows)}, nil
	}
	entries, err := t.between(ctx, e, p.rows, p)
	return krylov.SymmetricMatrix{General: entries}, err
}
