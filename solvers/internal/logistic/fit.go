package logistic

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/symeig"
	"github.com/nystream/nystream/internal/matrix"
)

// ErrOneClass reports that all rows are of one class. Errors of [Fit] may wrap it.
var ErrOneClass = errors.New("all rows are of one class: the bias has no finite value")

// Model is a fitted regression: the log-odds of a row x are Weights·x + Bias.
type Model struct {
	Weights []float64
	Bias    float64
}

const (
	iterations = 200  // limit
	tolerance  = 1e-9 // largest change of a row's log-odds in the last step
	// cutoff is the smallest eigenvalue of the Hessian used in a step, relative to the largest.
	cutoff = 1e-14
)

// Fit fits the probability of positive to the rows of x (n×d). For linearly dependent features it returns the weights
// of least norm. It fails if all rows are of one class, or a feature is not finite. It panics if x and positive differ
// in length.
//
// Cost: n·d² flops and an eigendecomposition of a d×d matrix in each of about 10 iterations; memory of a copy of x.
func Fit(x blas64.General, positive []bool) (*Model, error) {
	if x.Rows != len(positive) {
		panic(fmt.Sprintf("logistic: %d rows and %d labels", x.Rows, len(positive)))
	}
	if i, j, found := dense.NotFinite(x); found {
		return nil, fmt.Errorf("feature %d of row %d is %v, not a finite number", j, i, x.Data[i*x.Stride+j])
	}
	count := 0
	for _, p := range positive {
		if p {
			count++
		}
	}
	if count == 0 || count == x.Rows {
		return nil, fmt.Errorf("%d of %d rows are positive: %w", count, x.Rows, ErrOneClass)
	}
	r := newRegression(x, positive, count)
	for range iterations {
		change, err := r.step()
		if err != nil {
			return nil, err
		}
		if change <= tolerance {
			return r.model(), nil
		}
	}
	return nil, fmt.Errorf("not converged after %d iterations: scale the features", iterations)
}

// regression is a fit in progress. Each feature is divided by its largest magnitude, so
// that features of different scales are comparable.
type regression struct {
	rows    blas64.General // scaled features, and 1
	scale   []float64      // of each feature
	sign    []float64      // 1 for positive rows, −1 for negative ones
	doubt   []float64      // smoothed probability of the other class
	weights []float64      // of scaled features, followed by the bias
	odds    []float64      // log-odds of each row
	loss    float64
}

func newRegression(x blas64.General, positive []bool, count int) *regression {
	n, d := x.Rows, x.Cols
	r := &regression{rows: matrix.New(n, d+1), scale: make([]float64, d), sign: make([]float64, n),
		doubt: make([]float64, n), weights: make([]float64, d+1), odds: make([]float64, n)}
	for j := range d {
		r.scale[j] = dense.MaxAbs(matrix.Columns(x, j, 1))
		if r.scale[j] == 0 {
			r.scale[j] = 1
		}
	}
	for i := range n {
		row := matrix.Row(r.rows, i)
		for j, v := range matrix.Row(x, i) {
			row[j] = v / r.scale[j]
		}
		row[d] = 1
		r.sign[i], r.doubt[i] = -1, 1/(float64(n-count)+2)
		if positive[i] {
			r.sign[i], r.doubt[i] = 1, 1/(float64(count)+2)
		}
	}
	r.loss = r.lossAt(r.odds)
	return r
}

// lossAt returns the objective for the given log-odds of the rows.
func (r *regression) lossAt(odds []float64) float64 {
	sum := 0.0
	for i, t := range odds {
		t *= r.sign[i]
		sum += (1-r.doubt[i])*softplus(-t) + r.doubt[i]*softplus(t)
	}
	return sum
}

// derivatives returns the gradient and the Hessian.
func (r *regression) derivatives() (gradient []float64, hessian blas64.General) {
	d := len(r.weights)
	gradient = make([]float64, d)
	hessian = matrix.New(d, d)
	for i, t := range r.odds {
		row := matrix.Row(r.rows, i)
		rises, falls := sigmoid(r.sign[i]*t), sigmoid(-r.sign[i]*t)
		matrix.Axpy(r.sign[i]*(r.doubt[i]*rises-(1-r.doubt[i])*falls), row, gradient)
		curvature := sigmoid(t) * sigmoid(-t)
		for j, v := range row {
			matrix.Axpy(curvature*v, row, matrix.Row(hessian, j))
		}
	}
	return gradient, hessian
}

// step makes a Newton step, halved until the loss decreases sufficiently. It returns the largest change of a row's
// log-odds under the full step.
func (r *regression) step() (change float64, err error) {
	gradient, hessian := r.derivatives()
	values, vectors, err := symeig.Decompose(hessian)
	if err != nil {
		return 0, fmt.Errorf("%w: scale the features", err)
	}
	along := dense.MulVector(blas.Trans, vectors, gradient)
	for j, v := range values {
		if v <= cutoff*values[0] {
			along[j] = 0
			continue
		}
		along[j] /= -v
	}
	direction := dense.MulVector(blas.NoTrans, vectors, along)
	shift := dense.MulVector(blas.NoTrans, r.rows, direction)
	for _, v := range shift {
		change = max(change, math.Abs(v))
	}
	slope := dense.Dot(gradient, direction)
	odds := make([]float64, len(r.odds))
	for length := 1.0; length > 1e-12; length /= 2 {
		copy(odds, r.odds)
		matrix.Axpy(length, shift, odds)
		loss := r.lossAt(odds)
		if loss <= r.loss+1e-4*length*slope+1e-14*math.Abs(r.loss) {
			matrix.Axpy(length, direction, r.weights)
			r.odds, r.loss = odds, loss
			break
		}
	}
	return change, nil
}

// model returns the regression in units of the original features.
func (r *regression) model() *Model {
	d := len(r.scale)
	m := &Model{Weights: make([]float64, d), Bias: r.weights[d]}
	for j, s := range r.scale {
		m.Weights[j] = r.weights[j] / s
	}
	return m
}

// sigmoid returns 1/(1+exp(−t)), without overflow.
func sigmoid(t float64) float64 {
	if t < 0 {
		e := math.Exp(t)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(-t))
}

// softplus returns log(1+exp(t)), without overflow.
func softplus(t float64) float64 { return max(t, 0) + math.Log1p(math.Exp(-math.Abs(t))) }
