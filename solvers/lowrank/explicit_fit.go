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
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/tilesize"
)

// matrixFit is a fit of an explicit matrix in progress, with the names of [SSRSVDMatrix].
type matrixFit struct {
	SSRSVDMatrix
	engine stream.Engine
	src    stream.Source
	n, c   int
	rows   int64 // seen by passes
	passes int
}

// sketches is the state of a pass: the triangular factor of Y; W; and the sums of squares of the columns of A.
type sketches = sketch.Both[*sketch.QR, *sketch.Sum]

// fit makes the passes.
func (f *matrixFit) fit(ctx context.Context) (*Fit, error) {
	with, err := f.signs()
	if err != nil {
		return nil, err
	}
	for name := "fit"; ; name = "refine" {
		acc, err := f.pass(ctx, name, with)
		if err != nil {
			return nil, err
		}
		g, err := f.decompose(acc)
		if err != nil {
			return nil, err
		}
		if f.passes > f.Refine || len(g.S) == 0 {
			return g.model(f, with), nil
		}
		with = g.V
	}
}

// signs returns C, or the identity if it would have as many columns as A.
func (f *matrixFit) signs() (blas64.General, error) {
	c := matrix.New(f.n, f.c)
	if f.c == f.n {
		for i := range f.n {
			matrix.Row(c, i)[i] = 1
		}
		return c, nil
	}
	op, err := sketch.NewRowSign(f.c, min(signsPerRow, f.c), f.Seed, "C")
	if err != nil {
		return c, err
	}
	cols, vals := make([]int, op.NNZ), make([]float64, op.NNZ)
	for i := range f.n {
		op.Row(int64(i), cols, vals)
		for k, j := range cols {
			matrix.Row(c, i)[j] = vals[k]
		}
	}
	return c, nil
}

// pass folds all rows, with Y = A·with.
func (f *matrixFit) pass(ctx context.Context, name string, with blas64.General) (*sketches, error) {
	newState := func() *sketches { return &sketches{A: sketch.NewQR(with.Cols), B: sketch.NewSum(with.Cols+1, f.n)} }
	acc, err := stream.Fold(ctx, f.engine, name, f.src, newState, f.worker(with))
	if err != nil {
		return nil, err
	}
	f.rows = acc.A.Rows()
	f.passes++
	info := f.src.Info()
	if f.rows == 0 {
		return nil, fmt.Errorf("%s has no rows", info.Name)
	}
	if err := f.check(f.rows, int64(f.n)); err != nil {
		return nil, fmt.Errorf("%s: %w", info.Name, err)
	}
	return acc, nil
}

func (f *matrixFit) worker(with blas64.General) func() func(*sketches, *stream.Block) error {
	info := f.src.Info()
	return func() func(*sketches, *stream.Block) error {
		y := matrix.New(tilesize.PanelRows, with.Cols)
		return func(acc *sketches, b *stream.Block) error {
			for first, x := range b.Panels(tilesize.PanelRows) {
				if err := applyMap(f.Map, x, b.Start+int64(first), info); err != nil {
					return err
				}
				part := matrix.Rows(y, 0, x.Rows)
				dense.Gemm(blas.NoTrans, blas.NoTrans, 1, x, with, 0, part)
				if err := acc.A.Add(part); err != nil {
					return err
				}
				addSketch(acc.B, part, x)
			}
			return nil
		}
	}
}

// addSketch adds YᵀA and the squares of the columns of A.
func addSketch(sum *sketch.Sum, y, x blas64.General) {
	w := matrix.Rows(sum.General, 0, y.Cols)
	dense.Gemm(blas.Trans, blas.NoTrans, 1, y, x, 1, w)
	squares := matrix.Row(sum.General, y.Cols)
	for i := range x.Rows {
		for j, v := range matrix.Row(x, i) {
			squares[j] += v * v
		}
	}
}

// applyMap replaces x by f∘(x). It fails if a result is not finite.
func applyMap(f kernelgen.ElementMap, x blas64.General, start int64, info stream.Info) error {
	for i := range x.Rows {
		r := matrix.Row(x, i)
		f.Apply(r, r)
		for j, v := range r {
			if !matrix.IsFinite(v) {
				return stream.NewValueError(info.Name, start+int64(i), info.Columns[j], "%s", mapFeatures{f, len(r)}.reason(v))
			}
		}
	}
	return nil
}

// decomposed is the SVD of B = TᵀW, where the columns of Y·T are orthonormal.
type decomposed struct {
	*svd
	t     blas64.General
	total float64 // ‖A‖_F²
}

// decompose finds T and decomposes B. It first scales the columns of Y to equal norms: those of A·V differ as much as
// the singular values, but have the same relative accuracy.
func (f *matrixFit) decompose(acc *sketches) (*decomposed, error) {
	r := acc.A.R()
	squares := dense.Sum(matrix.Row(acc.B.General, r.Cols))
	if !(squares < math.Inf(1)) || squares == 0 && dense.MaxAbs(r) > 0 || squares > 0 && squares < 1e-300 {
		return nil, fmt.Errorf("%s: the squares of the entries add up to %v, which leaves no digits: multiply the entries (`Map 'identity(scale=1e-200)'`)", f.src.Info().Name, squares)
	}
	t, err := unitWhitener(r)
	if err != nil {
		return nil, err
	}
	b, err := newSVD("the sketch", dense.Mul(blas.Trans, t, blas.NoTrans, matrix.Rows(acc.B.General, 0, r.Cols)))
	if err != nil {
		return nil, err
	}
	return &decomposed{b, t, squares}, nil
}

// unitWhitener returns T with Y·T orthonormal, given the triangular factor of Y.
func unitWhitener(r blas64.General) (blas64.General, error) {
	lengths := columnLengths(r)
	var kept []int
	for j, v := range lengths {
		if v > RankTolerance*slices.Max(lengths) {
			kept = append(kept, j)
		}
	}
	inverse := dense.Reciprocals(dense.Pick(lengths, kept))
	y, err := newSVD("the range sketch", scaledColumns(dense.PickColumns(r, kept), inverse))
	if err != nil {
		return r, err
	}
	part := scaledRows(y.whitener(dense.Rank(y.S, coreTolerance)), inverse)
	t := matrix.New(r.Cols, part.Cols)
	for i, j := range kept {
		copy(matrix.Row(t, j), matrix.Row(part, i))
	}
	return t, nil
}

// model returns the fit: U = A·C·T·G.
func (g *decomposed) model(f *matrixFit, with blas64.General) *Fit {
	r := min(f.Rank, dense.Rank(g.S, RankTolerance))
	u := dense.Mul(blas.NoTrans, with, blas.NoTrans, dense.Mul(blas.NoTrans, g.t, blas.NoTrans, matrix.Columns(g.U, 0, r)))
	fit := f.model(g.S[:r], u, matrix.Columns(g.V, 0, r), coreTolerance)
	if r == 0 {
		return fit
	}
	rest := math.Max(g.total-dense.Dot(g.S[:r], g.S[:r]), cancellation*g.total)
	spectral := math.Max(g.spectral(r, f.passes), math.Sqrt(cancellation))
	fit.addErrorEstimates(spectral, math.Sqrt(rest/g.total), "all entries")
	return fit
}

// spectral estimates ‖A−Â‖₂/‖A‖₂ for a rank r, from the first truncated value and the part of the leading vectors
// missed by c random columns. That part is about ‖A−QQᵀA‖_F/√c (Halko, Martinsson and Tropp 2011, Theorem 10.6), times
// (σ_{r+1}/σ₁)² for each further pass.
func (g *decomposed) spectral(r, passes int) float64 {
	next, outside := nextValue(g.S, r)/g.S[0], math.Max(0, g.total-dense.Dot(g.S, g.S))
	missed := math.Sqrt(outside/float64(len(g.S))) / g.S[0]
	return math.Min(1, math.Hypot(next, missed*math.Pow(next, float64(2*(passes-1)))))
}

// cancellation is the rounding error of a difference of sums of squares, relative to them.
const cancellation = 1e-14

// nextValue returns the first value beyond r, or 0.
func nextValue(values []float64, r int) float64 {
	if r < len(values) {
		return values[r]
	}
	return 0
}

// model returns a fit with the given factors. left is a function of rows of A.
func (f *matrixFit) model(values []float64, left, v blas64.General, tolerance float64) *Fit {
	embedding := &Embedding{Landmarks: noLandmarks(f.n), features: mapFeatures{f.Map, f.n}, Projection: matrix.Clone(left)}
	fit := &Fit{Model: &Model{Method: "ssrsvd", Seed: f.Seed, Rows: f.rows, Cols: int64(f.n), Left: embedding, Values: values,
		Explicit: &Explicit{Map: f.Map, V: matrix.Clone(v)}},
		Report:    model.Report{Notes: rankNote(len(values), f.Rank, tolerance), SourcePasses: f.passes, KernelEntries: int64(f.passes) * f.rows * int64(f.n)},
		Condition: 1, TraceResidual: math.NaN(), TraceKept: math.NaN()}
	for _, length := range columnLengths(left) {
		fit.Condition = math.Max(fit.Condition, length*values[0]) // u may be off by ε times this
	}
	return fit
}

func columnLengths(m blas64.General) []float64 {
	lengths := make([]float64, m.Cols)
	for i := range m.Rows {
		for j, v := range matrix.Row(m, i) {
			lengths[j] = math.Hypot(lengths[j], v)
		}
	}
	return lengths
}
