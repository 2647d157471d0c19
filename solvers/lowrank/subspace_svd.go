package lowrank

import (
	"context"
	"fmt"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/internal/krylov"
	"github.com/nystream/nystream/stream"
)

// SubspaceSVD is the block Krylov method on exact tiles (C. Musco and C. Musco
// 2015) for a matrix between two sources, or one that is taken as any square
// matrix. It goes on from a model that another method has made:
//
//	P₀ = orth [U of the start, a few random columns], Q₀ likewise from V
//	P_{j+1} = orth (A·Q_j, without P₀ … P_j)
//	Q_{j+1} = orth (Aᵀ·P_j, without Q₀ … Q_j)           one exact pass for both
//	PᵀAQ = F·diag(σ)·Gᵀ, U = P·F, V = Q·G                Rayleigh–Ritz on all of them
//	Â = (AV)·diag(σ)⁻¹·(AᵀU)ᵀ, truncated to rank c
//
// AV and AᵀU are known, sums of what the passes have computed, so the last line,
// half an iteration more than U·diag(σ)·Vᵀ on either side, is free. It is the
// generalised Nyström method (K. Clarkson and D. Woodruff 2009; Y. Nakatsukasa
// 2020, "Fast and stable randomized low-rank matrix approximation"), and makes
// both embeddings functions of a row: u(x) is a combination of k(x, y_j) over all
// right rows, v(y) one of k(x_i, y) over all left rows. Its error is
//
//	A − Â = (I−UUᵀ)·A·(I−VVᵀ) − R·diag(σ)⁻¹·Sᵀ           before truncation
//
// with the residuals R = AV − U·diag(σ) and S = AᵀU − V·diag(σ). A pair takes
// part in Â only if ‖Av−σu‖·‖Aᵀu−σv‖ ≤ σ², so that its term in the error is no
// larger than what it takes away from A. Nothing else limits an oblique projection.
//
// Cost: one pass over each source, which loads the rows; then q passes over all
// m·n tiles, with 4·m·n·b flops each for b = c + 24 columns a side. Memory: the
// rows and up to about 4·(m+n)·b·q numbers. The model holds all rows and (m+n)·c
// numbers; embedding a left row takes n kernel entries, and a right row m.
type SubspaceSVD struct {
	Rank   int // c
	Passes int // q, exact passes at most; 0 means 3
	// Tolerance on the residuals ‖Av−σu‖ and ‖Aᵀu−σv‖ of all c Ritz triplets,
	// relative to the largest σ: below it passes stop early, after two. 0 means 1e-6.
	Tolerance float64
	Seed      uint64
	Start     SVDStart // nil means Landmark{}
}

// SubspaceSVDFit is a fit by exact passes, and how far they went.
type SubspaceSVDFit struct {
	*Fit
	ExactPasses int
	// Residuals are the larger of ‖Av−σu‖ and ‖Aᵀu−σv‖ of the c largest Ritz
	// triplets, relative to the largest σ, in descending order of σ. Each σ is that
	// near to a singular value of A.
	Residuals []float64
}

// Residual is the largest of the residuals, 0 if there are none.
func (f *SubspaceSVDFit) Residual() float64 { return krylov.Largest(f.Residuals) }

// settings are the settings with the defaults filled in.
func (m SubspaceSVD) settings() (SubspaceSVD, error) {
	s, err := Subspace{Rank: m.Rank, Passes: m.Passes, Tolerance: m.Tolerance}.settings()
	m.Passes, m.Tolerance = s.Passes, s.Tolerance
	if m.Start == nil {
		m.Start = Landmark{}
	}
	return m, err
}

// Fit approximates the kernel matrix between the rows of left and those of right,
// or with right nil between the rows of left and themselves.
//
// ErrorEstimate is ‖(A−Â)G‖_F/‖A‖_F, scaled, for ten Gaussian columns G that the
// first exact pass multiplies as well and that have no part in the fit (Tropp,
// Yurtsever, Udell and Cevher 2019, "Streaming low-rank matrix approximation with
// an application to scientific simulation", §6). It is within a factor of two of
// the truth with a probability of 99 % at least, and 10 % off as a rule.
func (m SubspaceSVD) Fit(ctx context.Context, e stream.Engine, left, right stream.Source, k kernelgen.Kernel) (*SubspaceSVDFit, error) {
	m, err := m.settings()
	if err != nil {
		return nil, err
	}
	s, err := m.load(ctx, left, right)
	if err != nil {
		return nil, err
	}
	start, err := m.startFit(ctx, e, s, k)
	if err != nil {
		return nil, err
	}
	op, space, err := m.newSpace(ctx, e, start, s)
	if err != nil {
		return nil, err
	}
	last, err := space.Run(ctx, krylov.Iteration{Rank: m.Rank, Passes: m.Passes, Done: krylov.Within(m.Tolerance)})
	if err != nil {
		return nil, iterationError(err)
	}
	return m.finish(op, space, last)
}

// svdRows are the rows of both sources, in memory.
type svdRows struct {
	left, right *panel // the same for one source
	l, r        stream.Gatherer
}

// oneSource says that left and right are one source.
func (s *svdRows) oneSource() bool { return s.left == s.right }

// rightSource is the right source in memory for methods that take one as nil.
func (s *svdRows) rightSource() stream.Source {
	if s.oneSource() {
		return nil
	}
	return s.r
}

// load reads all rows into memory.
func (m SubspaceSVD) load(ctx context.Context, left, right stream.Source) (*svdRows, error) {
	if _, err := knownRows(left); err != nil {
		return nil, err
	}
	s := &svdRows{}
	var err error
	if s.left, err = loadRows(ctx, left); err != nil {
		return nil, err
	}
	s.l = stream.FromMatrix(left.Info().Name, s.left.rows)
	s.right, s.r = s.left, s.l
	if right == nil {
		return s, nil
	}
	if _, err := knownRows(right); err != nil {
		return nil, err
	}
	if err := sameColumns(left, right); err != nil {
		return nil, err
	}
	s.right, err = loadRows(ctx, right)
	if err == nil {
		s.r = stream.FromMatrix(right.Info().Name, s.right.rows)
	}
	return s, err
}

// newSpace is the space that begins with the embeddings of all rows by the start,
// and a few random columns.
func (m SubspaceSVD) newSpace(ctx context.Context, e stream.Engine, start *Fit, rows *svdRows) (*rectTiles, *krylov.Pair, error) {
	t := newTiles(start.Kernel, Float64)
	t.unit = start.Left.unit()
	t.entries.Store(start.KernelEntries + start.Rows*int64(start.Left.Landmarks.Rows) + start.Cols*int64(start.right().Landmarks.Rows))
	u, err := startBlock(ctx, e, start.Model, start.Left, rows.l, m.Seed, "subspace start left")
	if err != nil {
		return nil, nil, err
	}
	v, err := startBlock(ctx, e, start.Model, start.right(), rows.r, m.Seed, "subspace start right")
	if err != nil {
		return nil, nil, err
	}
	op := &rectTiles{tiles: t, engine: e, rows: rows, probe: newProbe(u.Rows, v.Rows, m.Seed)}
	space, err := krylov.NewPair(op, u, v, m.Passes)
	return op, space, iterationError(err)
}

// notes tell of a rank that was not reached, and of passes that ended before the
// tolerance was. unsettled is how many Ritz triplets have no part in the model.
func (m SubspaceSVD) notes(f *SubspaceSVDFit, t *tiles, unsettled int) []string {
	notes := t.rankNote(len(f.Values), m.Rank)
	if len(f.Values) < m.Rank && unsettled > 0 {
		notes = []string{fmt.Sprintf("rank %d found, %d asked for: after %d exact passes the residuals of the other singular values are above themselves; more passes settle them", len(f.Values), m.Rank, f.ExactPasses)}
	}
	if r := f.Residual(); r > m.Tolerance {
		notes = append(notes, fmt.Sprintf("after %d exact passes the residuals ‖Av−σu‖ and ‖Aᵀu−σv‖ are up to %.1e of the largest singular value; more passes make them smaller", f.ExactPasses, r))
	}
	return notes
}
