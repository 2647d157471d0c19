package lowrank

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// SSRSVD is the sparse-sign streaming randomized SVD: Xie et al. (2023),
// Algorithm 4, with sketches drawn without replacement over the whole matrix.
//
// The core is fitted on the s columns of a sparse-sign sketch. These hardly cover a direction that lives on few rows,
// where the published algorithm divides by nearly zero. Therefore the pass finds the rows of largest leverage on each
// side and adds them to the core, with weight 1.
//
// Cost: one pass over each source after gathering z·(c+s) landmarks from each; with one source, a single pass serves
// both sides. (m+n)·z·c + (z·s+ℓ)² kernel entries with ℓ leverage rows, O((m+n)·c²) flops, memory for the landmarks and
// O(c²+(s+ℓ)²) numbers. Row sums of a normalised kernel are extra: see [Sums].
type SSRSVD struct {
	Rank   int // r = c, at most min(m,n)/z
	Sketch int // s ≥ c; 0 means 5c, or the largest that fits
	NNZ    int // z, nonzeros in a sketch column; 0 means 4
	// LeverageRows is the number of rows of each side added to the core; 0 means 2c, and −1 none, for Algorithm 4 as
	// published.
	LeverageRows int
	Sums         Sums // of a normalised kernel
	Seed         uint64
}

// Fit approximates the kernel matrix between the rows of two sources. One source is treated as any square matrix:
// symmetry is neither used nor required.
func (m SSRSVD) Fit(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel) (*Fit, error) {
	return family.RunFit(ctx, e, m, d, k, m.fit)
}

// fit implements Fit.
func (m SSRSVD) fit(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel) (*Fit, error) {
	if err := check(d, k); err != nil {
		return nil, err
	}
	k, err := family.Resolve(ctx, e, d, k, m.Seed)
	if err != nil {
		return nil, err
	}
	sums, err := newSums(ctx, m.Sums, d, k, m.Seed)
	if err != nil {
		return nil, err
	}
	t, err := newTiles(k, sums.RowSums)
	if err != nil {
		return nil, err
	}
	f := &ssrsvd{SSRSVD: m, engine: e, tiles: t, sums: sums}
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
	notes := slices.Concat(f.size.notes, sums.notes, rankNote(len(found.Values), f.size.rank, RankTolerance))
	fit, err := finishFit(ctx, f.engine, f.tiles, found, notes, f.condition, f.left.held, f.right.held, math.NaN())
	if err == nil {
		fit.SourcePasses += sums.passes
	}
	return fit, err
}

// ssrsvd is a fit in progress, with the letters of Algorithm 4: H and O are the sketches of the left rows, C and S
// those of the right rows.
type ssrsvd struct {
	SSRSVD
	size             sizes
	engine           stream.Engine
	tiles            *tiles.Tiles
	sums             fitSums
	left, right      *sketchedSide
	factorY, factorX blas64.General
	condition        float64
}

// begin draws the sketches and gathers their rows, with one gather from each source.
func (f *ssrsvd) begin(ctx context.Context, d model.Sources) (err error) {
	rows, columns := d.Left.Info().Rows, d.Size().Cols
	if d.Right == nil {
		columns = rows
	}
	if f.size, err = fitSizes(min(rows, columns), f.Rank, f.Sketch, f.NNZ, f.LeverageRows); err != nil {
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
	for _, s := range []*sketchedSide{f.left, f.right} {
		for _, p := range []*basis.Panel{s.landmarks, s.core, s.held.Panel} {
			if err := basis.CheckRows(f.tiles, p, s.name); err != nil {
				return err
			}
		}
	}
	f.left.held.sums = f.sums.checked
	return basis.ChooseScale(ctx, f.engine, f.tiles, f.left.landmarks.Rows, f.right.landmarks)
}

// stream makes one pass over each source. It computes the triangular factors of Y = A·C, over left rows, and of X =
// Aᵀ·H, over right rows, and finds the rows of high leverage in each.
func (f *ssrsvd) stream(ctx context.Context, d model.Sources) error {
	l, r := f.left, f.right
	y := &basis.Map{Tiles: f.tiles, Landmarks: r.landmarks, Signs: r.signs}
	x := &basis.Map{Tiles: f.tiles, Landmarks: l.landmarks, Signs: l.signs, Transposed: !f.tiles.Kernel.Symmetric()}
	if err := x.Prepare(ctx, f.engine); err != nil {
		return err
	}
	e := f.sums.given(f.engine)
	if err := l.scout(ctx, f.engine, y, f.size.leverage, f.Seed, "left scout"); err != nil {
		return err
	}
	if err := r.scout(ctx, f.engine, x, f.size.leverage, f.Seed, "right scout"); err != nil {
		return err
	}
	defer f.tiles.CountPass(l.signs.Rows*int64(y.Entries()) + r.signs.Rows*int64(x.Entries()))()
	if d.Right == nil {
		e := e.WithInputs(r.landmarks.Rows, l.landmarks.Rows, l.leverage.Project, r.leverage.Project)
		both, err := streamRanges(ctx, e, d.Left, []basis.Features{y.Features(l.name), x.Features(r.name)}, l.leverage, r.leverage)
		if err == nil {
			f.take(both[0], both[1])
		}
		return err
	}
	ofY, err := streamRanges(ctx, e.WithInputs(r.landmarks.Rows, l.leverage.Project), d.Left, []basis.Features{y.Features(l.name)}, l.leverage)
	if err != nil {
		return err
	}
	ofX, err := streamRanges(ctx, e.WithInputs(l.landmarks.Rows, r.leverage.Project), d.Right, []basis.Features{x.Features(r.name)}, r.leverage)
	if err == nil {
		f.take(ofY[0], ofX[0])
	}
	return err
}

// take stores the results of the pass for both sides.
func (f *ssrsvd) take(ofY, ofX *sketchedRange) {
	f.factorY, f.factorX = ofY.A.R(), ofX.A.R()
	f.left.take(ofY.B)
	f.right.take(ofX.B)
}

// sketchedRange is the triangular factor of a sketch, and its rows of high leverage.
type sketchedRange = sketch.Both[*sketch.QR, *sketch.Priority]

// streamRanges makes one pass over src for the ranges of several features, each with its leverage.
func streamRanges(ctx context.Context, e stream.Engine, src stream.Source, features []basis.Features,
	leverage ...*basis.Leverage) (sketch.List[*sketchedRange], error) {
	newState := func() (l sketch.List[*sketchedRange]) {
		for i, f := range features {
			rows := sketch.NewPriority(leverage[i].Keep, len(src.Info().Columns))
			l = append(l, &sketchedRange{A: sketch.NewQR(f.Width), B: rows})
		}
		return l
	}
	add := func() func(sketch.List[*sketchedRange], basis.Rows) error {
		var priorities []func(y blas64.General, start int64) []float64
		for _, s := range leverage {
			priorities = append(priorities, s.Sampler())
		}
		return func(state sketch.List[*sketchedRange], r basis.Rows) error {
			first := 0
			for i, f := range features {
				z := matrix.Columns(r.Z, first, f.Width)
				if err := state[i].B.Add(r.Start, priorities[i](z, r.Start), r.X); err != nil {
					return err
				}
				if err := state[i].A.Add(z); err != nil {
					return err
				}
				first += f.Width
			}
			return nil
		}
	}
	return basis.Moments(ctx, e, "fit", src, &basis.Columns{Features: features}, newState, add)
}

// finish makes the model by Algorithm 4, lines 4–6: W = (OᵀQ)⁺·Z·(PᵀS)⁺ and its SVD, where found rows are added to O
// and S.
func (f *ssrsvd) finish(ctx context.Context) (*Model, error) {
	q, condY, err := orthonormalEmbedding(f.factorY, f.right.landmarks, f.right.signs)
	if err != nil {
		return nil, err
	}
	p, condX, err := orthonormalEmbedding(f.factorX, f.left.landmarks, f.left.signs)
	if err != nil {
		return nil, err
	}
	p.Transposed = !f.tiles.Kernel.Symmetric()
	f.condition = math.Max(condY, condX)
	left, err := f.left.fitted.embed(ctx, f.engine, f.tiles, q, f.right.landmarks, f.left.name)
	if err != nil {
		return nil, err
	}
	right, err := f.right.fitted.embed(ctx, f.engine, f.tiles, p, f.left.landmarks, f.right.name)
	if err != nil {
		return nil, err
	}
	z, err := foldedCore(ctx, f.engine, f.tiles, f.left.fitted, f.right.fitted)
	if err != nil {
		return nil, err
	}
	f.left.fitted, f.right.fitted = nil, nil
	w, err := solveCore(left, z, right)
	if err != nil {
		return nil, err
	}
	q.Projection = dense.Mul(blas.NoTrans, q.Projection, blas.NoTrans, w.U)
	p.Projection = dense.Mul(blas.NoTrans, p.Projection, blas.NoTrans, w.V)
	return &Model{Method: "ssrsvd", Kernel: f.tiles.Kernel, Seed: f.Seed, Rows: f.left.signs.Rows, Cols: f.right.signs.Rows,
		Left: q, Right: p, Values: w.S, Sums: f.sums.RowSums}, nil
}

// solveCore returns the SVD of left⁺·z·(right⁺)ᵀ.
func solveCore(left, z, right blas64.General) (*svd, error) {
	l, err := newSVD("OᵀQ", left)
	if err != nil {
		return nil, err
	}
	r, err := newSVD("SᵀP", right)
	if err != nil {
		return nil, err
	}
	rows, cols := dense.Rank(l.S, coreTolerance), dense.Rank(r.S, coreTolerance)
	g := dense.Mul(blas.Trans, matrix.Columns(l.U, 0, rows), blas.NoTrans, dense.Mul(blas.NoTrans, z, blas.NoTrans, matrix.Columns(r.U, 0, cols)))
	dense.ScaleRows(g, dense.Reciprocals(l.S[:rows]))
	dense.ScaleColumns(g, dense.Reciprocals(r.S[:cols]))
	return newSVD("the core", dense.Mul(blas.NoTrans, matrix.Columns(l.V, 0, rows), blas.NoTrans, dense.Mul(blas.NoTrans, g, blas.Trans, matrix.Columns(r.V, 0, cols))))
}
