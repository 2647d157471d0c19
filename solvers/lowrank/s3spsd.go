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
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// S3SPSD is the sparse-sign streaming SPSD approximation with shift: Xie et al. (2023), Algorithm 5, with C drawn
// without replacement over the whole matrix, as Theorems 2 and 3 require. Rows of high leverage are added to its core,
// as in [SSRSVD].
//
// Cost: one pass after gathering z·(c+s) landmarks, n·z·c + (z·s+ℓ)² kernel entries with ℓ leverage rows, O(n·c²)
// flops, and memory for the landmarks and O(c²+(s+ℓ)²) numbers.
type S3SPSD struct {
	Rank   int // c, at most n/z
	Sketch int // s ≥ c; 0 means 5c, or the largest that fits
	NNZ    int // z, nonzeros in a sketch column; 0 means 4
	// LeverageRows is the number of rows added to the core; 0 means 2c, and −1 none. With −1 and [ShiftPaper], the
	// method is Algorithm 5 as published.
	LeverageRows int
	Seed         uint64
	Shift        ShiftRule // fitted, paper or none
}

// Fit approximates the kernel matrix of the rows of one source.
func (m S3SPSD) Fit(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel) (*Fit, error) {
	return family.RunFit(ctx, e, m, d, k, m.fit)
}

// fit implements Fit.
func (m S3SPSD) fit(ctx context.Context, e stream.Engine, d model.Sources, k kernelgen.Kernel) (*Fit, error) {
	k, n, err := resolveSymmetric(ctx, e, d, k, m.Seed)
	if err != nil {
		return nil, err
	}
	if err := m.check(k); err != nil {
		return nil, err
	}
	size, err := fitSizes(n, m.Rank, m.Sketch, m.NNZ, m.LeverageRows)
	if err != nil {
		return nil, err
	}
	f, err := m.begin(ctx, e, d.Left, k, n, size)
	if err != nil {
		return nil, err
	}
	if err := f.stream(ctx); err != nil {
		return nil, err
	}
	found, err := f.finish(ctx)
	if err != nil {
		return nil, err
	}
	return f.report(ctx, found)
}

func (m S3SPSD) check(k kernelgen.Kernel) error {
	if !k.PositiveSemiDefinite() {
		return fmt.Errorf("kernel %s is not known to be positive semi-definite, as s3spsd needs: use landmark or ssrsvd", k)
	}
	return m.Shift.among("s3spsd", ShiftFitted, ShiftNone, ShiftPaper)
}

// s3spsd is a fit in progress.
type s3spsd struct {
	S3SPSD
	size      sizes
	engine    stream.Engine
	src       stream.Source
	tiles     *tiles.Tiles
	n         int64
	rows      *sketchedSide // those of C and S
	pair      blas64.General
	trace     float64
	condition float64
}

// begin draws the sketches and gathers their rows.
func (m S3SPSD) begin(ctx context.Context, e stream.Engine, src stream.Source, k kernelgen.Kernel, n int64, size sizes) (*s3spsd, error) {
	rows, err := size.draw(n, m.Seed, "C", "S", "held back")
	if err != nil {
		return nil, err
	}
	if err := gatherSides(ctx, src, rows); err != nil {
		return nil, err
	}
	f := &s3spsd{S3SPSD: m, size: size, engine: e, src: src, tiles: tiles.Plain(k), n: n, rows: rows}
	return f, basis.ChooseScale(ctx, e, f.tiles, rows.landmarks.Rows, rows.landmarks)
}

// rangeState is the state of the pass: the triangular factor of [Y C], the trace of A, and rows of high leverage.
type rangeState = sketch.Both[*sketch.PairQR, *sketch.Both[*sketch.ColumnSums, *sketch.Priority]]

// stream makes the single pass over the rows: Y = K(·, landmarks)·Ĉ.
func (f *s3spsd) stream(ctx context.Context) error {
	name := f.src.Info().Name
	m := &basis.Map{Tiles: f.tiles, Landmarks: f.rows.landmarks, Signs: f.rows.signs}
	if err := f.rows.scout(ctx, f.engine, m, f.size.leverage, f.Seed, "scout"); err != nil {
		return err
	}
	newState := func() *rangeState {
		found := sketch.NewPriority(f.rows.leverage.Keep, len(f.src.Info().Columns))
		return &rangeState{A: sketch.NewPairQR(f.size.rank), B: &sketch.Both[*sketch.ColumnSums, *sketch.Priority]{A: sketch.NewColumnSums(1), B: found}}
	}
	defer f.tiles.CountPass(f.src.Info().Rows * int64(f.rows.landmarks.Count()))()
	columns := &basis.Columns{Features: []basis.Features{m.Features(name)}}
	e := f.engine.WithInputs(f.rows.landmarks.Rows, f.rows.leverage.Project)
	state, err := basis.Moments(ctx, e, "fit", f.src, columns, newState, func() func(*rangeState, basis.Rows) error {
		addTrace, priorities := basis.AddTrace(f.tiles, name), f.rows.leverage.Sampler()
		return func(state *rangeState, r basis.Rows) error {
			if err := state.B.B.Add(r.Start, priorities(r.Z, r.Start), r.X); err != nil {
				return err
			}
			marked, rows := f.rows.signs.MarkedRows(r.Start, r.Start+int64(r.X.Rows))
			if err := state.A.Add(r.Z, marked, rows); err != nil {
				return err
			}
			return addTrace(state.B.A, r)
		}
	})
	if err != nil {
		return err
	}
	f.pair = state.A.R()
	f.trace = state.B.A.Totals()[0]
	f.rows.take(state.B.B)
	return nil
}

// finish computes the shifts, the range and the core from the state of the pass.
func (f *s3spsd) finish(ctx context.Context) (*Model, error) {
	z, err := foldedCore(ctx, f.engine, f.tiles, f.rows.fitted, f.rows.fitted)
	if err != nil {
		return nil, err
	}
	alpha, err := f.rangeShift(ctx, z)
	if err != nil {
		return nil, err
	}
	side, cond, err := f.sketchRange(alpha)
	if err != nil {
		return nil, err
	}
	f.condition = cond
	core, err := f.fitCore(ctx, side, z)
	if err != nil {
		return nil, err
	}
	f.rows.fitted = nil
	eig, err := newEigen("the core", core.w)
	if err != nil {
		return nil, err
	}
	if f.Shift != ShiftPaper { // as published, Â may be indefinite
		clipDefinite(eig.Values, core.shift)
	}
	side.Projection = dense.Mul(blas.NoTrans, side.Projection, blas.NoTrans, eig.Vectors)
	return &Model{Method: "s3spsd", Kernel: f.tiles.Kernel, Seed: f.Seed, Rows: f.n, Cols: f.n,
		Left: side, Values: eig.Values, Shift: core.shift}, nil
}

// sketchRange returns the embedding Q, with orthonormal columns that span those of Y − αC, and the condition number of
// the sketch.
func (f *s3spsd) sketchRange(alpha float64) (*Embedding, float64, error) {
	shifted, err := newSVD("the sketch", f.shiftedR(alpha))
	if err != nil {
		return nil, 0, err
	}
	r := dense.Rank(shifted.S, RankTolerance)
	return &Embedding{Landmarks: f.rows.landmarks.Rows, Rows: f.rows.landmarks.Number, Signs: f.rows.signs,
		RangeShift: alpha, Projection: shifted.whitener(r)}, condition(shifted, r), nil
}

// shiftedR returns R·[I; −αI], a factor of Y − αC for any α, without another pass.
func (f *s3spsd) shiftedR(alpha float64) blas64.General {
	c := f.size.rank
	m := matrix.New(2*c, c)
	for i := range 2 * c {
		r := matrix.Row(f.pair, i)
		for j := range c {
			m.Data[i*c+j] = r[j] - alpha*r[c+j]
		}
	}
	return m
}

// rangeShift returns the shift α for the range, by the rule of the fit. The decoupled one is min(α, tr(A)/2n, 2β₀),
// where β₀ is the mean residual eigenvalue of the unshifted sketch, from the same least squares as the shift of the
// core. If the sketch leaves no residual, as for A of rank c, a shift could only reduce accuracy.
func (f *s3spsd) rangeShift(ctx context.Context, z blas64.General) (float64, error) {
	switch f.Shift {
	case ShiftNone:
		return 0, nil
	case ShiftPaper:
		return f.paperShift(math.Inf(1))
	}
	plain, _, err := f.sketchRange(0)
	if err != nil {
		return 0, err
	}
	core, err := f.fitCore(ctx, plain, z)
	if err != nil {
		return 0, err
	}
	return f.paperShift(min(f.trace/(2*float64(f.n)), 2*core.residual))
}

// paperShift runs the loop of Algorithm 5, lines 5–11: α = (σ_c(Y−αC) + α)/2, for at most 100 rounds. It stops when α
// exceeds σ_c, changes by less than 1e-6 of itself, or reaches the limit; α never decreases. Singular values come from
// the factor R, not from squared matrices as in the paper, so small ones keep their digits.
func (f *s3spsd) paperShift(limit float64) (float64, error) {
	alpha := 0.0
	for range 100 {
		sigma, err := smallestSingularValue(f.shiftedR(alpha))
		if err != nil {
			return 0, err
		}
		if alpha > sigma || sigma == 0 || alpha >= limit {
			break
		}
		next := (sigma + alpha) / 2
		if next-alpha < 1e-6*next {
			alpha = next
			break
		}
		alpha = next
	}
	return min(alpha, limit), nil
}

// coreFit holds W, the shift to add, and the mean residual eigenvalue of the range, all from Z = BᵀAB for the core rows
// B.
type coreFit struct {
	w               blas64.General
	shift, residual float64
}

// fitCore runs Algorithm 5, lines 13–15. With Q_B = BᵀQ and P = Q_B·Q_B⁺, the decoupled shift fits Z ≈ Q_B·W·Q_Bᵀ +
// β·BᵀB outside the range: β = tr((I − P)Z)/tr((I − P)BᵀB) ≥ 0.
func (f *s3spsd) fitCore(ctx context.Context, side *Embedding, z blas64.General) (*coreFit, error) {
	b, err := f.rows.fitted.embed(ctx, f.engine, f.tiles, side, f.rows.landmarks, f.rows.name)
	if err != nil {
		return nil, err
	}
	bs, err := newSVD("SᵀQ", b)
	if err != nil {
		return nil, err
	}
	r := dense.Rank(bs.S, coreTolerance)
	u, squares := matrix.Columns(bs.U, 0, r), f.rows.fitted.squares()
	m := dense.Mul(blas.Trans, u, blas.NoTrans, dense.Mul(blas.NoTrans, z, blas.NoTrans, u))
	identity := dense.Mul(blas.Trans, u, blas.NoTrans, scaledRows(u, squares))
	fit := &coreFit{residual: residualShift(dense.Trace(z), dense.Trace(m), dense.Sum(squares)-dense.Trace(identity))}
	switch f.Shift {
	case ShiftPaper:
		fit.shift = side.RangeShift
	case ShiftFitted:
		fit.shift = fit.residual
	}
	dense.Add(-fit.shift, identity, m)
	t := bs.whitener(r)
	fit.w = congruenceOf(t, m)
	return fit, nil
}

// clipDefinite raises values so that no eigenvalue of U·diag(values)·Uᵀ + shift·I is negative. This projects Â onto the
// positive semi-definite matrices, so it cannot increase its Frobenius distance from A.
func clipDefinite(values []float64, shift float64) {
	for i, v := range values {
		values[i] = math.Max(v, -shift)
	}
}

// residualShift returns the mean residual of a projection over the remaining dimensions: at least 0, and 0 without
// remaining dimensions.
func residualShift(trace, projected, dimensions float64) float64 {
	if dimensions < 0.5 { // 0 up to rounding
		return 0
	}
	return math.Max(0, (trace-projected)/dimensions)
}

// report returns the fit with its error estimate.
func (f *s3spsd) report(ctx context.Context, m *Model) (*Fit, error) {
	notes := append(f.size.notes, rankNote(m.Left.Rank(), f.size.rank, RankTolerance)...)
	return finishFit(ctx, f.engine, f.tiles, m, notes, f.condition, f.rows.held, f.rows.held, f.trace)
}
