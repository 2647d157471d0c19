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
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// checkTwo returns an error unless the method supports two sources with these settings.
func (m Landmark) checkTwo(k kernelgen.Kernel) error {
	if c := m.Rule.Or(RuleAuto); c != RuleUniform && c != RuleAuto {
		return fmt.Errorf("`Rule %s` is for the symmetric matrix of one source: landmarks of other matrices are uniform", m.Rule)
	}
	return cmp.Or(m.Shift.ofTwoFactors(), checkKernel(k))
}

// fitTwo approximates the kernel matrix between the rows of two sources. One source is treated as any square matrix.
//
// Cost: one pass over each source after gathering, ℓ kernel entries for each row and (ℓ+s)² for the core. A single
// source is read in two passes.
func (m Landmark) fitTwo(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel) (*Fit, error) {
	if err := cmp.Or(d.Check(), m.checkTwo(k)); err != nil {
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
	passes := 1 + sums.passes
	if d.Right == nil {
		d.Right = d.Left
		passes++
	}
	l, err := m.sideOf(ctx, t, d.Left, leftRows)
	if err != nil {
		return nil, err
	}
	r, err := m.sideOf(ctx, t, d.Right, rightRows)
	if err != nil {
		return nil, err
	}
	l.held.sums = sums.checked
	if err := basis.ChooseScale(ctx, e, t, l.landmarks.Rows, r.landmarks); err != nil {
		return nil, err
	}
	u, err := m.rangeTwo(ctx, &basis.Map{Tiles: t, Landmarks: r.landmarks}, sums.RowSums, e, d.Left, l)
	if err != nil {
		return nil, err
	}
	v, err := m.rangeTwo(ctx, &basis.Map{Tiles: t, Landmarks: l.landmarks, Transposed: !k.Symmetric()}, sums.RowSums, e, d.Right, r)
	if err != nil {
		return nil, err
	}
	found, condition, err := m.finishTwo(ctx, e, t, u, v, l, r)
	if err != nil {
		return nil, err
	}
	found.Rows, found.Cols, found.Sums = l.n, r.n, sums.RowSums
	notes := slices.Concat(l.points.notes, r.points.notes, sums.notes, rankNote(len(found.Values), m.Rank, rangeTolerance))
	f, err := finishFit(ctx, e, t, found, notes, condition, l.held, r.held, math.NaN())
	if err == nil {
		f.SourcePasses = passes
	}
	return f, err
}

// drawnRows holds the purposes of the random choices of one side.
type drawnRows struct{ landmarks, core, held, scout string }

// Landmarks are those of [SSRSVD] with the same seed, so Q and P span the ranges of its sketches, and more.
var (
	leftRows  = drawnRows{"H", "O", "left held back", "left scout"}
	rightRows = drawnRows{"C", "S", "right held back", "right scout"}
)

// landmarkSide holds the rows gathered from one source for a rectangular matrix.
type landmarkSide struct {
	drawn           drawnRows
	n               int64
	points          *landmarkPoints
	landmarks, core *basis.Panel
	held            heldRows
	singular        []float64 // values of K(·, the other landmarks), after the cutoff
}

// rangeTolerance is the relative cutoff of singular values of Y. It is below [RankTolerance], whose directions are
// orthonormal for every use. Here the core makes directions with rounding errors of a few per cent harmless. Rows of
// little mass, which dominate a transport plan, may depend on weak directions alone: between the colours of two
// pictures of the sea, the worst error of a plan of 10 seeds is 7.9e-6 with this cutoff and 2.0e-5 with the other (go
// run -C bench/papers . paper1 -only transport).
const rangeTolerance = 1e-14

func (m Landmark) sideOf(ctx context.Context, t *tiles.Tiles, src stream.Source, drawn drawnRows) (*landmarkSide, error) {
	n := src.Info().Rows
	points, err := m.points(n, drawn.landmarks, drawn.core, true)
	if err != nil {
		return nil, err
	}
	s := &landmarkSide{drawn: drawn, n: n, points: points}
	held := heldBackRows(n, heldBackCount(len(points.landmarks)), m.Seed, drawn.held, points.landmarks, points.core)
	panels, err := basis.Gather(ctx, src, rowSet{Numbers: points.landmarks}, rowSet{Numbers: points.core}, rowSet{Numbers: held})
	if err != nil {
		return nil, err
	}
	s.landmarks, s.core, s.held = panels[0], panels[1], heldRows{Panel: panels[2]}
	return s, cmp.Or(basis.CheckRows(t, s.core, src.Info().Name), basis.CheckRows(t, s.held.Panel, src.Info().Name))
}

// rangeTwo makes the pass over the rows of a side and returns the orthonormal embedding Q by a map on the landmarks of
// the other side. Rows found by the pass are added to the core, with weight 1 in the error estimate.
//
// Columns of Q are left singular vectors of Y = K(·, J), not of its triangular factor. A column of singular value σ
// then has a rounding error of ε·σ₁/σ, negligible for the leading ones. Otherwise all columns would have the error of
// the last, which the pseudo-inverses of the core would amplify.
func (m Landmark) rangeTwo(ctx context.Context, by *basis.Map, sums *RowSums, e stream.Engine,
	src stream.Source, side *landmarkSide) (*Embedding, error) {
	if err := by.Prepare(ctx, e); err != nil {
		return nil, err
	}
	s, err := basis.NewLeverage(ctx, e, by, side.core, src.Info().Name, side.landmarks.Number, side.points.scouted, m.Seed, side.drawn.scout)
	if err != nil {
		return nil, err
	}
	state, err := streamFactor(ctx, sums.given(e), by.Tiles, by, src, false, s)
	if err != nil {
		return nil, err
	}
	side.core, side.held = withFound(side.core, side.held, foundRows(state.B.B))
	y, err := newSVD("the sketch", state.A.R())
	if err != nil {
		return nil, err
	}
	// Each direction needs at least two core points.
	k := min(dense.Rank(y.S, rangeTolerance), (len(side.core.Number)+1)/2)
	side.singular = y.S[:k]
	return &Embedding{Landmarks: by.Landmarks.Rows, Rows: by.Landmarks.Number, Transposed: by.Transposed, Projection: y.whitener(k)}, nil
}

// finishTwo fits the core, and returns the condition number of the remaining directions.
func (m Landmark) finishTwo(ctx context.Context, e stream.Engine,
	t *tiles.Tiles, u, v *Embedding, l, r *landmarkSide) (*Model, float64, error) {
	bu, err := newCoreFrame(ctx, e, t, u, r.landmarks, l.core)
	if err != nil {
		return nil, 0, err
	}
	bv, err := newCoreFrame(ctx, e, t, v, l.landmarks, r.core)
	if err != nil {
		return nil, 0, err
	}
	z, err := projectedCore(ctx, e, t, l.core, bu.u, r.core, bv.u)
	if err != nil {
		return nil, 0, err
	}
	bu.fromLeft(z)
	bv.fromRight(z)
	w, err := newSVD("the core", dense.Mul(blas.NoTrans, bu.back, blas.NoTrans, dense.Mul(blas.NoTrans, z, blas.Trans, bv.back)))
	if err != nil {
		return nil, 0, err
	}
	c := min(m.Rank, len(w.S))
	left, right := matrix.Columns(w.U, 0, c), matrix.Columns(w.V, 0, c)
	condition := math.Max(conditionOf(l.singular, left), conditionOf(r.singular, right))
	u.Projection = dense.Mul(blas.NoTrans, u.Projection, blas.NoTrans, left)
	v.Projection = dense.Mul(blas.NoTrans, v.Projection, blas.NoTrans, right)
	return &Model{Method: "landmark", Kernel: t.Kernel, Seed: m.Seed, Left: u, Right: v, Values: w.S[:c]}, condition, nil
}

// conditionOf returns the rounding error of the columns of Q·w, relative to that of a column of Q with the largest
// singular value. A column of Q has an error proportional to the inverse of its singular value.
func conditionOf(singular []float64, w blas64.General) float64 {
	largest := 1.0
	for j := range w.Cols {
		sum := 0.0
		for i, v := range singular {
			sum += math.Pow(singular[0]/v*w.Data[i*w.Stride+j], 2)
		}
		largest = math.Max(largest, math.Sqrt(sum))
	}
	return largest
}
