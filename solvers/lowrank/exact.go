package lowrank

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/krylov"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Subspace is a block Krylov method on exact tiles (C. Musco and C. Musco 2015,
// "Randomized block Krylov methods for stronger and faster approximate singular
// value decomposition"). For the symmetric matrix of one source,
//
//	Q₀ = orth(Ω), Ω normal, c + 24 columns
//	Q_{j+1} = orth (A·Q_j, without Q₀ … Q_j)     one exact pass each
//	QᵀAQ = S·diag(θ)·Sᵀ, U = Q·S                  Rayleigh–Ritz on all of them
//	Â = (AU)·diag(θ)⁻¹·(AU)ᵀ, truncated to rank c, + βI
//
// The passes have computed A·U, so the last line is free. It is the fixed-rank Nyström
// method (Tropp, Yurtsever, Udell and Cevher 2017, "Fixed-rank approximation of a
// positive-semidefinite matrix from streaming data"). The embedding of a row x is a
// combination of k(x, x_i) over all fitted rows. Where A may be indefinite, the c values of
// largest modulus are kept.
//
// For the matrix of two sources,
//
//	P₀ and Q₀ = orth(Ω)
//	P_{j+1} = orth (A·Q_j, without P₀ … P_j)
//	Q_{j+1} = orth (Aᵀ·P_j, without Q₀ … Q_j)           one exact pass for both
//	PᵀAQ = F·diag(σ)·Gᵀ, U = P·F, V = Q·G                Rayleigh–Ritz on all of them
//	Â = (AV)·diag(σ)⁻¹·(AᵀU)ᵀ, truncated to rank c
//
// which is the generalised Nyström method (K. Clarkson and D. Woodruff 2009; Y.
// Nakatsukasa 2020, "Fast and stable randomized low-rank matrix approximation"). Its error is
//
//	A − Â = (I−UUᵀ)·A·(I−VVᵀ) − R·diag(σ)⁻¹·Sᵀ           before truncation
//
// with the residuals R = AV − U·diag(σ) and S = AᵀU − V·diag(σ). A triplet joins Â only if
// ‖Av−σu‖·‖Aᵀu−σv‖ ≤ σ²: then its term in the error is no larger than what it removes from A.
//
// The passes reduce ‖A−Â‖₂. A plan of optimal transport weighs rows of little mass up to 10⁴
// times as much as others, and may need a higher rank (TestTransport).
//
// Cost: one pass over each source, which loads the rows; then q exact passes over n²/2
// entries with 2·n²·b flops each for b = c + 24 columns, or over m·n entries with 4·m·n·b
// flops. Memory: the rows and up to 5·n·b·q numbers, or 4·(m+n)·b·q. The model holds all rows
// and n·c numbers, or (m+n)·c. It suits up to about 10⁵ rows.
type Subspace struct {
	Rank   int // c
	Passes int // q, exact passes at most; 0 means 3
	// Tolerance on the residuals ‖Au−θu‖, or ‖Av−σu‖ and ‖Aᵀu−σv‖, of all c Ritz values,
	// relative to the largest: below it passes stop early, after two. 0 means 1e-6.
	ResidualTol float64
	Seed        uint64
	Shift       Shift // fitted, midpoint or none; two factors have none
}

const (
	// subspaceOversampling is the number of columns of a block beyond the rank.
	subspaceOversampling = 24
	// unitRows are compared with all others to choose the unit of the entries.
	unitRows = 64
)

// settings returns the settings with the defaults filled in.
func (m Subspace) settings(s model.Shape) (Subspace, error) {
	if m.Passes == 0 {
		m.Passes = 3
	}
	if m.ResidualTol == 0 {
		m.ResidualTol = 1e-6
	}
	if m.Rank < 1 || m.Passes < 1 || !(m.ResidualTol > 0) {
		return m, fmt.Errorf("rank %d and passes %d must be at least 1, and the tolerance %v above 0", m.Rank, m.Passes, m.ResidualTol)
	}
	if !s.OneSource() {
		return m, m.Shift.ofTwoFactors()
	}
	return m, m.Shift.among("subspace", ShiftFitted, ShiftMidpoint, ShiftNone)
}

// Fit approximates the kernel matrix between the rows of d. Residuals are ‖Au−θu‖ of the c
// largest Ritz pairs, relative to the largest |θ|; with two factors the larger of ‖Av−σu‖ and
// ‖Aᵀu−σv‖, relative to the largest σ. A value of A lies within the residual of each value.
//
// The Frobenius error is estimated from the entries between sampled rows.
// Rows that are not finite are a *stream.BadValueError.
func (m Subspace) Fit(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel) (*Fit, error) {
	return model.Leave(ctx, e, d, k, m.fit)
}

// fit implements Fit.
func (m Subspace) fit(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel) (*Fit, error) {
	if err := check(d, k); err != nil {
		return nil, err
	}
	m, err := m.settings(d.Shape())
	if err != nil {
		return nil, err
	}
	if k, err = model.Resolve(ctx, d, k, m.Seed); err != nil {
		return nil, err
	}
	f := &exactFit{Subspace: m, engine: e, tiles: tiles.Plain(k)}
	if err := f.load(ctx, d); err != nil {
		return nil, err
	}
	some := stream.RowSlice(f.left.Rows, 0, min(f.left.Count(), unitRows))
	if err := basis.ChooseScale(ctx, e, f.tiles, some, f.right); err != nil {
		return nil, err
	}
	if d.Right == nil {
		return f.fitOne(ctx)
	}
	return f.fitTwo(ctx)
}

// exactFit is a fit under way, with all rows in memory.
type exactFit struct {
	Subspace
	engine      stream.Engine
	tiles       *tiles.Tiles
	left, right *basis.Panel // the same for one source
	names       [2]string    // of the sources
}

// load reads all rows into memory.
func (f *exactFit) load(ctx context.Context, d model.Sources) (err error) {
	if f.left, err = loadRows(ctx, d.Left); err != nil {
		return err
	}
	f.right, f.names = f.left, [2]string{d.Left.Info().Name, d.Left.Info().Name}
	if d.Right != nil {
		f.names[1] = d.Right.Info().Name
		f.right, err = loadRows(ctx, d.Right)
	}
	return err
}

// loadRows reads all rows of a source into memory, in one pass.
func loadRows(ctx context.Context, src stream.Source) (*basis.Panel, error) {
	rows, err := stream.ReadAll(ctx, src)
	if err != nil {
		return nil, err
	}
	if i, j, bad := dense.NotFinite(rows); bad {
		info := src.Info()
		return nil, &stream.BadValueError{Source: info.Name, Row: int64(i), Column: info.Columns[j], Reason: fmt.Sprint(dense.Row(rows, i)[j])}
	}
	return basis.NewPanel(rows, stream.Numbers(rows.Rows), nil), nil
}

// grid returns the tiles of A.
func (f *exactFit) grid() *tiles.Grid {
	return f.tiles.NewGrid(f.engine, f.names, f.left.Cols, f.right.Cols)
}

// start returns random columns for the rows of a side.
func (f *exactFit) start(side *basis.Panel, purpose string) blas64.General {
	block := stream.NewMatrix(side.Count(), min(side.Count(), f.Rank+subspaceOversampling))
	sketch.NewRandom(f.Seed, purpose).Normals(block)
	return block
}

// iteration returns what the Krylov method looks for.
func (m Subspace) iteration() krylov.Iteration {
	return krylov.Iteration{Rank: m.Rank, Passes: m.Passes, Done: krylov.Within(m.ResidualTol)}
}

// iterationError says what to do about numbers that are not finite.
func iterationError(err error) error {
	var bad *krylov.NotFiniteError
	if errors.As(err, &bad) {
		return notFinite(bad.Of)
	}
	return err
}

// finish returns the fit of a model. u and v are its factors of the fitted rows, spectral is the
// largest value left out relative to ‖A‖₂, and trace is tr(A), NaN if it is not known.
func (f *exactFit) finish(ctx context.Context, m *Model, u, v blas64.General, passes int, residuals []float64, spectral, trace float64) (*Fit, error) {
	m.Method, m.Kernel, m.Seed = "subspace", f.tiles.Kernel, f.Seed
	m.Rows, m.Cols = int64(f.left.Rows.Rows), int64(f.right.Rows.Rows)
	frobenius, err := f.frobeniusError(ctx, m, u, v)
	if err != nil {
		return nil, err
	}
	fit := &Fit{Model: m, Report: model.Report{KernelEntries: f.tiles.Entries.Load(), SourcePasses: 1, ExactPasses: passes, Residuals: residuals}}
	fit.NotConverged = fit.Residual() > f.ResidualTol
	fit.setTrace(trace)
	fit.estimated(math.Max(spectral, fit.Residual()), frobenius, "Ritz values and sampled rows")
	finishUnits(f.tiles, m)
	return fit, checkModel(m)
}

// residualNote tells that the passes ended before the tolerance was reached.
func (f *Fit) residualNote(equations, value string) {
	if f.NotConverged {
		f.Note(fmt.Sprintf("after %d exact passes the residuals %s are up to %.1e of the largest %s; more passes make them smaller", f.ExactPasses, equations, f.Residual(), value))
	}
}

// exactSample is the number of rows of a side that frobeniusError looks at.
const exactSample = 512

// frobeniusError estimates the relative Frobenius error of a model from the entries between sampled
// rows. u and v are the embeddings of all rows.
func (f *exactFit) frobeniusError(ctx context.Context, m *Model, u, v blas64.General) (float64, error) {
	left, err := f.sample(f.left, u, "held back")
	if err != nil {
		return 0, err
	}
	right := left
	if f.right != f.left {
		if right, err = f.sample(f.right, v, "right held back"); err != nil {
			return 0, err
		}
	}
	b, err := newSampledBlock(ctx, f.engine, f.tiles, m, left, right, right == left)
	if err != nil {
		return 0, err
	}
	all := b.squares()
	b.subtract(m)
	return ratio(math.Sqrt(b.squares()), math.Sqrt(all)), nil
}

// sample draws rows of a side, whose embedding is u.
func (f *exactFit) sample(side *basis.Panel, u blas64.General, purpose string) (*sampleSide, error) {
	n := side.Count()
	drawn, err := sketch.NewSample(int64(n), min(n, exactSample), f.Seed, purpose)
	if err != nil {
		return nil, err
	}
	number := drawn.Positions()
	embedded := &basis.Panel{Rows: u, Number: side.Number}
	return &sampleSide{rows: side.Of(number), of: float64(n), u: embedded.Of(number).Rows}, nil
}
