package lowrank

import (
	"context"
	"errors"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/tilesize"
)

// RankTolerance is the relative cutoff of singular values of a sketch: smaller ones are rounding errors of the kernel
// entries.
const RankTolerance = basis.RankTolerance

// coreTolerance is the relative cutoff in the least-squares problems of the core. Their matrices are rows of
// orthonormal columns, so a small value means a direction that the core points do not cover.
const coreTolerance = 1e-8

// The core of a factorisation is fitted on rows in memory. Sums over them are folds over a source in memory, so they
// run in parallel with the same bits for any number of threads.

// coreBlock is the block size of the core's folds, small because tiles are as wide as the core and there are few rows.
const coreBlock = 512

// foldCore sums a matrix of the given shape over blocks of rows. It calls add once for each worker. The function that
// add returns adds the tile of a panel of rows, given the index of the first row.
func foldCore(ctx context.Context, e stream.Engine, t *tiles.Tiles, rows blas64.General, p *basis.Panel, r, c int,
	add func() func(sum blas64.General, first int, tile blas64.General)) (blas64.General, error) {
	e.BlockRows = coreBlock
	e.Progress = nil
	newSum := func() *sketch.Sum { return sketch.NewSum(r, c) }
	sum, err := stream.Fold(ctx, e, "core", stream.FromMatrix("core rows", rows), newSum, func() func(*sketch.Sum, *stream.Block) error {
		var w kernelgen.Workspace
		tile := matrix.New(basis.PanelRows, p.Rows.Rows)
		do := add()
		return func(acc *sketch.Sum, b *stream.Block) error {
			for first, x := range b.Panels(basis.PanelRows) {
				part := matrix.Rows(tile, 0, x.Rows)
				t.FillDense(part, x, p.Cols, &w)
				do(acc.General, int(b.Start)+first, part)
			}
			return nil
		}
	})
	if err != nil {
		return blas64.General{}, err
	}
	return sum.General, nil
}

// streamFactors makes one pass over src and returns a triangular factor for each of the features.
func streamFactors(ctx context.Context, e stream.Engine,
	pass string, src stream.Source, features ...basis.Features) ([]blas64.General, error) {
	newFactors := func() (set sketch.List[*sketch.QR]) {
		for _, f := range features {
			set = append(set, sketch.NewQR(f.Width))
		}
		return set
	}
	add := func() func(sketch.List[*sketch.QR], basis.Rows) error {
		return func(set sketch.List[*sketch.QR], r basis.Rows) error {
			first := 0
			for i, f := range features {
				if err := set[i].Add(matrix.Columns(r.Z, first, f.Width)); err != nil {
					return err
				}
				first += f.Width
			}
			return nil
		}
	}
	set, err := basis.Moments(ctx, e, pass, src, &basis.Columns{Features: features}, newFactors, add)
	if err != nil {
		return nil, err
	}
	var factors []blas64.General
	for _, qr := range set {
		factors = append(factors, qr.R())
	}
	return factors, nil
}

// projectedCore returns Uᵀ·K(left, right)·V.
func projectedCore(ctx context.Context, e stream.Engine, t *tiles.Tiles,
	left *basis.Panel, u blas64.General, right *basis.Panel, v blas64.General) (blas64.General, error) {
	return foldCore(ctx, e, t, left.Rows, right, u.Cols, v.Cols, func() func(blas64.General, int, blas64.General) {
		kv := matrix.New(basis.PanelRows, v.Cols)
		return func(sum blas64.General, first int, tile blas64.General) {
			part := matrix.Rows(kv, 0, tile.Rows)
			dense.Gemm(blas.NoTrans, blas.NoTrans, 1, tile, v, 0, part)
			if sum.Rows > 0 && sum.Cols > 0 {
				blas64.Gemm(blas.Trans, blas.NoTrans, 1, matrix.Rows(u, first, tile.Rows), part, 1, sum)
			}
		}
	})
}

// symmetricCore returns Uᵀ·K(rows, rows)·U from half of the tiles. With H one tile of each mirrored pair and half of
// the diagonal tiles, it is UᵀHU plus its transpose.
func symmetricCore(ctx context.Context, e stream.Engine, t *tiles.Tiles,
	rows *basis.Panel, u blas64.General) (blas64.General, error) {
	if u.Cols == 0 {
		return matrix.New(0, 0), nil
	}
	e.Progress = nil
	half := matrix.New(u.Rows, u.Cols)
	err := t.NewGrid(e, [2]string{}, rows.Cols, rows.Cols).Pairs(ctx, "core", true, func() tiles.Visitor {
		return func(tile blas64.General, i, j int) error {
			weight := 1.0
			if i == j {
				weight = 0.5
			}
			dense.Gemm(blas.NoTrans, blas.NoTrans, weight, tile, matrix.Rows(u, j, tile.Cols), 1, matrix.Rows(half, i, tile.Rows))
			return nil
		}
	})
	if err != nil {
		return half, err
	}
	z := dense.SymmetricPart(dense.Mul(blas.Trans, u, blas.NoTrans, half))
	dense.Scale(2, z)
	return z, nil
}

// embedRows returns the embedding of rows in memory. Their numbers identify landmarks.
func embedRows(ctx context.Context, e stream.Engine, t *tiles.Tiles,
	side *Embedding, landmarks, rows *basis.Panel, name string) (blas64.General, error) {
	out := matrix.New(rows.Rows.Rows, side.Rank())
	embedders := sync.Pool{New: func() any { return newEmbedder(t, side, landmarks, name) }}
	return out, stream.Each(ctx, e.Threads, (out.Rows+tilesize.PanelRows-1)/tilesize.PanelRows, func(i int) error {
		m := embedders.Get().(*embedder)
		defer embedders.Put(m)
		first := i * tilesize.PanelRows
		n := min(tilesize.PanelRows, out.Rows-first)
		fold, err := m.rawNumbered(matrix.Rows(rows.Rows, first, n), input.Numbers{List: rows.Number[first:]})
		if err != nil {
			return err
		}
		m.project(matrix.Rows(out, first, n), fold)
		return nil
	})
}

// smallestSingularValue returns the smallest singular value of a small matrix with at least as many rows as columns.
func smallestSingularValue(a blas64.General) (float64, error) {
	s, err := newSVD("the sketch", a)
	if err != nil || len(s.S) == 0 {
		return 0, err
	}
	return s.S[len(s.S)-1], nil
}

// condition returns the ratio of the first to the r-th singular value.
func condition(s *svd, r int) float64 {
	if r == 0 {
		return 1
	}
	return s.S[0] / s.S[r-1]
}

// coreFrame is a basis u of the range of the embedded core points B, with the pseudo-inverse B⁺ = back·(u·factor⁻¹)ᵀ.
// The columns of u·factor⁻¹ are orthonormal.
type coreFrame struct {
	u, back blas64.General
	factor  blas64.General // empty if u is orthonormal
}

// gramCondition is the largest estimated condition number of B for which its Gram matrix is accurate enough: the
// columns of B·factor⁻¹ are then orthonormal to about ε times its square.
const gramCondition = 1e3

// newCoreFrame embeds the core points and returns their frame.
func newCoreFrame(ctx context.Context, e stream.Engine, t *tiles.Tiles,
	side *Embedding, landmarks, core *basis.Panel) (*coreFrame, error) {
	b, err := embedRows(ctx, e, t, side, landmarks, core, "core points")
	if err != nil {
		return nil, err
	}
	if b.Cols == 0 {
		return &coreFrame{u: b, back: matrix.New(0, 0)}, nil
	}
	if factor, ok := gramFactor(b); ok {
		return &coreFrame{u: b, back: basis.Inverse(factor), factor: factor}, nil
	}
	return reflectedFrame(b)
}

// reflectedFrame computes the frame by Householder reflections and drops directions that the core points miss. It is
// the reference for gramFactor. B has rows of orthonormal columns, so it is well conditioned unless directions are
// missed.
func reflectedFrame(b blas64.General) (*coreFrame, error) {
	qr := sketch.NewQR(b.Cols)
	if err := qr.Add(b); err != nil {
		return nil, err
	}
	back, _, err := basis.Orthonormaliser(qr.R(), coreTolerance)
	if errors.Is(err, basis.ErrNotFinite) {
		err = notFinite("the core points")
	}
	if err != nil {
		return nil, err
	}
	return &coreFrame{u: dense.Mul(blas.NoTrans, b, blas.NoTrans, back), back: back}, nil
}

// gramFactor returns the Cholesky factor of bᵀb, if b is well conditioned.
func gramFactor(b blas64.General) (factor blas64.General, ok bool) {
	factor = matrix.New(b.Cols, b.Cols)
	g := basis.Symmetric(factor)
	blas64.Syrk(blas.Trans, 1, b, 0, g)
	if _, ok := lapack64.Potrf(g); !ok || !dense.Finite(factor) {
		return factor, false
	}
	return factor, basis.Condition(factor) <= gramCondition
}

// orthonormal transforms uᵀ·M·u, M symmetric, to the orthonormal basis.
func (f *coreFrame) orthonormal(z blas64.General) {
	f.fromLeft(z)
	f.fromRight(z)
}

// fromLeft transforms uᵀ·M to the orthonormal basis.
func (f *coreFrame) fromLeft(z blas64.General) {
	if f.factor.Rows > 0 && z.Cols > 0 {
		blas64.Trsm(blas.Left, blas.Trans, 1, basis.Upper(f.factor), z)
	}
}

// fromRight transforms M·u to the orthonormal basis.
func (f *coreFrame) fromRight(z blas64.General) {
	if f.factor.Rows > 0 && z.Rows > 0 {
		blas64.Trsm(blas.Right, blas.NoTrans, 1, basis.Upper(f.factor), z)
	}
}

// orthonormalEmbedding turns the triangular factor of a sketch into an embedding with orthonormal columns on the
// streamed rows. It also returns the condition number of the sketch.
func orthonormalEmbedding(factor blas64.General, rows *basis.Panel, signs *sketch.SparseSign) (*Embedding, float64, error) {
	projection, condition, err := basis.Orthonormaliser(factor, RankTolerance)
	if err != nil {
		return nil, 0, notFinite("the sketch")
	}
	return &Embedding{Landmarks: rows.Rows, Rows: rows.Number, Signs: signs, Projection: projection}, condition, nil
}
