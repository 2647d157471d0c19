package lowrank

import (
	"context"
	"fmt"
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

// RPCholesky is randomly pivoted Cholesky over all rows of a source (Chen,
// Epperly, Tropp & Webber 2023, "Randomly pivoted Cholesky: practical
// approximation of a kernel matrix with few entry evaluations", Algorithm 1), for
// positive semi-definite kernels:
//
//	Â = F·Fᵀ = K(·, S)·K(S, S)⁻¹·K(S, ·)       F = K(·, S)·L⁻ᵀ, K(S, S) = L·Lᵀ
//
// This is the Nyström approximation with ℓ pivots S, each drawn with probability proportional to the diagonal of A − Â
// for the earlier ones. The trace of A − Â is a by-product. [Nystrom] with [RulePivoted] draws pivots from a reservoir;
// here every row of the source is a candidate, so outliers are found.
//
// Pivots are drawn in blocks with rejection sampling (Epperly, Tropp & Webber 2024, "Embrace rejection: kernel matrix
// approximation by accelerated randomly pivoted Cholesky"): their distribution is that of the sequential algorithm, and
// most of the work is in matrix products. There are fewer pivots than ℓ, with a note, once all residual diagonal
// entries are rounding: at or below [RankTolerance] of those of A. With ℓ > c, it keeps the c largest eigenpairs of Â,
// as in [Nystrom].
//
// Cost: one pass, which loads the rows; exactly n·ℓ kernel entries for the factor, and at most 128² or n for each block
// of proposals; n·d + 3·n·ℓ² flops. Memory: the rows (up to four times during loading), n·ℓ numbers for F, and 2·n. The
// model holds the ℓ pivots only.
type RPCholesky struct {
	Rank      int // c
	Landmarks int // ℓ, at least the rank; 0 means the rank
	Seed      uint64
}

// landmarks returns the requested number of pivots for n rows.
func (m RPCholesky) landmarks(n int64) int {
	return int(min(n, int64(max(m.Rank, m.Landmarks))))
}

// Fit approximates the kernel matrix of the rows of one source. The fit has the Pivots.
func (m RPCholesky) Fit(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel) (*Fit, error) {
	return family.RunFit(ctx, e, m, d, k, m.fit)
}

// fit implements Fit.
func (m RPCholesky) fit(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel) (*Fit, error) {
	k, n, err := resolveSymmetric(ctx, e, d, k, m.Seed)
	if err != nil {
		return nil, err
	}
	if err := checkRank(m.Rank, m.Landmarks); err != nil {
		return nil, err
	}
	rows, err := loadRows(ctx, d.Left)
	if err != nil {
		return nil, err
	}
	t := tiles.Plain(k)
	f, err := basis.NewCholesky(ctx, e, t, rows.Rows, d.Left.Info().Name, m.landmarks(n), sketch.NewRandom(m.Seed, "proposals"))
	if err != nil {
		return nil, err
	}
	if err := f.Run(ctx); err != nil {
		return nil, err
	}
	return m.finish(ctx, e, t, rows, f)
}

// finish makes the model. Let R be the triangular factor of F. The factor of K(·, S) = F·F_Sᵀ is R·F_Sᵀ = U·Σ·Vᵀ up to
// an orthogonal factor on the left. In the basis Q = K(·, S)·V·Σ⁻¹, Â is G·Gᵀ with G = Uᵀ·R: only Σ is inverted.
func (m RPCholesky) finish(ctx context.Context, e stream.Engine, t *tiles.Tiles,
	rows *basis.Panel, f *basis.Cholesky) (*Fit, error) {
	n, pivots := int64(rows.Rows.Rows), f.Chosen()
	landmarks := rows.Pick(pivots)
	factor, err := f.Triangular(ctx)
	if err != nil {
		return nil, err
	}
	s, err := newSVD("the sketch", dense.Mul(blas.NoTrans, factor, blas.Trans, dense.PickRows(f.Factor(), slices.Sorted(slices.Values(pivots)))))
	if err != nil {
		return nil, err
	}
	r := dense.Rank(s.S, RankTolerance)
	side, values, err := s.fixedRank(r, dense.Mul(blas.Trans, factor, blas.NoTrans, matrix.Columns(s.U, 0, r)), landmarks, m.Rank)
	if err != nil {
		return nil, err
	}
	left := traceResidual(f, factor, values) // in the scale of the tiles
	found := &Model{Method: "rpcholesky", Kernel: t.Kernel, Seed: m.Seed, Rows: n, Cols: n, Left: side, Values: values}
	held := heldRows{Panel: rows.Select(heldBackRows(n, heldBackCount(len(pivots)), m.Seed, "held back",
		landmarks.Number))}
	notes := append(fewerNote("pivots", n, max(m.Rank, m.Landmarks), len(f.Pivots)), rankNote(side.Rank(), min(m.Rank, len(pivots)), RankTolerance)...)
	fit, err := finishFit(ctx, e, t, found, notes, condition(s, r), held, held, f.Trace)
	if err != nil {
		return nil, err
	}
	fit.Warn(definiteWarning(t.Kernel)...)
	fit.TraceResidual, fit.TraceKept = left, 1-left // avoids cancellation
	for _, i := range pivots {
		fit.Pivots = append(fit.Pivots, int64(i))
	}
	if t.Kernel.PositiveSemiDefinite() {
		fit.Note(fmt.Sprintf("tr(A−Â)/tr(A), the relative error in the nuclear norm, is %.4g exactly", left))
	}
	return fit, nil
}

// traceResidual returns tr(A−Â)/tr(A) for Â with the given eigenvalues: the residual of the factor, plus the truncated
// part of F·Fᵀ, whose triangular factor is given.
func traceResidual(f *basis.Cholesky, factor blas64.General, values []float64) float64 {
	kept := 0.0
	for i := range factor.Rows {
		kept += dense.Dot(matrix.Row(factor, i), matrix.Row(factor, i))
	}
	return (f.Left + math.Max(0, kept-dense.Sum(values))) / f.Trace
}

// Plan returns the cost of a fit. The number of blocks of proposals depends on the data; the plan assumes two for each
// full block of pivots.
func (m RPCholesky) Plan(e stream.Engine, s model.Size, k kernelgen.Kernel) (*model.Plan, error) {
	if err := checkSymmetric(s, k); err != nil {
		return nil, err
	}
	if err := checkRank(m.Rank, m.Landmarks); err != nil {
		return nil, err
	}
	n := s.Rows
	c, b := int64(m.landmarks(n)), int64(basis.Proposals(n))
	p := newPlanner(e, s.Rows, s.Columns)
	p.Add("Cholesky factor", n*c, landmarksKnob)
	p.Add("residual diagonal", 2*n, "the number of rows")
	p.Add("proposals", b*(b+3*p.d)+b*c, "")
	p.stage(func(p *planner) { p.pass(n, c, c, c*c) })
	p.stage(func(p *planner) { p.checks(n, 0, c) })
	p.Add("all rows", n*(p.d+1), "the number of rows")
	p.Add("core", 6*c*c, landmarksKnob)
	p.landmarks(c, landmarksKnob)
	p.AddEntries(2 * float64(c) * float64(min(b, 2*c)))
	p.SetNotShardable("pivots are drawn from all rows, which are in memory; nystrom and landmark with `Rule rpc` draw them from a sample")
	return p.Plan, nil
}
