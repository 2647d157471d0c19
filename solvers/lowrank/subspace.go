package lowrank

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/krylov"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Subspace is a block Krylov method on exact tiles (C. Musco and C. Musco 2015,
// "Randomized block Krylov methods for stronger and faster approximate singular
// value decomposition"), started from a [Landmark] model instead of from noise.
// For the symmetric matrix of one source,
//
//	Q₀ = orth [U of the start, a few random columns]
//	Q_{j+1} = orth (A·Q_j, without Q₀ … Q_j)     one exact pass each
//	QᵀAQ = S·diag(θ)·Sᵀ, U = Q·S                  Rayleigh–Ritz on all of them
//	Â = (AU)·diag(θ)⁻¹·(AU)ᵀ, truncated to rank c, + βI
//
// A·U is known, a sum of what the passes have computed, so the last line, half
// an iteration more than U·diag(θ)·Uᵀ, is free. It is the Nyström method with
// fixed rank (Tropp, Yurtsever, Udell and Cevher 2017, "Fixed-rank approximation
// of a positive-semidefinite matrix from streaming data"), and makes the
// embedding a function of a row: a combination of k(x, x_i) over all fitted rows.
// Where A may be indefinite, U is truncated instead, to the c largest |θ|.
//
// For the matrix of two sources, a kernel that is not symmetric, or with TwoFactors,
//
//	P₀ = orth [U of the start, a few random columns], Q₀ likewise from V
//	P_{j+1} = orth (A·Q_j, without P₀ … P_j)
//	Q_{j+1} = orth (Aᵀ·P_j, without Q₀ … Q_j)           one exact pass for both
//	PᵀAQ = F·diag(σ)·Gᵀ, U = P·F, V = Q·G                Rayleigh–Ritz on all of them
//	Â = (AV)·diag(σ)⁻¹·(AᵀU)ᵀ, truncated to rank c
//
// which is the generalised Nyström method (K. Clarkson and D. Woodruff 2009; Y.
// Nakatsukasa 2020, "Fast and stable randomized low-rank matrix approximation"): u(x)
// is a combination of k(x, y_j) over all right rows, v(y) one of k(x_i, y) over all left
// rows. Its error is
//
//	A − Â = (I−UUᵀ)·A·(I−VVᵀ) − R·diag(σ)⁻¹·Sᵀ           before truncation
//
// with the residuals R = AV − U·diag(σ) and S = AᵀU − V·diag(σ). A pair takes
// part in Â only if ‖Av−σu‖·‖Aᵀu−σv‖ ≤ σ², so that its term in the error is no
// larger than what it takes away from A. Nothing else limits an oblique projection.
//
// What passes make small is ‖A−Â‖₂, which need not help those who weigh entries otherwise.
// A plan of optimal transport diag(u)·A·diag(v) weighs rows and columns of little mass up to
// 10⁴ times as much as others: after one pass its error is that of the best matrix of rank c,
// and landmarks, whose columns of A are nearly exact, may be better there by chance. A
// higher rank helps (TestTransport).
//
// Cost: one pass over each source, which loads the rows; then q passes over the
// n²/2 tiles of a half of A, with 2·n²·b flops each for b = c + 24 columns, or over all
// m·n, with 4·m·n·b flops. Memory: the rows and up to 5·n·b·q numbers, or
// 4·(m+n)·b·q. The model holds all rows and n·c numbers, or (m+n)·c, and embedding a row
// takes as many kernel entries as there are rows on the other side. So this is for the
// last word on up to some 10⁵ rows, not for a stream.
//
// With Whole, which is cheaper where the rank is a large part of the rows, A is formed in one
// exact pass over half of its entries, and all of its eigenvectors are found: 20·n³ flops at
// the speed of products, and 4·n² numbers of memory.
type Subspace struct {
	Rank   int // c
	Passes int // q, exact passes at most; 0 means 3
	// Tolerance on the residuals ‖Au−θu‖, or ‖Av−σu‖ and ‖Aᵀu−σv‖, of all c Ritz values,
	// relative to the largest: below it passes stop early, after two. 0 means 1e-6.
	Tolerance  float64
	Start      Landmark // the method that the passes start from, with a Rank and Seed of its own
	TwoFactors bool     // U·diag(values)·Vᵀ where A is symmetric as well
	Whole      bool     // of one factor: A is formed, and all its eigenvectors are found, without Start or Passes
	Seed       uint64
	Shift      Shift // fitted, centred or none, of one factor; there is none with two
}

// What the start has beyond c columns. The landmark method looks at few rows;
// random columns have a part in every eigenvector, also in those that live on
// rows far from all landmarks.
const (
	subspaceLandmark = 8
	subspaceRandom   = 16
)

// settings returns the settings with the defaults filled in.
func (m Subspace) settings(s model.Shape, k kernelgen.Kernel) (Subspace, error) {
	if m.Passes == 0 {
		m.Passes = 3
	}
	if m.Tolerance == 0 {
		m.Tolerance = 1e-6
	}
	if m.Rank < 1 || m.Passes < 1 || !(m.Tolerance > 0) {
		return m, fmt.Errorf("rank %d and passes %d must be at least 1, and the tolerance %v above 0", m.Rank, m.Passes, m.Tolerance)
	}
	if err := checkRank(m.Rank, m.Start.Landmarks); err != nil {
		return m, err
	}
	if !m.oneFactor(s, k) {
		if m.Whole {
			return m, fmt.Errorf("all eigenvectors are found of the symmetric matrix of one source, as one factor")
		}
		return m, m.Shift.ofTwoFactors()
	}
	return m, m.Shift.among("subspace", ShiftFitted, ShiftCentred, ShiftNone)
}

// oneFactor reports whether the model is of a symmetric matrix.
func (m Subspace) oneFactor(s model.Shape, k kernelgen.Kernel) bool {
	return s.OneSource() && k.Symmetric() && !m.TwoFactors
}

// Fit approximates the kernel matrix between the rows of d. With one factor
// Residuals are ‖Au−θu‖ of the c largest Ritz pairs, relative to the largest |θ|; with
// two the larger of ‖Av−σu‖ and ‖Aᵀu−σv‖ of the c largest triplets, relative to the
// largest σ. Each value is that near to one of A.
//
// The Frobenius error is estimated from a sample of rows, which the diagonal of one source
// completes.
func (m Subspace) Fit(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel) (*Fit, error) {
	return model.Leave(ctx, e, d, k, m.fit)
}

// fit is Fit for who waits until it ends.
func (m Subspace) fit(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel) (*Fit, error) {
	if err := check(d, k); err != nil {
		return nil, err
	}
	m, err := m.settings(d.Shape(), k)
	if err != nil {
		return nil, err
	}
	if k, err = model.Resolve(ctx, d, k, m.Seed); err != nil {
		return nil, err
	}
	rows, err := loadSides(ctx, d)
	if err != nil {
		return nil, err
	}
	if m.Whole {
		return m.fitWhole(ctx, newTiles(k), e, rows)
	}
	start, err := m.fitStart(ctx, e, rows, k)
	if err != nil {
		return nil, err
	}
	t := newTiles(k)
	t.SetScale(start.Left.unit())
	if m.oneFactor(d.Shape(), k) {
		return m.fitSymmetric(ctx, t, e, start, rows)
	}
	return m.fitSVD(ctx, t, e, start, rows)
}

// fitSymmetric goes on from the start for a symmetric matrix.
func (m Subspace) fitSymmetric(ctx context.Context, t *tiles, e stream.Engine, start *Fit, rows *sideRows) (*Fit, error) {
	t.entries.Store(start.KernelEntries + start.Rows*int64(start.Left.Landmarks.Rows)) // the fit, and its embedding of all rows
	block, err := startBlock(ctx, e, start.Model, start.Left, rows.l, m.Seed, "subspace start")
	if err != nil {
		return nil, err
	}
	space, err := krylov.NewSpace(symmetricTiles{t.exact(e, rows.l, rows.l)}, block, m.Passes)
	if err != nil {
		return nil, iterationError(err)
	}
	space.Choice = choiceOf(t.kernel)
	last, err := space.Run(ctx, krylov.Iteration{Rank: m.Rank, Passes: m.Passes, Done: krylov.Within(m.Tolerance)})
	if err != nil {
		return nil, iterationError(err)
	}
	s, err := m.spectrum(space)
	if err != nil {
		return nil, err
	}
	return m.finishSymmetric(ctx, e, t, s, last, rows)
}

// fitSVD goes on from the start for any matrix.
func (m Subspace) fitSVD(ctx context.Context, t *tiles, e stream.Engine, start *Fit, rows *sideRows) (*Fit, error) {
	t.entries.Store(start.KernelEntries + start.Rows*int64(start.Left.Landmarks.Rows) + start.Cols*int64(start.right().Landmarks.Rows))
	u, err := startBlock(ctx, e, start.Model, start.Left, rows.l, m.Seed, "subspace start left")
	if err != nil {
		return nil, err
	}
	v, err := startBlock(ctx, e, start.Model, start.right(), rows.r, m.Seed, "subspace start right")
	if err != nil {
		return nil, err
	}
	space, err := krylov.NewPair(t.exact(e, rows.l, rows.r), u, v, m.Passes)
	if err != nil {
		return nil, iterationError(err)
	}
	last, err := space.Run(ctx, krylov.Iteration{Rank: m.Rank, Passes: m.Passes, Done: krylov.Within(m.Tolerance)})
	if err != nil {
		return nil, iterationError(err)
	}
	return m.finishSVD(ctx, e, t, rows, space, last)
}

// exactReport returns what a fit by exact passes tells.
func (m Subspace) exactReport(t *tiles, passes int, residuals []float64) model.Report {
	r := model.Report{KernelEntries: t.entries.Load(), SourcePasses: 1, ExactPasses: passes, Residuals: residuals}
	r.Unsettled = r.Residual() > m.Tolerance
	return r
}

// residualNote tells that the passes ended before the tolerance was reached.
func (f *Fit) residualNote(equations, value string) {
	if f.Unsettled {
		f.Note(fmt.Sprintf("after %d exact passes the residuals %s are up to %.1e of the largest %s; more passes make them smaller", f.ExactPasses, equations, f.Residual(), value))
	}
}

// sideRows are the rows of both sources, in memory.
type sideRows struct {
	left, right *panel // the same for one source
	l, r        stream.Gatherer
}

// sources returns the rows as the data of another fit.
func (s *sideRows) sources() model.Sources {
	if s.left == s.right {
		return model.Sources{Left: s.l}
	}
	return model.Sources{Left: s.l, Right: s.r}
}

// loadSides reads all rows into memory.
func loadSides(ctx context.Context, d model.Sources) (*sideRows, error) {
	left, err := loadRows(ctx, d.Left)
	if err != nil {
		return nil, err
	}
	s := &sideRows{left: left, l: stream.FromMatrix(d.Left.Info().Name, left.rows)}
	s.right, s.r = s.left, s.l
	if d.Right == nil {
		return s, nil
	}
	if s.right, err = loadRows(ctx, d.Right); err == nil {
		s.r = stream.FromMatrix(d.Right.Info().Name, s.right.rows)
	}
	return s, err
}

// loadRows reads all rows into memory, in one pass.
func loadRows(ctx context.Context, src stream.Source) (*panel, error) {
	rows, err := stream.ReadAll(ctx, src)
	if err != nil {
		return nil, err
	}
	t := &tiles{}
	for i := range rows.Rows {
		if err := t.checkRow(dense.Row(rows, i), src, int64(i)); err != nil {
			return nil, err
		}
	}
	return t.pack(rows, stream.Numbers(rows.Rows), nil), nil
}

// startBlock returns the embedding of all rows of one side by the fit at the start, and a
// few random columns.
func startBlock(ctx context.Context, e stream.Engine, start *Model, side *Embedding, src stream.Source, seed uint64, purpose string) (blas64.General, error) {
	n, r := int(src.Info().Rows), side.Rank()
	random := min(subspaceRandom, n-r)
	block := stream.NewMatrix(n, r+random)
	err := start.embed(ctx, e, src, false, func(b *stream.Block, u blas64.General) error {
		for i := range u.Rows {
			copy(dense.Row(block, int(b.Start)+i), dense.Row(u, i))
		}
		return nil
	}, side)
	noise := dense.Columns(block, r, random)
	sketch.NewRandom(seed, purpose).Normals(noise)
	for i := range n {
		for j := range random {
			dense.Row(noise, i)[j] /= math.Sqrt(float64(n)) // columns near length 1, as those of U
		}
	}
	return block, err
}
