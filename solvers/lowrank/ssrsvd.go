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
	return model.Leave(ctx, e, d, k, m.fit)
}

// fit is Fit for who waits until it ends.
func (m SSRSVD) fit(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel) (*Fit, error) {
	if err := check(d, k); err != nil {
		return nil, err
	}
	k, err := model.Resolve(ctx, d, k, m.Seed)
	if err != nil {
		return nil, err
	}
	f := &ssrsvd{SSRSVD: m, engine: e, tiles: tiles.Plain(k), left: d.Left, right: d.Right, square: d.Right == nil}
	if f.square {
		f.right = d.Left
	}
	for _, step := range []func(context.Context) error{f.begin, f.stream, f.orthonormalise} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	found, err := f.finish(ctx)
	if err != nil {
		return nil, err
	}
	notes := append(f.size.notes, rankNote(len(found.Values), f.size.rank, RankTolerance)...)
	return finishFit(ctx, f.engine, f.tiles, found, notes, f.condition, f.heldLeft, f.heldRight, math.NaN())
}

// ssrsvd is a fit under way. The letters are those of Algorithm 4.
type ssrsvd struct {
	SSRSVD
	size                  sizes
	engine                stream.Engine
	tiles                 *tiles.Tiles
	left, right           stream.Source
	square                bool // left and right are one source, read once
	m, n                  int64
	c, h, o, s            *sketch.SparseSign
	rowsC, rowsS          *basis.Panel // rows of the right source
	rowsH, rowsO          *basis.Panel // rows of the left source
	heldLeft, heldRight   heldRows
	factorY, factorX      blas64.General
	embedLeft, embedRight *Embedding
	condition             float64
}

// begin draws the sketches and gathers the rows that they touch.
func (f *ssrsvd) begin(ctx context.Context) (err error) {
	f.m, f.n = f.left.Info().Rows, f.right.Info().Rows
	if f.size, err = fitSizes(min(f.m, f.n), f.Rank, f.Sketch, f.NNZ); err != nil {
		return err
	}
	if err := f.drawSketches(); err != nil {
		return err
	}
	if err := f.gather(ctx); err != nil {
		return err
	}
	return basis.ChooseScale(ctx, f.engine, f.tiles, f.rowsH.Rows, f.rowsC)
}

func (f *ssrsvd) drawSketches() (err error) {
	draw := func(rows int64, cols int, purpose string) (s *sketch.SparseSign) {
		if err == nil {
			s, err = sketch.NewSparseSign(rows, cols, f.size.nnz, f.Seed, purpose)
		}
		return s
	}
	f.c, f.s = draw(f.n, f.size.rank, "C"), draw(f.n, f.size.sketch, "S")
	f.h, f.o = draw(f.m, f.size.rank, "H"), draw(f.m, f.size.sketch, "O")
	return err
}

// gather fetches the landmarks, with one gather from each source.
func (f *ssrsvd) gather(ctx context.Context) error {
	heldLeft := heldBackRows(f.m, heldBack(len(f.h.Positions())), f.Seed, "left held back", f.h.Positions(), f.o.Positions())
	heldRight := heldBackRows(f.n, heldBack(len(f.c.Positions())), f.Seed, "right held back", f.c.Positions(), f.s.Positions())
	left := []rowSet{sketched(f.h), sketched(f.o), {Numbers: heldLeft}}
	right := []rowSet{sketched(f.c), sketched(f.s), {Numbers: heldRight}}
	if f.square {
		p, err := basis.Gather(ctx, f.left, append(left, right...)...)
		if err == nil {
			f.keep(p[:3], p[3:])
		}
		return err
	}
	l, err := basis.Gather(ctx, f.left, left...)
	if err != nil {
		return err
	}
	r, err := basis.Gather(ctx, f.right, right...)
	if err == nil {
		f.keep(l, r)
	}
	return err
}

func (f *ssrsvd) keep(left, right []*basis.Panel) {
	f.rowsH, f.rowsO, f.heldLeft = left[0], left[1], heldRows{Panel: left[2]}
	f.rowsC, f.rowsS, f.heldRight = right[0], right[1], heldRows{Panel: right[2]}
}

// stream makes the one pass over each source: the triangular factors of Y = A·C,
// over left rows, and of X = Aᵀ·H, over right rows.
func (f *ssrsvd) stream(ctx context.Context) (err error) {
	y := &basis.Map{Tiles: f.tiles, Landmarks: f.rowsC, Signs: f.c}
	x := &basis.Map{Tiles: f.tiles, Landmarks: f.rowsH, Signs: f.h}
	if f.square {
		f.factorY, f.factorX, err = streamBoth(ctx, f.engine, f.left, y, x)
		return err
	}
	if f.factorY, err = streamSketch(ctx, f.engine, f.left, y); err != nil {
		return err
	}
	f.factorX, err = streamSketch(ctx, f.engine, f.right, x)
	return err
}

// streamSketch makes one pass for the triangular factor of a sketch.
func streamSketch(ctx context.Context, e stream.Engine, src stream.Source, m *basis.Map) (blas64.General, error) {
	defer m.Tiles.CountPass(src.Info().Rows * int64(m.Landmarks.Count()))()
	newFactor := func() *sketch.QR { return sketch.NewQR(m.Width()) }
	columns := &basis.Columns{Features: []basis.Features{m.Features(src.Info().Name)}}
	qr, err := basis.Moments(ctx, e.Given(m.Landmarks.Rows), "fit", src, columns, newFactor, func() func(*sketch.QR, basis.Rows) error {
		return func(qr *sketch.QR, r basis.Rows) error { return qr.Add(r.Z) }
	})
	if err != nil {
		return blas64.General{}, err
	}
	return qr.R(), nil
}

// streamBoth makes one pass for two sketches of the same rows.
func streamBoth(ctx context.Context, e stream.Engine, src stream.Source, y, x *basis.Map) (ry, rx blas64.General, err error) {
	type pair = sketch.Both[*sketch.QR, *sketch.QR]
	newPair := func() *pair { return &pair{A: sketch.NewQR(y.Width()), B: sketch.NewQR(x.Width())} }
	name := src.Info().Name
	defer y.Tiles.CountPass(src.Info().Rows * int64(y.Landmarks.Count()+x.Landmarks.Count()))()
	columns := &basis.Columns{Features: []basis.Features{y.Features(name), x.Features(name)}}
	state, err := basis.Moments(ctx, e.Given(y.Landmarks.Rows, x.Landmarks.Rows), "fit", src, columns, newPair, func() func(*pair, basis.Rows) error {
		return func(p *pair, r basis.Rows) error {
			if err := p.A.Add(dense.Columns(r.Z, 0, y.Width())); err != nil {
				return err
			}
			return p.B.Add(dense.Columns(r.Z, y.Width(), x.Width()))
		}
	})
	if err != nil {
		return ry, rx, err
	}
	return state.A.R(), state.B.R(), nil
}

// orthonormalise turns the triangular factors into embeddings Q and P.
func (f *ssrsvd) orthonormalise(context.Context) error {
	left, condY, err := orthonormalEmbedding(f.factorY, f.rowsC, f.c)
	if err != nil {
		return err
	}
	right, condX, err := orthonormalEmbedding(f.factorX, f.rowsH, f.h)
	f.embedLeft, f.embedRight, f.condition = left, right, math.Max(condY, condX)
	return err
}

// finish makes the model: Algorithm 4, lines 4–6: W = (OᵀQ)⁺·Z·(PᵀS)⁺ and its SVD.
func (f *ssrsvd) finish(ctx context.Context) (*Model, error) {
	left, err := foldedEmbedding(ctx, f.engine, f.tiles, f.embedLeft, f.rowsC, f.rowsO, f.o, f.left.Info().Name)
	if err != nil {
		return nil, err
	}
	right, err := foldedEmbedding(ctx, f.engine, f.tiles, f.embedRight, f.rowsH, f.rowsS, f.s, f.right.Info().Name)
	if err != nil {
		return nil, err
	}
	z, err := foldedCore(ctx, f.engine, f.tiles, f.rowsO, f.o, f.rowsS, f.s)
	if err != nil {
		return nil, err
	}
	w, leftOut, err := solveCore(left, z, right, usualLength(f.o), usualLength(f.s), f.norm(z))
	if err != nil {
		return nil, err
	}
	if leftOut > 0 {
		f.size.notes = append(f.size.notes, fmt.Sprintf("%d of %d directions are left out: few rows make them, and none of these is among the rows of the core; raise the `sketch`, or use method landmark", leftOut, len(w.S)))
	}
	f.embedLeft.Projection = dense.Mul(blas.NoTrans, f.embedLeft.Projection, blas.NoTrans, w.U)
	f.embedRight.Projection = dense.Mul(blas.NoTrans, f.embedRight.Projection, blas.NoTrans, w.V)
	return &Model{Method: "ssrsvd", Kernel: f.tiles.Kernel, Seed: f.Seed, Rows: f.m, Cols: f.n,
		Left: f.embedLeft, Right: f.embedRight, Values: w.S}, nil
}

// seldomSeen is below what part of the length √(s/m) that OᵀQ leaves of a usual direction of Q
// the core points see too little of one for what they say of it to be taken, unless that is
// clear.
const seldomSeen = 0.05

// clearlySeen is how many times above the residual of the core an entry stands that is clear.
const clearlySeen = 10

// solveCore returns the SVD of left⁺·z·(right⁺)ᵀ, and how many directions on a side have been
// left out. The published algorithm leaves out none, and divides what the core has besides the
// range, which looks like noise, by how much the core points see of a direction. Where a few
// rows make a direction of the range and none of them is a core point that is next to nothing,
// and such a model is worse than none.
// leftUsual and rightUsual are the lengths of usual directions, and most is about the norm of
// A, beyond which no entry of QᵀAP can be.
func solveCore(left, z, right blas64.General, leftUsual, rightUsual, most float64) (w *svd, leftOut int, err error) {
	l, err := newSVD("OᵀQ", left)
	if err != nil {
		return nil, 0, err
	}
	r, err := newSVD("SᵀP", right)
	if err != nil {
		return nil, 0, err
	}
	rows, cols := dense.Rank(l.S, coreTolerance), dense.Rank(r.S, coreTolerance)
	g := dense.Mul(blas.Trans, dense.Columns(l.U, 0, rows), blas.NoTrans, dense.Mul(blas.NoTrans, z, blas.NoTrans, dense.Columns(r.U, 0, cols)))
	clear := clearlySeen * coreResidual(z, g)
	seenLeft, seenRight := seen(l.S[:rows], leftUsual), seen(r.S[:cols], rightUsual)
	kept := 0
	for i := range rows {
		row := dense.Row(g, i)
		for j, v := range row {
			row[j] = v / (l.S[i] * r.S[j])
			if seldom := i >= seenLeft || j >= seenRight; seldom && (math.Abs(v) <= clear || math.Abs(row[j]) > most) {
				row[j] = 0
			}
		}
		if i >= seenLeft && slices.ContainsFunc(row, func(v float64) bool { return v != 0 }) {
			kept++
		}
	}
	leftOut = max(rows-seenLeft-kept, 0)
	w, err = newSVD("the core", dense.Mul(blas.NoTrans, dense.Columns(l.V, 0, rows), blas.NoTrans, dense.Mul(blas.NoTrans, g, blas.Trans, dense.Columns(r.V, 0, cols))))
	return w, leftOut, err
}

// norm returns about ‖A‖_F, or more: the largest of what Z and the sketches of the range say,
// each of which may miss rows that carry it, with room for chance.
func (f *ssrsvd) norm(z blas64.General) float64 {
	const room = 3
	usual := usualLength(f.o) * usualLength(f.s)
	return room * max(dense.Frobenius(z)/usual, dense.Frobenius(f.factorY)/usualLength(f.c), dense.Frobenius(f.factorX)/usualLength(f.h))
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

// coreResidual returns the size of an entry of what z has besides g, its projection.
func coreResidual(z, g blas64.General) float64 {
	rest := float64(z.Rows)*float64(z.Cols) - float64(g.Rows)*float64(g.Cols)
	if rest <= 0 {
		return 0
	}
	all, part := dense.Frobenius(z), dense.Frobenius(g)
	return math.Sqrt(math.Max(0, all-part)) * math.Sqrt(all+part) / math.Sqrt(rest)
}
