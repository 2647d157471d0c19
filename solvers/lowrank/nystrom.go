package lowrank

import (
	"context"
	"fmt"
	"math"

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

// Nystrom is the Nyström method (Williams & Seeger 2001; Drineas & Mahoney
// 2005), for positive semi-definite kernels:
//
//	Â = K(·, L)·W⁺·K(L, ·)       W = K(L, L), c landmarks L
//
// without a shift. It agrees with A in the rows and columns of the landmarks, and A − Â is positive semi-definite. With
// K(·, L) = Q·B, where Q is the streamed embedding, and W = V·Λ·Vᵀ, the core is G·Gᵀ with G = B·V·Λ^(−1/2). W is thus
// never inverted, and Â is positive semi-definite despite rounding. Eigenvalues of W at or below [RankTolerance] of the
// largest are dropped.
//
// With ℓ > c landmarks, it keeps the c largest eigenpairs of Â: those of G·Gᵀ, not those of W (Pourkamali-Anaraki &
// Becker 2016, Nyström by QR; Tropp, Yurtsever, Udell & Cevher 2017, "Fixed-rank approximation of a
// positive-semidefinite matrix from streaming data"). Compare this variant with methods that use several landmarks per
// direction. Â then no longer agrees with A in the rows of the landmarks, but A − Â remains positive semi-definite.
//
// Cost: one pass after gathering, n·ℓ kernel entries and those of the choice of landmarks, 2·n·ℓ² flops, memory for the
// candidate rows and O(ℓ²) numbers.
type Nystrom struct {
	Rank      int  // c
	Landmarks int  // ℓ, at least the rank; 0 means the rank
	Rule      Rule // the zero value is RuleUniform
	Seed      uint64
}

// Fit approximates the kernel matrix of the rows of one source. It uses fewer than ℓ landmarks, with a note, if the
// residuals of all other rows are rounding.
func (m Nystrom) Fit(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel) (*Fit, error) {
	return family.RunFit(ctx, e, m, d, k, m.fit)
}

// fit implements Fit.
func (m Nystrom) fit(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel) (*Fit, error) {
	k, n, err := resolveSymmetric(ctx, e, d, k, m.Seed)
	if err != nil {
		return nil, err
	}
	if err := checkRank(m.Rank, m.Landmarks); err != nil {
		return nil, err
	}
	src, t := d.Left, tiles.Plain(k)
	landmarks, rest, err := gatherChosen(ctx, e, t, src, m.choice(n, k))
	if err != nil {
		return nil, err
	}
	streamed, err := streamFactor(ctx, e, t, &basis.Map{Tiles: t, Landmarks: landmarks}, src, true, new(basis.Leverage))
	if err != nil {
		return nil, err
	}
	factor := streamed.A.R()
	found, cond, err := m.finish(ctx, e, t, factor, landmarks)
	if err != nil {
		return nil, err
	}
	fewer, err := m.withFewer(ctx, e, t, factor, landmarks)
	if err != nil {
		return nil, err
	}
	found.Rows, found.Cols = n, n
	notes := append(fewerNote("landmarks", n, m.landmarks(), landmarks.Count()), rankNote(found.Left.Rank(), min(m.Rank, landmarks.Rows.Rows), RankTolerance)...)
	f, err := finishWith(ctx, e, t, found, fewer, notes, cond, rest, streamed.B.A.Totals()[0])
	if err != nil {
		return nil, err
	}
	f.Warn(definiteWarning(k)...)
	return f, nil
}

// gatherChosen fetches landmarks and held-back rows.
func gatherChosen(ctx context.Context, e stream.Engine, t *tiles.Tiles, src stream.Source,
	choice basis.Landmarks) (landmarks *basis.Panel, held heldRows, err error) {
	candidates, rest, err := gatherCandidates(ctx, src, choice)
	if err != nil {
		return nil, held, err
	}
	return pickLandmarks(ctx, e, t, src.Info().Name, choice, candidates, rest)
}

// gatherCandidates fetches the candidates for landmarks, and rows to hold back.
func gatherCandidates(ctx context.Context, src stream.Source, choice basis.Landmarks) (candidates, rest *basis.Panel, err error) {
	numbers, err := choice.Candidates("C")
	if err != nil {
		return nil, nil, err
	}
	more := heldBackRows(choice.Rows, heldBackCount(choice.Count), choice.Seed, "held back", nil)
	panels, err := basis.Gather(ctx, src, rowSet{Numbers: numbers}, rowSet{Numbers: more})
	if err != nil {
		return nil, nil, err
	}
	return panels[0], panels[1], nil
}

// pickLandmarks chooses landmarks among candidates of the named source, and the scale of the tiles. It holds back rows
// that are not landmarks.
func pickLandmarks(ctx context.Context, e stream.Engine, t *tiles.Tiles, name string,
	choice basis.Landmarks, candidates, rest *basis.Panel) (landmarks *basis.Panel, held heldRows, err error) {
	if landmarks, err = choice.Choose(ctx, e, t, candidates, name); err != nil {
		return nil, held, err
	}
	held = heldRows{Panel: rest.Without(landmarks)}
	return landmarks, held, basis.ChooseScale(ctx, e, t, landmarks.Rows, landmarks)
}

// landmarks returns the requested number of landmarks.
func (m Nystrom) landmarks() int { return max(m.Rank, m.Landmarks) }

// choice returns the choice of landmarks among n rows.
func (m Nystrom) choice(n int64, k kernelgen.Kernel) basis.Landmarks {
	return basis.Landmarks{Rows: n, Rule: m.Rule.Or(RuleUniform), Features: m.Rank, Count: int(min(n, int64(m.landmarks()))),
		Seed: m.Seed, Definite: k.PositiveSemiDefinite()}.Resolve()
}

// checkRank fails for a rank below 1, and for fewer landmarks than the rank; 0 is the default.
func checkRank(rank, landmarks int) error {
	switch {
	case rank < 1:
		return fmt.Errorf("rank %d must be at least 1", rank)
	case landmarks != 0 && landmarks < rank:
		return fmt.Errorf("`Landmarks %d` is below `Rank %d`", landmarks, rank)
	}
	return nil
}

// fewerNote returns a note if fewer landmarks or pivots of n rows were found than requested.
func fewerNote(what string, n int64, asked, found int) []string {
	switch {
	case int64(found) < min(n, int64(asked)):
		return []string{fmt.Sprintf("%d %s found, %d asked for: they leave nothing but rounding of the rows to choose from", found, what, asked)}
	case n < int64(asked):
		return []string{fmt.Sprintf("%d %s asked for, and there are %d rows: all of them serve", asked, what, n)}
	}
	return nil
}

// finish makes the model from the triangular factor of K(·, L). It also returns the condition number of K(·, L).
func (m Nystrom) finish(ctx context.Context, e stream.Engine, t *tiles.Tiles,
	factor blas64.General, landmarks *basis.Panel) (*Model, float64, error) {
	s, err := newSVD("the sketch", factor)
	if err != nil {
		return nil, 0, err
	}
	r := dense.Rank(s.S, RankTolerance)
	root, err := inverseRoot(ctx, e, t, landmarks)
	if err != nil {
		return nil, 0, err
	}
	b := matrix.Columns(s.V, 0, r) // its product with diag(S) is Bᵀ
	side, values, err := s.fixedRank(r, scaledColumns(dense.Mul(blas.Trans, root, blas.NoTrans, b), s.S[:r]), landmarks, m.Rank)
	if err != nil {
		return nil, 0, err
	}
	return &Model{Method: "nystrom", Kernel: t.Kernel, Seed: m.Seed, Left: side, Values: values}, condition(s, r), nil
}

// fixedRank returns the eigendecomposition of Q·G·Gᵀ·Qᵀ, truncated to its c largest eigenvalues, as an embedding and
// values. s is the decomposition of the triangular factor of K(·, landmarks). Q is the embedding of its r largest
// singular values, and gt is Gᵀ.
func (s *svd) fixedRank(r int, gt blas64.General, landmarks *basis.Panel, c int) (*Embedding, []float64, error) {
	g, err := newSVD("the core", gt)
	if err != nil {
		return nil, nil, err
	}
	values := make([]float64, min(c, len(g.S)))
	for i := range values {
		values[i] = g.S[i] * g.S[i]
	}
	return &Embedding{Landmarks: landmarks.Rows, Rows: landmarks.Number,
		Projection: dense.Mul(blas.NoTrans, s.whitener(r), blas.NoTrans, matrix.Columns(g.V, 0, len(values)))}, values, nil
}

// inverseRoot returns V·Λ^(−1/2) for W = K(p, p) = V·Λ·Vᵀ, without eigenvalues that are rounding.
func inverseRoot(ctx context.Context, e stream.Engine, t *tiles.Tiles, p *basis.Panel) (blas64.General, error) {
	between, err := t.RawEntries(ctx, e, &tiles.Rows{Dense: p.Rows}, p.Cols, basis.PanelRows)
	if err != nil {
		return blas64.General{}, err
	}
	eig, err := newEigen("the kernel between landmarks", between)
	if err != nil {
		return blas64.General{}, err
	}
	var w []float64
	for _, v := range eig.Values {
		if v > 0 && v > RankTolerance*eig.Values[0] {
			w = append(w, 1/math.Sqrt(v))
		}
	}
	return scaledColumns(matrix.Columns(eig.Vectors, 0, len(w)), w), nil
}

// Plan returns the cost of a fit.
func (m Nystrom) Plan(e stream.Engine, s model.Size, k kernelgen.Kernel) (*model.Plan, error) {
	if err := checkSymmetric(s, k); err != nil {
		return nil, err
	}
	if err := checkRank(m.Rank, m.Landmarks); err != nil {
		return nil, err
	}
	c := min(int64(m.landmarks()), s.Rows)
	p := newPlanner(e, s.Rows, s.Columns)
	p.landmarks(c, landmarksKnob)
	m.choice(s.Rows, k).AddTo(p.Plan, p.d)
	p.pass(s.Rows, c, c, c*c)
	p.checks(s.Rows, 2*c, c) // the unit of the tiles, and W
	for _, count := range fewerCounts(int(c), m.Rank) {
		p.AddEntries(float64(count) * float64(count))
	}
	p.SharedPasses = []string{"fit"}
	return p.Plan, nil
}
