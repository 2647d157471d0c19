package krylov

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/gonum"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
)

// ErrNotFinite reports that a product with a vector is not finite.
var ErrNotFinite = errors.New("the matrix is not finite")

// Lanczos estimates the norm of a symmetric matrix from below, from products with vectors (Golub
// and Van Loan, "Matrix computations", §10.1). It does not reorthogonalise: copies of converged
// Ritz values appear, but the largest one stays accurate (C. Paige 1980). It holds two vectors, and
// step k takes O(n + k²) flops.
type Lanczos struct {
	// The estimate has settled once it has changed by at most Tolerance, relative to it, over the
	// last Lag steps, after at least 2·Lag steps.
	Lag       int
	Tolerance float64

	v, previous []float64
	alpha, beta []float64
	norms       []float64 // estimate after each step
	norm        float64   // the last estimate
}

// NewLanczos returns the process for an n×n matrix, with a random starting vector.
func NewLanczos(n int, random sketch.Random, lag int, tolerance float64) *Lanczos {
	l := &Lanczos{v: make([]float64, n), previous: make([]float64, n), Lag: lag, Tolerance: tolerance}
	random.Normals(blas64.General{Rows: n, Cols: 1, Stride: 1, Data: l.v})
	scaleTo(l.v, dense.Norm(l.v))
	return l
}

// scaleTo divides x by its norm, unless that is 0.
func scaleTo(x []float64, norm float64) {
	if norm > 0 {
		blas64.Scal(1/norm, dense.Vector(x))
	}
}

// Vector returns the next vector to multiply the matrix with.
func (l *Lanczos) Vector() []float64 { return l.v }

// Norm returns the estimate after the last step.
func (l *Lanczos) Norm() float64 { return l.norm }

// Step advances by the product w = A·Vector(), which it keeps and overwrites, and reports whether
// the estimate has settled.
func (l *Lanczos) Step(w []float64) (done bool, err error) {
	a := dense.Dot(w, l.v)
	matrix.Axpy(-a, l.v, w)
	if k := len(l.beta); k > 0 {
		matrix.Axpy(-l.beta[k-1], l.previous, w)
	}
	b := dense.Norm(w)
	if !matrix.IsFinite(a) || !matrix.IsFinite(b) {
		return false, ErrNotFinite
	}
	scaleTo(w, b)
	l.previous, l.v = l.v, w
	l.alpha, l.beta = append(l.alpha, a), append(l.beta, b)
	if err := l.estimate(); err != nil {
		return false, err
	}
	return b <= 1e-14*l.norm || l.settled(), nil
}

// scalingExponent is the magnitude of the binary exponent from which numbers are scaled before an
// eigendecomposition that squares them.
const scalingExponent = 300

// estimate computes the Ritz value of largest magnitude.
func (l *Lanczos) estimate() error {
	k := len(l.alpha)
	values, beta := slices.Clone(l.alpha), slices.Clone(l.beta)
	exponent := scaleNearOne(values, beta)
	if !(gonum.Implementation{}).Dsterf(k, values, beta) {
		return fmt.Errorf("the eigenvalues of the Lanczos matrix of %d steps did not converge", k)
	}
	l.norm = math.Ldexp(math.Max(math.Abs(values[0]), math.Abs(values[k-1])), exponent)
	l.norms = append(l.norms, l.norm)
	return nil
}

// scaleNearOne divides the vectors by 2^exponent if their largest entry is far from 1, so that
// squares neither overflow nor underflow. It returns the exponent.
func scaleNearOne(vectors ...[]float64) (exponent int) {
	largest := 0.0
	for _, x := range vectors {
		for _, v := range x {
			largest = math.Max(largest, math.Abs(v))
		}
	}
	if exponent = math.Ilogb(largest); largest == 0 || exponent > -scalingExponent && exponent < scalingExponent {
		return 0
	}
	for _, x := range vectors {
		for i, v := range x {
			x[i] = math.Ldexp(v, -exponent)
		}
	}
	return exponent
}

// settled reports whether the estimate has settled.
func (l *Lanczos) settled() bool {
	k := len(l.norms)
	return k > 2*l.Lag && l.norm-l.norms[k-1-l.Lag] <= l.Tolerance*l.norm
}
