package spectral

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/symeig"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// factors is what is known of F = U·Σ·Vᵀ.
type factors struct {
	s []float64
	v blas64.General
}

// decompose finds the singular values and right singular vectors of F = W·P by FᵀF.
func (w *weighting) decompose(ctx context.Context, e stream.Engine) (*factors, error) {
	cols := w.P.Cols
	gram, err := stream.Fold(ctx, e, pass, w.Source, func() *sketch.Gram { return sketch.NewGram(cols, cols) },
		func() func(*sketch.Gram, *stream.Block) error {
			each := w.visitor()
			return func(acc *sketch.Gram, b *stream.Block) error {
				return each(b, func(_ int, rows blas64.General) error {
					f := dense.Mul(blas.NoTrans, rows, blas.NoTrans, w.P)
					return acc.Add(f, f)
				})
			}
		})
	if err != nil {
		return nil, err
	}
	values, v, err := symeig.Decompose(gram.Matrix())
	if err != nil {
		return nil, fmt.Errorf("the factors: %w", err)
	}
	dense.FixSigns(blas64.General{}, v)
	for j, lambda := range values {
		values[j] = math.Sqrt(math.Max(0, lambda))
	}
	return &factors{values, v}, nil
}
