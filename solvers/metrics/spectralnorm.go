package metrics

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

const (
	// normTolerance is the relative residual at which a norm is found: its own
	// relative error is of the order of the square.
	normTolerance = 1e-8
	// normSteps is the most Lanczos steps. Random sparse matrices take some tens.
	normSteps = 600
	// normEvery is the least number of steps between two looks at the estimate,
	// and a quarter of all steps so far is another bound, since a look costs
	// steps³ operations.
	normEvery = 8
)

// SpectralNorm is the largest singular value of a sparse matrix D, by the Lanczos
// process for DᵀD without reorthogonalisation (Paige 1980: copies of converged
// values appear, the largest is not disturbed), from a start vector that is always
// the same. It ends when the residual of the largest Ritz value is below 1e-8
// of it, or when the value has stopped moving to 1e-13 although its vector has
// not been found, as in a cluster of large singular values. Cost: about
// 4·NNZ flops a step, some tens of steps, and four vectors of memory.
func SpectralNorm(d *stream.CSR) (float64, error) {
	scale := 0.0 // entries of magnitude 1 at most neither overflow nor vanish
	for e := range d.Entries() {
		if e.Value-e.Value != 0 {
			return 0, fmt.Errorf("metrics: the entry in row %d, column %d is %v", e.Row, e.Col, e.Value)
		}
		scale = math.Max(scale, math.Abs(e.Value))
	}
	if scale == 0 {
		return 0, nil
	}
	l := newLanczos(d, scale)
	before, look := math.Inf(1), normEvery
	for step := 1; step <= normSteps; step++ {
		ended := l.step()
		if step < look && !ended {
			continue
		}
		look += max(normEvery, step/4)
		value, residual, err := l.largest()
		if err != nil {
			return 0, err
		}
		if ended || residual <= normTolerance*value || math.Abs(value-before) <= 1e-13*value {
			return scale * math.Sqrt(value), nil
		}
		before = value
	}
	return 0, fmt.Errorf("metrics: the spectral norm was not found in %d Lanczos steps", normSteps)
}

// lanczos is the three-term recurrence for (D/scale)ᵀ(D/scale).
type lanczos struct {
	d           *stream.CSR
	scale       float64
	v, previous []float64
	image       []float64 // D·v
	alpha, beta []float64
}

func newLanczos(d *stream.CSR, scale float64) *lanczos {
	l := &lanczos{d: d, scale: scale, v: make([]float64, d.Cols), previous: make([]float64, d.Cols), image: make([]float64, d.Rows)}
	random := sketch.NewStream(0, "spectral norm")
	for j := range l.v {
		draws := random.At(uint64(j))
		l.v[j] = draws.Normal()
	}
	blas64.Scal(1/dense.Norm(l.v), dense.Vector(l.v))
	return l
}

// step multiplies once more and says whether that has led nowhere new.
func (l *lanczos) step() (ended bool) {
	w := make([]float64, len(l.v))
	l.multiply(w)
	if k := len(l.beta); k > 0 {
		dense.Axpy(-l.beta[k-1], l.previous, w)
	}
	a := dense.Dot(w, l.v)
	dense.Axpy(-a, l.v, w)
	b := dense.Norm(w)
	l.alpha, l.beta = append(l.alpha, a), append(l.beta, b)
	if b <= 1e-15*slices.Max(l.alpha) {
		return true
	}
	blas64.Scal(1/b, dense.Vector(w))
	l.previous, l.v = l.v, w
	return false
}

// multiply adds DᵀD·v, scaled, to w.
func (l *lanczos) multiply(w []float64) {
	clear(l.image)
	for e := range l.d.Entries() {
		l.image[e.Row] += e.Value / l.scale * l.v[e.Col]
	}
	for e := range l.d.Entries() {
		w[e.Col] += e.Value / l.scale * l.image[e.Row]
	}
}

// largest is the largest Ritz value, and the norm of its residual.
func (l *lanczos) largest() (value, residual float64, err error) {
	k := len(l.alpha)
	t := mat.NewSymDense(k, nil)
	for i, a := range l.alpha {
		t.SetSym(i, i, a)
		if i > 0 {
			t.SetSym(i-1, i, l.beta[i-1])
		}
	}
	var f mat.EigenSym
	if !f.Factorize(t, true) {
		return 0, 0, fmt.Errorf("metrics: the eigenvalues of a tridiagonal matrix of %d rows were not found", k)
	}
	var vectors mat.Dense
	f.VectorsTo(&vectors)
	value = f.Values(nil)[k-1]
	return value, l.beta[k-1] * math.Abs(vectors.At(k-1, k-1)), nil
}
