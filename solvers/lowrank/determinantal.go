package lowrank

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
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
func projection() *tiles { return newTiles(kernelgen.Linear()) }

// probes returns how many random columns the leading eigenvectors are found with: of few,
// twice as many. With 16 more errors of landmarks were 5 % larger on satimage.
func (c chooser) probes() int {
	k := c.vectors()
	return k + min(max(subspaceRandom, k), 64+k/4)
}

// leadingVectors returns about the k leading eigenvectors of the kernel matrix K of the
// rows of a panel, fewer if the others are rounding: those of (KΩ)·(ΩᵀKΩ)⁻¹·(KΩ)ᵀ for
// random signs Ω in up to twice as many columns (Tropp, Yurtsever, Udell & Cevher 2017, "Fixed-rank
// approximation of a positive-semidefinite matrix from streaming data", Algorithm 3). It
// takes one product with K, of whose entries half are evaluated and none is kept.
//
// Vectors of a sketch of the matrix, F·Fᵀ with pivoted Cholesky factors F, would take fewer
// flops, but rows that are pivots stand out in them: with 3/2·k pivots the errors of the
// landmarks were a quarter larger on abalone and satimage, those of no choice at all.
func (c chooser) leadingVectors(ctx context.Context, t *tiles, e stream.Engine, p *panel) (blas64.General, error) {
	e.Progress = nil
	n := p.rows.Rows
	signs := stream.NewMatrix(n, min(n, c.probes()))
	if err := t.chooseUnit(ctx, e, p.rows, t.pickIndices(p, []int{0})); err != nil {
		return signs, err
	}
	defer func() { t.unit = 1 }() // the landmarks decide
	sketch.NewRandom(c.seed, "leading vectors").Signs(signs)
	product := stream.NewMatrix(n, signs.Cols)
	rows := stream.FromMatrix("candidates", p.rows)
	if err := (symmetricTiles{t.exact(e, rows, rows)}).Multiply(ctx, signs, product); err != nil {
		return signs, err
	}
	const what = "the kernel between candidates"
	core, err := newEigen(what, dense.Mul(blas.Trans, signs, blas.NoTrans, product))
	if err != nil {
		return signs, err
	}
	factor := dense.Mul(blas.NoTrans, product, blas.NoTrans, core.overRoots(dense.Rank(core.Values, RankTolerance)))
	square, err := newEigen(what, dense.Mul(blas.Trans, factor, blas.NoTrans, factor))
	if err != nil {
		return signs, err
	}
	k := min(c.vectors(), dense.Rank(square.Values, RankTolerance))
	return dense.Mul(blas.NoTrans, factor, blas.NoTrans, square.overRoots(k)), nil
}

// overRoots returns the first k eigenvectors, divided by the roots of their eigenvalues.
func (e *eigen) overRoots(k int) blas64.General {
	v := dense.Clone(dense.Columns(e.Vectors, 0, k))
	dense.ScaleColumns(v, dense.Reciprocals(dense.Roots(e.Values[:k])))
	return v
}
