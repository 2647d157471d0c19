package ism

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// The numbers of sample rows used to resolve words of kernels and to check derivatives.
const (
	medianRows     = 500
	derivativeRows = 20
)

// resolve replaces the words of the kernel by numbers, and checks a custom derivative.
func (f *fitState) resolve(ctx context.Context) (err error) {
	rows := model.Sources{Left: stream.FromMatrix("rows", f.sample.evenRows(medianRows))}
	if f.kernel, err = family.Resolve(ctx, f.all.engine, rows, f.kernel, f.Seed); err != nil {
		return fmt.Errorf("%s: %w", f.data.src.Info().Name, err)
	}
	if f.terms, err = termsOf(f.kernel); err != nil {
		return err
	}
	for _, t := range f.terms {
		if t.Custom {
			if err := t.checkDerivative(f.sample.evenRows(derivativeRows)); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkDerivative compares a custom f' with finite differences of f at values of β between the rows.
func (t term) checkDerivative(x blas64.General) error {
	beta := matrix.New(x.Rows, x.Rows)
	tiles.Plain(t.Base.Kernel()).FillDense(beta, x, &tiles.Rows{Dense: x}, nil)
	for _, b := range beta.Data {
		h := 1e-5 * math.Max(math.Abs(b), 1e-3)
		if t.Base == kernelgen.SquaredDistance && b < 2*h {
			continue
		}
		low, high, slope := t.Value.At(b-h), t.Value.At(b+h), t.Slope.At(b)
		if v := t.Value.At(b); !matrix.IsFinite(v) || !matrix.IsFinite(slope) {
			return fmt.Errorf("%v is %v and its derivative %v at %v; both must be finite where the rows are", t.Kernel, v, slope, b)
		}
		got := (high - low) / (2 * h)
		rounding := 1e-15 * math.Max(math.Abs(high), math.Abs(low)) / h
		if math.Abs(got-slope) > 1e-3*math.Max(math.Abs(got), math.Abs(slope))+100*rounding {
			return fmt.Errorf("the derivative of %v at %v is given as %v, and differences of it are %v", t.Kernel, b, slope, got)
		}
	}
	return nil
}
