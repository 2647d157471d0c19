// Package spectral embeds rows by the leading eigenvectors of a kernel between them that
// is given by factors: of D^(−½)·K·D^(−½), D the row sums of K (Ng, Jordan and Weiss 2001,
// "On spectral clustering: analysis and an algorithm"), or of the centred H·K·H. Nothing
// of the size of K is formed.
package spectral

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// Kernel is K ≈ C·P·diag(signs)·Pᵀ·Cᵀ between the rows of a source, C a function of a row.
type Kernel struct {
	Source stream.Source
	Cols   int // of C, at least 1
	P      blas64.General
	Signs  []float64 // one for each column of P; nil where all are 1
	// Panels returns, for one worker, the function that makes C of a panel of rows, the
	// first of which has the given number.
	Panels func() func(rows blas64.General, first int64) (Panel, error)
}

// Panel is rows of C, and what K has on its diagonal there.
type Panel struct {
	C    blas64.General
	Self []float64
}

// Settings say which eigenvectors are wanted.
type Settings struct {
	Dim       int  // at most so many
	Normalise bool // divide by the degrees; else centre
	// Tolerance is where singular values of the factors are cut off, relative to the
	// largest. They are found from FᵀF, which does not know those below 1e-7.
	Tolerance float64
	// Degrees, if not nil, receives the degrees that were divided by. It has one entry for
	// each row.
	Degrees []float64
}

// ErrZero reports that there are no eigenvalues above 0.
var ErrZero = errors.New("all factors are zero")

// A DegreeError says that a degree overflows.
type DegreeError struct {
	Row    int64
	Degree float64
}

func (e *DegreeError) Error() string {
	return fmt.Sprintf("the degree of row %d is %v", e.Row, e.Degree)
}

// pass is the name of the passes in progress reports.
const pass = "spectral embedding"

// Embed finds the leading eigenvectors: orthonormal columns, one row for each of the
// source. A degree is the row's sum of K, but at least K_ii: a row is similar to itself,
// and where K is approximate, or has negative entries, what the others add may be negative. A row whose degree is 0 is a row of zeros.
//
// Let F = W·P, W the rows of C divided by the roots of their degrees, or less their mean.
// With F = U·Σ·Vᵀ the eigenvectors are F·V·Σ⁻¹, and with signs F·V·Σ⁻¹·Z, Z the
// eigenvectors of Σ·Vᵀ·diag(signs)·V·Σ. They are orthonormal to ε·(σ₁/σ_dim)².
//
// Cost: three passes, each with all of C: its column sums, Σ and V, and the vectors.
// n·r² flops for r columns of P.
func (k *Kernel) Embed(ctx context.Context, e stream.Engine, s Settings) (vectors blas64.General, err error) {
	w := &weighting{Kernel: k, Settings: s}
	if err := w.measure(ctx, e); err != nil {
		return vectors, err
	}
	f, err := w.decompose(ctx, e)
	if err != nil {
		return vectors, err
	}
	turn, err := f.leading(k.Signs, s.Dim, s.Tolerance)
	if err != nil {
		return vectors, err
	}
	return w.multiply(ctx, e, dense.Mul(blas.NoTrans, w.P, blas.NoTrans, turn))
}

// weighting is how rows of C become rows of W.
type weighting struct {
	*Kernel
	Settings
	mean  []float64 // of C, or
	toSum []float64 // P·diag(signs)·Pᵀ·Cᵀ·1, which gives the degree of a row
}

// measure sums up the columns of C.
func (w *weighting) measure(ctx context.Context, e stream.Engine) error {
	all, err := stream.Fold(ctx, e, pass, w.Source, func() *sketch.Sum { return sketch.NewSum(1, w.Cols) },
		func() func(*sketch.Sum, *stream.Block) error {
			panels := w.Panels()
			return func(acc *sketch.Sum, b *stream.Block) error {
				for first, rows := range b.Panels(stream.PanelRows) {
					p, err := panels(rows, b.Start+int64(first))
					if err != nil {
						return err
					}
					for i := range p.C.Rows {
						dense.Axpy(1, dense.Row(p.C, i), acc.Data)
					}
					acc.Count += int64(rows.Rows)
				}
				return nil
			}
		})
	if err != nil {
		return err
	}
	if w.Normalise {
		w.toSum = w.degreesOf(all.Data)
		return nil
	}
	w.mean = all.Data
	for j := range w.mean {
		w.mean[j] /= float64(max(1, all.Count))
	}
	return nil
}

// degreesOf returns P·diag(signs)·Pᵀ·sums.
func (w *weighting) degreesOf(sums []float64) []float64 {
	inner := dense.MulVector(blas.Trans, w.P, sums)
	for j, s := range w.Signs {
		inner[j] *= s
	}
	return dense.MulVector(blas.NoTrans, w.P, inner)
}

// apply puts rows of W into dst.
func (w *weighting) apply(dst blas64.General, p Panel, first int64) error {
	for i := range p.C.Rows {
		row, out := dense.Row(p.C, i), dense.Row(dst, i)
		if !w.Normalise {
			for j, v := range row {
				out[j] = v - w.mean[j]
			}
			continue
		}
		degree := math.Max(dense.Dot(row, w.toSum), p.Self[i])
		if !(degree <= math.MaxFloat64) {
			return &DegreeError{first + int64(i), degree}
		}
		if w.Degrees != nil {
			w.Degrees[first+int64(i)] = degree
		}
		clear(out)
		if degree > 0 {
			dense.Axpy(1/math.Sqrt(degree), row, out)
		}
	}
	return nil
}

// visitor returns the function that hands on the panels of W of a block.
func (w *weighting) visitor() func(b *stream.Block, visit func(first int, rows blas64.General) error) error {
	panels, room := w.Panels(), stream.NewMatrix(stream.PanelRows, w.Cols)
	return func(b *stream.Block, visit func(first int, rows blas64.General) error) error {
		for first, rows := range b.Panels(stream.PanelRows) {
			start := b.Start + int64(first)
			p, err := panels(rows, start)
			if err != nil {
				return err
			}
			out := stream.RowSlice(room, 0, rows.Rows)
			if err := w.apply(out, p, start); err != nil {
				return err
			}
			if err := visit(first, out); err != nil {
				return err
			}
		}
		return nil
	}
}

// multiply multiplies W by a small matrix.
func (w *weighting) multiply(ctx context.Context, e stream.Engine, by blas64.General) (blas64.General, error) {
	return stream.MapRows(ctx, e, pass, w.Source, by.Cols, func() func(blas64.General, *stream.Block) error {
		each := w.visitor()
		return func(dst blas64.General, b *stream.Block) error {
			return each(b, func(first int, rows blas64.General) error {
				dense.Gemm(blas.NoTrans, blas.NoTrans, 1, rows, by, 0, stream.RowSlice(dst, first, rows.Rows))
				return nil
			})
		}
	})
}
