package transport

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

// symmetric reports whether both sides have the same scaling.
func (x *exactIteration) symmetric() bool { return x.left == x.right && x.logs.Kernel.Symmetric() }

// symmetricStep makes an iteration for the transport of a side to itself, with a symmetric kernel and a single scaling,
// u = v. It returns the error of the plan before it. The step takes the mean of log u and of Sinkhorn's update of it
// (Feydy et al. 2019, Section 3.1). For a positive definite kernel this at least halves the error, for any ε.
func (x *exactIteration) symmetricStep(ctx context.Context) (before float64, err error) {
	exponent, next := x.exponent(), make([]float64, len(x.f))
	sums, err := x.strips(ctx, x.logs, "round", 2, func() stripVisitor {
		return func(sum []float64, at int, strip blas64.General) error {
			for i := range strip.Rows {
				s := weights(matrix.Row(strip, i), x.f)
				log := s.Log()
				if !matrix.IsFinite(log) {
					return x.badSum(x.left.name, x.left.numberOf(at+i), log)
				}
				f := x.left.log[at+i] - exponent*log
				after := math.Exp(f + log)
				sum[0] += math.Abs(math.Exp(x.f[at+i]+log) - after)
				sum[1] += after
				next[at+i] = (x.f[at+i] + f) / 2
			}
			return nil
		}
	})
	if err != nil {
		return 0, err
	}
	copy(x.f, next)
	return sums[0] / sums[1], nil
}
