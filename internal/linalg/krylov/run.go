package krylov

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

// Iteration is what an iteration is to find, and when it ends.
type Iteration struct {
	Rank   int // pairs or triplets wanted, the largest
	Passes int // multiplications at most
	// Done reports whether values with such residuals, relative to the norm of the matrix
	// or nearly, are good enough. Small residuals after the first multiplication do not
	// count: what the start has missed has no part in the space by then, or one no larger
	// than noise.
	Done Criterion
}

// Criterion is a test of values and their residuals.
type Criterion = func(values, residuals []float64, norm float64) bool

// Within returns a criterion: done when no residual is above tolerance.
func Within(tolerance float64) Criterion {
	return func(_, residuals []float64, _ float64) bool { return Largest(residuals) <= tolerance }
}

// found is what a space knows of the leading pairs or triplets.
type found interface {
	*Pairs | *Triplets
	known() (values, residuals []float64, norm float64)
}

// space is what an iteration goes on with.
type space[R found] interface {
	multiply(ctx context.Context) error
	Ritz(most int) R
	extend() (grown bool, err error)
}

// run multiplies and extends a space until the residuals are small, the space is
// invariant, or all passes are done.
func run[R found](ctx context.Context, s space[R], it Iteration) (r R, err error) {
	for pass := 1; ; pass++ {
		if err := s.multiply(ctx); err != nil {
			return nil, err
		}
		r = s.Ritz(it.Rank)
		if pass >= it.Passes || pass > 1 && it.Done(r.known()) {
			return r, nil
		}
		grown, err := s.extend()
		if err != nil {
			return nil, err
		}
		if !grown {
			return r, nil
		}
	}
}

// Residuals returns the norms of the columns of au − u·diag(values), over norm.
func Residuals(au, u blas64.General, values []float64, norm float64) []float64 {
	sums := make([]float64, len(values))
	for i := range u.Rows {
		product := matrix.Row(au, i)
		for j, v := range matrix.Row(u, i) {
			d := (product[j] - values[j]*v) / norm
			sums[j] += d * d
		}
	}
	for j, s := range sums {
		sums[j] = math.Sqrt(s)
	}
	return sums
}

// Largest returns the largest of some numbers, none of them negative; 0 if there are none.
func Largest(v []float64) float64 {
	most := 0.0
	for _, x := range v {
		most = math.Max(most, x)
	}
	return most
}
