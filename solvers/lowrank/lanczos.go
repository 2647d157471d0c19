package lowrank

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/gonum"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/sketch"
)

// lanczos estimates the norm of a symmetric matrix that is known by its
// products with vectors, without reorthogonalisation: copies of converged Ritz
// values appear, but the largest one is not disturbed (Paige 1980). Memory is
// two vectors.
type lanczos struct {
	v, previous []float64
	alpha, beta []float64
	norms       []float64 // estimate after each step
	norm        float64   // the last estimate

	// The estimate has settled when it changed by at most tolerance, relative to
	// it, over the last lag steps, and there were more than twice as many.
	lag       int
	tolerance float64
}

// newLanczos starts from a random vector.
func newLanczos(n int, random sketch.Stream) *lanczos {
	l := &lanczos{v: make([]float64, n), previous: make([]float64, n), lag: 5, tolerance: VerifyTolerance}
	for i := range l.v {
		d := random.At(uint64(i))
		l.v[i] = d.Normal()
	}
	scaleTo(l.v, dense.Norm(l.v))
	return l
}

// scaleTo divides x by its norm, unless that is 0.
func scaleTo(x []float64, norm float64) {
	if norm > 0 {
		blas64.Scal(1/norm, dense.Vector(x))
	}
}

// vector is what the matrix is to be multiplied with next.
func (l *lanczos) vector() []float64 { return l.v }

// step takes in w = A·vector(), which it overwrites, and says whether the
// estimate has settled.
func (l *lanczos) step(w []float64) (done bool, err error) {
	a := dense.Dot(w, l.v)
	dense.Axpy(-a, l.v, w)
	if k := len(l.beta); k > 0 {
		dense.Axpy(-l.beta[k-1], l.previous, w)
	}
	b := dense.Norm(w)
	if a-a != 0 || b-b != 0 {
		return false, fmt.Errorf("the kernel matrix is not finite on these rows")
	}
	scaleTo(w, b)
	l.previous, l.v = l.v, w
	l.alpha, l.beta = append(l.alpha, a), append(l.beta, b)
	if err := l.estimate(); err != nil {
		return false, err
	}
	return b <= 1e-14*l.norm || l.settled(), nil
}

// estimate finds the largest Ritz value in magnitude.
func (l *lanczos) estimate() error {
	k := len(l.alpha)
	values, beta := slices.Clone(l.alpha), slices.Clone(l.beta)
	if !(gonum.Implementation{}).Dsterf(k, values, beta) {
		return fmt.Errorf("lowrank: the eigenvalues of the Lanczos matrix did not converge")
	}
	l.norm = math.Max(math.Abs(values[0]), math.Abs(values[k-1]))
	l.norms = append(l.norms, l.norm)
	return nil
}

// settled says that the estimate hardly changes any more.
func (l *lanczos) settled() bool {
	k := len(l.norms)
	return k > 2*l.lag && l.norm-l.norms[k-1-l.lag] <= l.tolerance*l.norm
}
