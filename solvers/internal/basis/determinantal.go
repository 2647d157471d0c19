package basis

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/symeig"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/stream"
)

// determinantal draws rows of a panel from determinantal point processes (Belhadji, Bardenet & Chainais 2020, "A
// determinantal point process for column subset selection"). With V the k leading eigenvectors of the kernel matrix of
// the panel, k rows are a sample of the process with kernel V·Vᵀ: the pivots of its randomly pivoted Cholesky
// factorisation. Further rounds draw from the remaining rows.
func (l Landmarks) determinantal(ctx context.Context, e stream.Engine,
	t *tiles.Tiles, candidates *Panel) ([]int, error) {
	v, err := l.leadingVectors(ctx, e, t, candidates)
	if err != nil {
		return nil, err
	}
	left := make([]int, v.Rows) // indices of the remaining candidates
	for i := range left {
		left[i] = i
	}
	var chosen []int
	for round := 0; len(chosen) < l.Count && v.Cols > 0; round++ {
		rows := NewPanel(dense.PickRows(v, left), matrix.Numbers(len(left)), nil)
		random := sketch.NewRandom(l.Seed, fmt.Sprintf("determinantal %d", round))
		found, err := pivots(ctx, e, tiles.Plain(kernelgen.Linear()), rows, min(v.Cols, l.Count-len(chosen)), "eigenvectors", random)
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

// vectors returns the number of leading eigenvectors of determinantal landmarks.
func (l Landmarks) vectors() int { return max(1, min(l.Features, (l.Count+3)/4)) }

// Oversampling of the leading eigenvectors: as many columns as vectors, but at least leastProbes and about mostProbes.
const (
	leastProbes = 16
	mostProbes  = 64
)

// probes returns the number of random columns in the computation of leading eigenvectors.
func (l Landmarks) probes() int {
	k := l.vectors()
	return k + min(max(leastProbes, k), mostProbes+k/4)
}

// leadingVectors returns about k leading eigenvectors of the kernel matrix K of a panel, fewer if the rest is rounding.
// They are those of (KΩ)·(ΩᵀKΩ)⁻¹·(KΩ)ᵀ for random signs Ω (Tropp, Yurtsever, Udell & Cevher 2017, "Fixed-rank
// approximation of a positive-semidefinite matrix from streaming data", Algorithm 3). Cost: one product with K, which
// is not stored.
//
// Eigenvectors of F·Fᵀ, with pivoted Cholesky factors F, would take fewer flops. They overweight the rows that are
// pivots, which makes the landmarks worse.
func (l Landmarks) leadingVectors(ctx context.Context, e stream.Engine,
	t *tiles.Tiles, p *Panel) (blas64.General, error) {
	e.Progress = nil
	signs := matrix.New(p.Count(), min(p.Count(), l.probes()))
	if err := ChooseScale(ctx, e, t, p.Rows, p.Pick([]int{0})); err != nil {
		return signs, err
	}
	defer t.SetScale(1) // the scale depends on the landmarks
	sketch.NewRandom(l.Seed, "leading vectors").Signs(signs)
	product, err := multiply(ctx, e, t, p, signs)
	if err != nil {
		return signs, err
	}
	values, core, err := eigenpairs(dense.Mul(blas.Trans, signs, blas.NoTrans, product))
	if err != nil {
		return signs, err
	}
	factor := dense.Mul(blas.NoTrans, product, blas.NoTrans, overRoots(values, core, dense.Rank(values, RankTolerance)))
	values, square, err := eigenpairs(dense.Mul(blas.Trans, factor, blas.NoTrans, factor))
	if err != nil {
		return signs, err
	}
	k := min(l.vectors(), dense.Rank(values, RankTolerance))
	return dense.Mul(blas.NoTrans, factor, blas.NoTrans, overRoots(values, square, k)), nil
}

// multiply returns K·x for the kernel matrix of a panel, from half of its tiles.
func multiply(ctx context.Context, e stream.Engine,
	t *tiles.Tiles, p *Panel, x blas64.General) (blas64.General, error) {
	y, mirror := matrix.New(x.Rows, x.Cols), matrix.New(x.Rows, x.Cols)
	g := t.NewGrid(e, [2]string{"candidates", "candidates"}, p.Cols, p.Cols)
	err := g.Pairs(ctx, "exact pass", true, func() tiles.Visitor {
		return func(tile blas64.General, i, j int) error {
			dense.Gemm(blas.NoTrans, blas.NoTrans, 1, tile, matrix.Rows(x, j, tile.Cols), 1, matrix.Rows(y, i, tile.Rows))
			if i != j {
				dense.Gemm(blas.Trans, blas.NoTrans, 1, tile, matrix.Rows(x, i, tile.Rows), 1, matrix.Rows(mirror, j, tile.Cols))
			}
			return nil
		}
	})
	if err != nil {
		return y, err
	}
	dense.Add(1, mirror, y)
	return y, CheckFinite(t, y, "candidates", input.Numbers{From: 0})
}

// eigenpairs decomposes the symmetric part of a matrix, in descending order.
func eigenpairs(a blas64.General) ([]float64, blas64.General, error) {
	values, vectors, err := symeig.Decompose(dense.SymmetricPart(a))
	if err != nil {
		return nil, a, fmt.Errorf("the kernel between candidates: %w; scale the columns (`Treatment.Scale standard`) or lower the kernel's weight", err)
	}
	dense.FixSigns(blas64.General{}, vectors)
	return values, vectors, nil
}

// overRoots returns the first k eigenvectors, divided by the square roots of their eigenvalues.
func overRoots(values []float64, vectors blas64.General, k int) blas64.General {
	v := matrix.Clone(matrix.Columns(vectors, 0, k))
	dense.ScaleColumns(v, dense.Reciprocals(dense.Roots(values[:k])))
	return v
}
