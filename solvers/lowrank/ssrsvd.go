package lowrank

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// SSRSVD is the sparse-sign streaming randomized SVD: Xie et al. (2023),
// Algorithm 4, with sketches drawn without replacement over the whole matrix.
//
// It takes one pass over each source after gathering z·(c+s) landmarks from
// each; with one source a single pass serves both sides. (m+n)·z·c + (z·s)²
// kernel entries, O((m+n)·c²) flops, memory for the landmarks and O(c²+s²)
// numbers. Directions of the range of which the core points see too little are left out, see
// solveCore.
type SSRSVD struct {
	Rank   int // r = c, at most min(m,n)/z
	Sketch int // s ≥ c; 0 means 5c, or the largest that fits
	NNZ    int // z, nonzeros per sketch column; 0 means 4
	Seed   uint64
}

// Fit approximates the kernel matrix between the rows of two sources, or of one, which
// is treated as any square matrix: its symmetry is not used.
func (m SSRSVD) Fit(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel) (*Fit, error) {
	return model.Leave(ctx, e, m, d, k, m.fit)
}

// fit implements Fit.
func (m SSRSVD) fit(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel) (*Fit, error) {
	if err := check(d, k); err != nil {
		return nil, err
	}
	k, err := model.Resolve(ctx, d, k, m.Seed)
	if err != nil {
		return nil, err
	}
	f := &ssrsvd{SSRSVD: m, engine: e, tiles: tiles.Plain(k)}
	if err := f.begin(ctx, d); err != nil {
		return nil, err
	}
	if err := f.stream(ctx, d); err != nil {
		return nil, err
	}
	found, err := f.finish(ctx)
	if err != nil {
		return nil, err
	}
	notes := append(f.size.notes, rankNote(len(found.Values), f.size.rank, RankTolerance)...)
	return finishFit(ctx, f.engine, f.tiles, found, notes, f.condition, f.left.held, f.right.held, math.NaN())
}

// ssrsvd is a fit under way. The letters are those of Algorithm 4: H and O are the sketches of the
// left rows, C and S those of the right.
type ssrsvd struct {
	SSRSVD
	size             sizes
	engine           stream.Engine
	tiles            *tiles.Tiles
	left, right      *sketchedSide
	factorY, factorX blas64.General
	condition        float64
}

// begin draws the sketches and gathers the rows that they touch, with one gather from each source.
func (f *ssrsvd) begin(ctx context.Context, d model.Sources) (err error) {
	rows, columns := d.Left.Info().Rows, d.Shape().Cols
	if d.Right == nil {
		columns = rows
	}
	if f.size, err = fitSizes(min(rows, columns), f.Rank, f.Sketch, f.NNZ); err != nil {
		return err
	}
	if f.right, err = f.size.draw(columns, f.Seed, "C", "S", "right held back"); err != nil {
		return err
	}
	if f.left, err = f.size.draw(rows, f.Seed, "H", "O", "left held back"); err != nil {
		return err
	}
	if d.Right == nil {
		err = gatherSides(ctx, d.Left, f.left, f.right)
	} else if err = gatherSides(ctx, d.Left, f.left); err == nil {
		err = gatherSides(ctx, d.Right, f.right)
	}
	if err != nil {
		return err
	}
	return basis.ChooseScale(ctx, f.engine, f.tiles, f.left.landmarks.Rows, f.right.landmarks)
}

// stream makes the one pass over each source: the triangular factors of Y = A·C,
// over left rows, and of X = Aᵀ·H, over right rows.
func (f *ssrsvd) stream(ctx context.Context, d model.Sources) error {
	l, r := f.left, f.right
	y := &basis.Map{Tiles: f.tiles, Landmarks: r.landmarks, Signs: r.signs}
	x := &basis.Map{Tiles: f.tiles, Landmarks: l.landmarks, Signs: l.signs}
	defer f.tiles.CountPass(l.signs.Rows*int64(r.landmarks.Count()) + r.signs.Rows*int64(l.landmarks.Count()))()
	if d.Right == nil {
		e := f.engine.Given(r.landmarks.Rows, l.landmarks.Rows)
		both, err := streamFactors(ctx, e, "fit", d.Left, y.Features(l.name), x.Features(r.name))
		if err == nil {
			f.factorY, f.factorX = both[0], both[1]
		}
		return err
	}
	ofY, err := streamFactors(ctx, f.engine.Given(r.landmarks.Rows), "fit", d.Left, y.Features(l.name))
	if err != nil {
		return err
	}
	ofX, err := streamFactors(ctx, f.engine.Given(l.landmarks.Rows), "fit", d.Right, x.Features(r.name))
	if err == nil {
		f.factorY, f.factorX = ofY[0], ofX[0]
	}
	return err
}

// finish makes the model: Algorithm 4, lines 4–6: W = (OᵀQ)⁺·Z·(PᵀS)⁺ and its SVD.
func (f *ssrsvd) finish(ctx context.Context) (*Model, error) {
	q, condY, err := orthonormalEmbedding(f.factorY, f.right.landmarks, f.right.signs)
	if err != nil {
		return nil, err
	}
	p, condX, err := orthonormalEmbedding(f.factorX, f.left.landmarks, f.left.signs)
	if err != nil {
		return nil, err
	}
	f.condition = math.Max(condY, condX)
	left, err := f.left.embed(ctx, f.engine, f.tiles, q, f.right.landmarks)
	if err != nil {
		return nil, err
	}
	right, err := f.right.embed(ctx, f.engine, f.tiles, p, f.left.landmarks)
	if err != nil {
		return nil, err
	}
	z, err := foldedCore(ctx, f.engine, f.tiles, f.left, f.right)
	if err != nil {
		return nil, err
	}
	w, leftOut, err := solveCore(left, z, right, usualLength(f.left.coreSigns), usualLength(f.right.coreSigns))
	if err != nil {
		return nil, err
	}
	if leftOut > 0 {
		f.size.notes = append(f.size.notes, fmt.Sprintf("%d of %d directions are left out: few rows make them, and none of these is among the rows of the core; raise the `sketch`, or use method landmark", leftOut, len(w.S)))
	}
	q.Projection = dense.Mul(blas.NoTrans, q.Projection, blas.NoTrans, w.U)
	p.Projection = dense.Mul(blas.NoTrans, p.Projection, blas.NoTrans, w.V)
	return &Model{Method: "ssrsvd", Kernel: f.tiles.Kernel, Seed: f.Seed, Rows: f.left.signs.Rows, Cols: f.right.signs.Rows,
		Left: q, Right: p, Values: w.S}, nil
}

// seldomSeen is the part of the usual length √(s/m) of a column of OᵀQ at which the core points see
// too little of a direction of Q to tell of it.
const seldomSeen = 0.05

// solveCore returns the SVD of left⁺·z·(right⁺)ᵀ, and how many directions on a side are left out. The
// published algorithm leaves out none: where few rows make a direction of the range, and none of them is
// a core point, it divides noise by next to nothing, and the model is worse than none.
// leftUsual and rightUsual are the lengths of usual directions.
func solveCore(left, z, right blas64.General, leftUsual, rightUsual float64) (w *svd, leftOut int, err error) {
	l, err := newSVD("OᵀQ", left)
	if err != nil {
		return nil, 0, err
	}
	r, err := newSVD("SᵀP", right)
	if err != nil {
		return nil, 0, err
	}
	rows, cols := seen(l.S, leftUsual), seen(r.S, rightUsual)
	g := dense.Mul(blas.Trans, dense.Columns(l.U, 0, rows), blas.NoTrans, dense.Mul(blas.NoTrans, z, blas.NoTrans, dense.Columns(r.U, 0, cols)))
	for i := range rows {
		row := dense.Row(g, i)
		for j := range row {
			row[j] /= l.S[i] * r.S[j]
		}
	}
	w, err = newSVD("the core", dense.Mul(blas.NoTrans, dense.Columns(l.V, 0, rows), blas.NoTrans, dense.Mul(blas.NoTrans, g, blas.Trans, dense.Columns(r.V, 0, cols))))
	return w, len(l.S) - rows, err
}

// usualLength returns what a sketch leaves of a unit vector that is spread evenly.
func usualLength(s *sketch.SparseSign) float64 {
	return math.Sqrt(float64(s.Cols) / float64(max(1, s.Rows)))
}

// seen returns how many of the singular values, which descend, are of directions that the core
// points see enough of.
func seen(values []float64, usual float64) int {
	n, _ := slices.BinarySearchFunc(values, seldomSeen*usual, func(v, least float64) int { return cmp.Compare(least, v) })
	return n
}
