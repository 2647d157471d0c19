package lowrank

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
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
}

// newLanczos starts from a random vector.
func newLanczos(n int, random sketch.Stream) *lanczos {
	l := &lanczos{v: make([]float64, n), previous: make([]float64, n)}
	for i := range l.v {
		d := random.At(uint64(i))
		l.v[i] = d.Normal()
	}
	scaleTo(l.v, norm2(l.v))
	return l
}

func norm2(x []float64) float64 { return blas64.Nrm2(vector(x)) }

// scaleTo divides x by its norm, unless that is 0.
func scaleTo(x []float64, norm float64) {
	if norm > 0 {
		blas64.Scal(1/norm, vector(x))
	}
}

// vector is what the matrix is to be multiplied with next.
func (l *lanczos) vector() []float64 { return l.v }

// step takes in w = A·vector(), which it overwrites, and says whether the
// estimate has settled.
func (l *lanczos) step(w []float64) (done bool, err error) {
	a := dot(w, l.v)
	axpy(-a, l.v, w)
	if k := len(l.beta); k > 0 {
		axpy(-l.beta[k-1], l.previous, w)
	}
	b := norm2(w)
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
	t := stream.NewMatrix(k, k)
	for i := range k {
		t.Data[i*k+i] = l.alpha[i]
		if i+1 < k {
			t.Data[i*k+i+1], t.Data[(i+1)*k+i] = l.beta[i], l.beta[i]
		}
	}
	eig, err := newEigen("the Lanczos matrix", t)
	if err != nil {
		return err
	}
	l.norm = math.Max(math.Abs(eig.Values[0]), math.Abs(eig.Values[k-1]))
	l.norms = append(l.norms, l.norm)
	return nil
}

// settled says that the estimate changed by less than the tolerance over the
// last five steps.
func (l *lanczos) settled() bool {
	k := len(l.norms)
	return k > 10 && l.norm-l.norms[k-6] <= VerifyTolerance*l.norm
}
