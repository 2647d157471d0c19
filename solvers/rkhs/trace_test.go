package rkhs

import (
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/nystream/nystream/kernelgen"
)

// TestTrace: the eigenvalues of a covariance operator sum to its trace, also for centred features.
func TestTrace(t *testing.T) {
	_, _, d := dependent(t, 60, 2, 2)
	for _, c := range []struct {
		kernel kernelgen.Kernel
		centre bool
	}{{kernelgen.RBF(0.3), false}, {kernelgen.RBF(0.3), true}, {kernelgen.Poly(2, 1, 1), true}, {kernelgen.Laplace(0.7), false}} {
		f := mustFit(t, Solver{Operator: Covariance{}, Rank: 60, Center: c.centre, Algorithm: AlgorithmExact}, d, c.kernel)
		if sum := floats.Sum(f.Values); !near(sum, f.Trace, 1e-10*f.Trace) {
			t.Errorf("kernel %s, centred %v: values sum up to %v, and the trace is %v", c.kernel, c.centre, sum, f.Trace)
		}
	}
}
