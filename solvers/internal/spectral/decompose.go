package spectral

import (
	"context"
	"encoding"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/symeig"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// squaresSuffice is the tolerance from which FᵀF is as good as the R factor of F.
const squaresSuffice = 1e-7

// factors is what is known of F = U·Σ·Vᵀ.
type factors struct {
	s []float64
	v blas64.General
}

// decompose finds the singular values and right singular vectors of F = W·P, and how many
// degrees were raised.
func (w *weighting) decompose(ctx context.Context, e stream.Engine) (f *factors, raised int64, err error) {
	cols := w.P.Cols
	if cols == 0 {
		cols = w.Cols
	}
	if w.Tolerance >= squaresSuffice {
		g, raised, err := foldFactors(ctx, e, w, func() *sketch.Gram { return sketch.NewGram(cols, cols) },
			func(g *sketch.Gram, rows blas64.General) error { return g.Add(rows, rows) })
		if err != nil {
			return nil, 0, err
		}
		f, err := bySquares(g.Matrix())
		return f, raised, err
	}
	qr, raised, err := foldFactors(ctx, e, w, func() *sketch.QR { return sketch.NewQR(cols) }, (*sketch.QR).Add)
	if err != nil {
		return nil, 0, err
	}
	d, err := dense.NewSVD(qr.R())
	if err != nil {
		return nil, 0, fmt.Errorf("the factors: %w", err)
	}
	return &factors{d.S, d.V}, raised, nil
}

// bySquares decomposes F by FᵀF.
func bySquares(gram blas64.General) (*factors, error) {
	values, v, err := symeig.Decompose(gram)
	if err != nil {
		return nil, fmt.Errorf("the factors: %w", err)
	}
	dense.FixSigns(blas64.General{}, v)
	for j, lambda := range values {
		values[j] = math.Sqrt(math.Max(0, lambda))
	}
	return &factors{values, v}, nil
}

// accumulator is what rows of F are folded into.
type accumulator[A any] interface {
	Merge(later A) error
	Reset()
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// foldFactors adds up all rows of F.
func foldFactors[A accumulator[A]](ctx context.Context, e stream.Engine, w *weighting, newAcc func() A, add func(acc A, rows blas64.General) error) (acc A, raised int64, err error) {
	type counted = sketch.Both[A, *sketch.Sum]
	all, err := stream.Fold(ctx, e, pass, w.Source, func() *counted { return &counted{A: newAcc(), B: sketch.NewSum(0, 0)} },
		func() func(*counted, *stream.Block) error {
			each := w.visitor()
			return func(acc *counted, b *stream.Block) error {
				return each(b, func(_ int, rows blas64.General, raised int64) error {
					acc.B.Count += raised
					if w.P.Cols > 0 {
						rows = dense.Mul(blas.NoTrans, rows, blas.NoTrans, w.P)
					}
					return add(acc.A, rows)
				})
			}
		})
	if err != nil {
		return acc, 0, err
	}
	return all.A, all.B.Count, nil
}
