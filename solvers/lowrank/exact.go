package lowrank

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/krylov"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Subspace is a block Krylov method on exact tiles (C. Musco and C. Musco 2015,
// "Randomized block Krylov methods for stronger and faster approximate singular
// value decomposition") for the symmetric matrix of one source:
//
//	Q₀ = orth(Ω), Ω normal, c + 24 columns
//	Q_{j+1} = orth (A·Q_j, without Q₀ … Q_j)     one exact pass each
//	QᵀAQ = S·diag(θ)·Sᵀ, U = Q·S                  Rayleigh–Ritz on all of them
//	Â = (AU)·diag(θ)⁻¹·(AU)ᵀ, truncated to rank c, + βI
//
// The passes have already computed A·U, so the last line is free. It is the fixed-rank Nyström method (Tropp,
// Yurtsever, Udell and Cevher 2017, "Fixed-rank approximation of a positive-semidefinite matrix from streaming data").
// The embedding of a row x is a combination of k(x, x_i) over all fitted rows. If A may be indefinite, it keeps the c
// values of largest modulus.
//
// Cost: one pass over the source, which loads the rows; then q exact passes over n²/2
// entries with 2·n²·b flops each for b = c + 24 columns. Memory: the rows and up to 5·n·b·q
// numbers. The model holds all rows and n·c numbers. It suits up to about 10⁵ rows.
type Subspace struct {
	Rank   int // c
	Passes int // limit of exact passes; 0 means 3
	// Tolerance is the tolerance of the residuals ‖Au−θu‖ of all c Ritz values, relative to the largest: passes stop
	// once it is met, after at least two. 0 means 1e-6.
	ResidualTol float64
	Seed        uint64
	Shift       ShiftRule // fitted, midpoint or none
}

const (
	// subspaceOversampling is the number of columns of a block beyond the rank.
	subspaceOversampling = 24
	// unitRows is the number of rows compared with all others to choose the unit of the entries.
	unitRows = 64
)

// settings returns the settings with defaults.
func (m Subspace) settings() (Subspace, error) {
	if m.Passes == 0 {
		m.Passes = 3
	}
	if m.ResidualTol == 0 {
		m.ResidualTol = 1e-6
	}
	if m.Rank < 1 || m.Passes < 1 || !(m.ResidualTol > 0) {
		return m, fmt.Errorf("rank %d and passes %d must be at least 1, and the tolerance %v above 0", m.Rank, m.Passes, m.ResidualTol)
	}
	return m, m.Shift.among("subspace", ShiftFitted, ShiftMidpoint, ShiftNone)
}

// Fit approximates the kernel matrix of the rows of one source. Residuals are ‖Au−θu‖ of the c largest Ritz pairs,
// relative to the largest |θ|. An eigenvalue of A lies within the residual of each value.
//
// The Frobenius error is estimated from the entries between sampled rows.
// Rows that are not finite are a [stream.DataError].
func (m Subspace) Fit(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel) (*Fit, error) {
	return family.RunFit(ctx, e, m, d, k, m.fit)
}

// fit implements Fit.
func (m Subspace) fit(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel) (*Fit, error) {
	m, err := m.settings()
	if err != nil {
		return nil, err
	}
	k, _, err = resolveSymmetric(ctx, e, d, k, m.Seed)
	if err != nil {
		return nil, err
	}
	rows, err := loadRows(ctx, d.Left)
	if err != nil {
		return nil, err
	}
	f := &exactFit{Subspace: m, engine: e, tiles: tiles.Plain(k), rows: rows, name: d.Left.Info().Name}
	some := matrix.Rows(rows.Rows, 0, min(rows.Count(), unitRows))
	if err := basis.ChooseScale(ctx, e, f.tiles, some, rows); err != nil {
		return nil, err
	}
	return f.iterate(ctx)
}

// exactFit is a fit in progress, with all rows in memory.
type exactFit struct {
	Subspace
	engine stream.Engine
	tiles  *tiles.Tiles
	rows   *basis.Panel
	name   string // of the source
}

// loadRows reads all rows of a source into memory, in one pass.
func loadRows(ctx context.Context, src stream.Source) (*basis.Panel, error) {
	rows, err := stream.ReadAll(ctx, src)
	if err != nil {
		return nil, err
	}
	if i, j, bad := dense.NotFinite(rows); bad {
		info := src.Info()
		return nil, stream.NewValueError(info.Name, int64(i), info.Columns[j], "%v", matrix.Row(rows, i)[j])
	}
	return basis.NewPanel(rows, matrix.Numbers(rows.Rows), nil), nil
}

// spectrum is Â without shift, u·diag(values)·uᵀ with orthonormal columns, where u is A·projection.
type spectrum struct {
	u, projection blas64.General
	values        []float64 // descending
	rest          []float64 // truncated eigenvalues
}

// iterate makes the passes.
func (f *exactFit) iterate(ctx context.Context) (*Fit, error) {
	start := matrix.New(f.rows.Count(), min(f.rows.Count(), f.Rank+subspaceOversampling))
	sketch.NewRandom(f.Seed, "subspace start").Normals(start)
	grid := f.tiles.NewGrid(f.engine, [2]string{f.name, f.name}, f.rows.Cols, f.rows.Cols)
	space, err := krylov.NewSpace(tiles.Symmetric{Grid: grid}, start, f.Passes)
	if err != nil {
		return nil, iterationError(err)
	}
	if !f.tiles.Kernel.PositiveSemiDefinite() {
		space.Choice = krylov.Magnitude
	}
	last, err := space.Run(ctx, krylov.Iteration{Rank: f.Rank, Passes: f.Passes, Done: krylov.Within(f.ResidualTol)})
	if err != nil {
		return nil, iterationError(err)
	}
	most := f.Rank
	if space.Choice == krylov.Positive {
		most = space.Q.Cols() // extra columns make truncation more accurate
	}
	pairs := space.Ritz(most)
	s, err := nystromOfPairs(pairs, f.Rank)
	if err != nil {
		return nil, err
	}
	s.rest = append(s.rest, pairs.Rest...)
	return f.finish(ctx, s, last)
}

// iterationError adds a remedy to errors about numbers that are not finite.
func iterationError(err error) error {
	var bad *krylov.NotFiniteError
	if errors.As(err, &bad) {
		return notFinite(bad.Of)
	}
	return err
}

// nystromOfPairs returns (AU)·diag(θ)⁻¹·(AU)ᵀ with AU = Q·R, truncated to the c largest eigenvalues. These are the
// eigenvalues of R·diag(θ)⁻¹·Rᵀ, in the basis Q = A·U·R⁻¹. It overwrites U.
func nystromOfPairs(p *krylov.Pairs, c int) (*spectrum, error) {
	if len(p.Values) == 0 {
		return &spectrum{u: p.U, projection: p.U}, nil
	}
	q, r, err := sketch.CholeskyQR(p.AU)
	if err != nil {
		return nil, err
	}
	eig, err := newEigen("the core", congruence(r, dense.Reciprocals(p.Values)))
	if err != nil {
		return nil, err
	}
	c = min(c, len(eig.Values))
	for c > 0 && math.Abs(eig.Values[c-1]) <= RankTolerance*p.Norm {
		c--
	}
	kept := matrix.Columns(eig.Vectors, 0, c)
	blas64.Trsm(blas.Right, blas.NoTrans, 1, basis.Upper(r), p.U)
	return &spectrum{u: dense.Mul(blas.NoTrans, q, blas.NoTrans, kept), projection: dense.Mul(blas.NoTrans, p.U, blas.NoTrans, kept),
		values: eig.Values[:c], rest: eig.Values[c:]}, nil
}

// finish returns the fit. last has the pairs of the last pass.
func (f *exactFit) finish(ctx context.Context, s *spectrum, last *krylov.Pairs) (*Fit, error) {
	n, definite, trace := f.rows.Count(), f.tiles.Kernel.PositiveSemiDefinite(), sumDiag(f.tiles, f.rows)
	shift, left := s.shift(f.Shift, trace, n, definite)
	m := &Model{Method: "subspace", Kernel: f.tiles.Kernel, Seed: f.Seed, Rows: int64(n), Cols: int64(n), Values: slices.Clone(s.values),
		Shift: shift, Left: &Embedding{Landmarks: f.rows.Rows, Rows: f.rows.Number, Projection: s.projection}}
	for i := range m.Values {
		m.Values[i] -= shift
	}
	if definite {
		clipDefinite(m.Values, shift)
	}
	frobenius, spread, err := f.sampledError(ctx, m, s.u)
	if err != nil {
		return nil, err
	}
	fit := &Fit{Model: m, Condition: valueCondition(s.values), Report: model.Report{
		KernelEntries: f.tiles.Entries.Load(), SourcePasses: 1, ExactPasses: last.Passes, Residuals: last.Residuals}}
	fit.NotConverged = fit.Residual() > f.ResidualTol
	fit.setTrace(trace)
	fit.Warn(basis.SpreadWarning(m.Kernel, spread)...)
	fit.addErrorEstimates(math.Max(ratio(left, last.Norm), fit.Residual()), frobenius, "Ritz values and sampled rows")
	fit.Note(rankNote(len(s.values), f.Rank, RankTolerance)...)
	if fit.NotConverged {
		fit.Warn(fmt.Sprintf("after %d exact passes the residuals ‖Au−θu‖ are up to %.1e of the largest eigenvalue; more passes make them smaller",
			fit.ExactPasses, fit.Residual()))
	}
	finishUnits(f.tiles, m)
	return fit, checkModel(m)
}

// shift returns the shift of the n×n matrix, and the largest known |eigenvalue − shift| outside the model: of the
// truncated eigenvalues, and of the mean of the others, which follows from the trace.
func (s *spectrum) shift(rule ShiftRule, trace float64, n int, definite bool) (shift, left float64) {
	c := len(s.values)
	if c == n {
		return 0, 0
	}
	mean, rest := (trace-dense.Sum(s.values))/float64(n-c), slices.Clone(s.rest)
	if others := n - c - len(rest); others > 0 {
		rest = append(rest, (trace-dense.Sum(s.values)-dense.Sum(s.rest))/float64(others))
	}
	low, high := slices.Min(rest), slices.Max(rest)
	if definite {
		mean, low, high = math.Max(0, mean), math.Max(0, low), math.Max(0, high)
	}
	switch rule {
	case ShiftFitted:
		shift = mean
	case ShiftMidpoint:
		shift = low/2 + high/2
	}
	return shift, math.Max(math.Abs(high-shift), math.Abs(low-shift))
}

// valueCondition returns the ratio of the largest to the smallest modulus, 1 if there are no
// values.
func valueCondition(values []float64) float64 {
	if len(values) == 0 {
		return 1
	}
	most, least := 0.0, math.Inf(1)
	for _, v := range values {
		most, least = math.Max(most, math.Abs(v)), math.Min(least, math.Abs(v))
	}
	return most / least
}

// exactSample is the number of rows used by sampledError.
const exactSample = 512

// sampledError estimates the relative Frobenius error of a model from the entries between sampled rows, and returns
// their spread. u is the embedding of all rows.
func (f *exactFit) sampledError(ctx context.Context, m *Model, u blas64.General) (frobenius, spread float64, err error) {
	n := f.rows.Count()
	drawn, err := sketch.NewSample(int64(n), min(n, exactSample), f.Seed, "held back")
	if err != nil {
		return 0, 0, err
	}
	number, embedded := drawn.Positions(), &basis.Panel{Rows: u, Number: f.rows.Number}
	side := &sampleSide{rows: f.rows.Select(number), represented: float64(n), u: embedded.Select(number).Rows}
	b, err := newSampledBlock(ctx, f.engine, f.tiles, m, side, side, true)
	if err != nil {
		return 0, 0, err
	}
	all, spread := b.squares(), b.spread()
	b.subtract(m)
	return ratio(math.Sqrt(b.squares()), math.Sqrt(all)), spread, nil
}
