package lowrank

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
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
// value decomposition"). It starts from a [Landmark] model instead of from noise.
// For the symmetric matrix of one source,
//
//	Q₀ = orth [U of the start, a few random columns]
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
// For the matrix of two sources, or a kernel that is not symmetric,
//
//	P₀ = orth [U of the start, a few random columns], Q₀ likewise from V
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
//
// Where the Krylov space of a symmetric A would have half as many columns as A, and 4·n²
// numbers fit into 2 GiB, A is formed in one exact pass and decomposed, in 20·n³ flops.
type Subspace struct {
	Rank   int // c
	Passes int // q, exact passes at most; 0 means 3
	// Tolerance on the residuals ‖Au−θu‖, or ‖Av−σu‖ and ‖Aᵀu−σv‖, of all c Ritz values,
	// relative to the largest: below it passes stop early, after two. 0 means 1e-6.
	ResidualTol float64
	Seed        uint64
	Shift       Shift // fitted, midpoint or none; two factors have none
}

// The start has more than c columns. Random columns have a part in every eigenvector, also in
// those on rows far from all landmarks.
const (
	subspaceLandmark = 8
	subspaceRandom   = 16
)

// settings returns the settings with the defaults filled in.
func (m Subspace) settings(s model.Shape, k kernelgen.Kernel) (Subspace, error) {
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

// start returns the method that the passes start from.
func (m Subspace) start(s model.Shape) Landmark {
	least := s.Rows
	if !s.OneSource() {
		least = min(least, s.Cols)
	}
	return Landmark{Rank: int(min(int64(m.Rank)+subspaceLandmark, least)), Seed: m.Seed}
}

// Fit approximates the kernel matrix between the rows of d. Residuals are ‖Au−θu‖ of the c
// largest Ritz pairs, relative to the largest |θ|; with two factors the larger of ‖Av−σu‖ and
// ‖Aᵀu−σv‖, relative to the largest σ. A value of A lies within the residual of each value.
//
// The Frobenius error is estimated from a sample of rows of A, and the diagonal of one source.
// Rows that are not finite are a *stream.BadValueError.
func (m Subspace) Fit(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel) (*Fit, error) {
	return model.Leave(ctx, e, d, k, m.fit)
}

// fit implements Fit.
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
	f := &exactFit{Subspace: m, engine: e, tiles: tiles.Plain(k)}
	if err := f.load(ctx, d); err != nil {
		return nil, err
	}
	one := d.Shape().OneSource()
	if one && m.whole(d.Shape().Rows) {
		return f.fitWhole(ctx)
	}
	start, err := f.fitStart(ctx)
	if err != nil {
		return nil, err
	}
	if one {
		return f.fitOne(ctx, start)
	}
	return f.fitTwo(ctx, start)
}

// exactFit is a fit under way, with all rows in memory.
type exactFit struct {
	Subspace
	engine      stream.Engine
	tiles       *tiles.Tiles
	left, right *basis.Panel // the same for one source
	l, r        stream.Gatherer
}

// load reads all rows into memory.
func (f *exactFit) load(ctx context.Context, d model.Sources) (err error) {
	if f.left, err = loadRows(ctx, d.Left); err != nil {
		return err
	}
	f.l = stream.FromMatrix(d.Left.Info().Name, f.left.Rows)
	f.right, f.r = f.left, f.l
	if d.Right == nil {
		return nil
	}
	if f.right, err = loadRows(ctx, d.Right); err == nil {
		f.r = stream.FromMatrix(d.Right.Info().Name, f.right.Rows)
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

// fitStart returns the fit that the passes start from, and takes over its unit and entries.
// Landmarks of one source serve an asymmetric kernel too: the passes find the rest.
func (f *exactFit) fitStart(ctx context.Context) (start *Fit, err error) {
	d := model.Sources{Left: f.l}
	if f.left != f.right {
		d.Right = f.r
	}
	method := f.start(d.Shape())
	if d.Right == nil {
		start, err = method.fitOne(ctx, f.engine, d.Left, f.tiles.Kernel)
	} else {
		start, err = method.fitTwo(ctx, f.engine, d, f.tiles.Kernel)
	}
	if err == nil {
		f.tiles.SetScale(start.Left.unit())
		f.tiles.Entries.Store(start.KernelEntries)
	}
	return start, err
}

// startBlock returns the embedding of all rows of one side by the start, and a few random
// columns.
func (f *exactFit) startBlock(ctx context.Context, start *Model, side model.Side, src stream.Source,
	purpose string) (blas64.General, error) {
	n, r := int(src.Info().Rows), len(start.Values)
	random := min(subspaceRandom, n-r)
	block := stream.NewMatrix(n, r+random)
	f.tiles.Entries.Add(int64(n) * int64(start.Factor(side).Entries()))
	err := start.Transform(ctx, f.engine, src, model.Request{Side: side}, func(b *stream.Block, u blas64.General) error {
		for i := range u.Rows {
			copy(dense.Row(block, int(b.Start)+i), dense.Row(u, i))
		}
		return nil
	})
	noise := dense.Columns(block, r, random)
	sketch.NewRandom(f.Seed, purpose).Normals(noise)
	for i := range n {
		for j := range random {
			dense.Row(noise, i)[j] /= math.Sqrt(float64(n)) // columns near length 1, as those of U
		}
	}
	return block, err
}

// iteration returns what the Krylov method looks for.
func (m Subspace) iteration() krylov.Iteration {
	return krylov.Iteration{Rank: m.Rank, Passes: m.Passes, Done: krylov.Within(m.ResidualTol)}
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

// rowSample is how many rows frobeniusError compares with all others.
const rowSample = 256

// frobeniusError estimates the relative Frobenius error of a model from a sample of rows of A.
// u and v are the embeddings of all rows. The diagonal of one source is exact.
func (f *exactFit) frobeniusError(ctx context.Context, m *Model, u, v blas64.General) (float64, error) {
	t, left, right, n := f.tiles, f.left, f.right, f.left.Rows.Rows
	sample, err := sketch.NewSample(int64(n), min(n, rowSample), m.Seed, "held back")
	if err != nil {
		return 0, err
	}
	number := sample.Positions()
	weighted := scaledColumns(u, m.Values)
	sampled := (&basis.Panel{Rows: weighted, Number: left.Number}).Of(number).Rows
	squares := stream.NewMatrix(len(number), 2) // of the entries of A and of the error in a row
	err = t.Each(ctx, f.engine, &tiles.Rows{Dense: left.Of(number).Rows}, right.Cols, basis.PanelRows, func(first int, tile blas64.General) error {
		guess := dense.Mul(blas.NoTrans, stream.RowSlice(sampled, first, tile.Rows), blas.Trans, v)
		for i := range tile.Rows {
			b, sums := dense.Row(guess, i), dense.Row(squares, first+i)
			for j, entry := range dense.Row(tile, i) {
				if left != right || int64(j) != number[first+i] {
					sums[0] += entry * entry
					sums[1] += (entry - b[j]) * (entry - b[j])
				}
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	var entries, errors float64
	for i := range squares.Rows {
		entries += squares.Data[2*i] * float64(n) / float64(len(number))
		errors += squares.Data[2*i+1] * float64(n) / float64(len(number))
	}
	if left == right {
		diagonal := make([]float64, n)
		t.Diagonal(diagonal, left.Rows)
		for i, entry := range diagonal {
			rest := entry - dense.Dot(dense.Row(weighted, i), dense.Row(v, i)) - m.Shift
			entries, errors = entries+entry*entry, errors+rest*rest
		}
	}
	return ratio(math.Sqrt(errors), math.Sqrt(entries)), nil
}
