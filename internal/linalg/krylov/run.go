package krylov

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

// Iteration configures an iteration.
type Iteration struct {
	Rank   int // number of leading pairs or triplets requested
	Passes int // maximal number of multiplications
	// Done reports whether values with these residuals, relative to about the norm of the matrix,
	// are accurate enough. It is not called after the first multiplication: small residuals then do
	// not show what the start has missed.
	Done Criterion
}

// Criterion is a stopping test on values and their residuals.
type Criterion = func(values, residuals []float64, norm float64) bool

// Within returns the criterion that no residual exceeds tolerance.
func Within(tolerance float64) Criterion {
	return func(_, residuals []float64, _ float64) bool { return Largest(residuals) <= tolerance }
}

// ritzResult is the result of an iteration: pairs or triplets.
type ritzResult interface {
	*Pairs | *Triplets
	known() (values, residuals []float64, norm float64)
}

// space is a Krylov space, as run iterates on it.
type space[R ritzResult] interface {
	multiply(ctx context.Context) error
	Ritz(most int) R
	extend() (grown bool, err error)
}

// run multiplies and extends a space until the residuals are small, the space is invariant, or the
// passes are used up.
func run[R ritzResult](ctx context.Context, s space[R], it Iteration) (r R, err error) {
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

// Largest returns the largest of nonnegative numbers, 0 if there are none.
func Largest(v []float64) float64 {
	most := 0.0
	for _, x := range v {
		most = math.Max(most, x)
	}
	return most
}
