package logistic

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/symeig"
	"github.com/nystream/nystream/stream"
)

// Why there is no minimum. Errors of [Solver.Fit] wrap them.
var (
	ErrOneClass  = errors.New("all rows are of one class: the bias has no finite value")
	ErrSeparable = errors.New("the features separate the classes: without a penalty the weights have no finite values; give a penalty")
)

// Solver says how a regression is fitted.
type Solver struct {
	Penalty float64 // λ ≥ 0
	// Smoothed takes each row for positive with the probability (P+1)/(P+2) if it is, and
	// 1/(N+2) if not, where P and N are how many rows are positive and negative.
	Smoothed   bool
	Iterations int // at most; 0 means 200
	// Tolerance is how much the next step may change the log-odds of any row for the
	// iteration to end; 0 means 1e-9.
	Tolerance float64
}

// Fit learns from the rows of x (n×d) which are positive. Features that say nothing
// besides others get the weights of least norm.
//
// Cost: n·d² flops and an eigendecomposition of d×d for each iteration, of which there
// are about 10; memory of a copy of x.
func (s Solver) Fit(x blas64.General, positive []bool) (*Model, error) {
	s, err := s.settings(x, positive)
	if err != nil {
		return nil, err
	}
	r := newRegression(s, x, positive)
	for range s.Iterations {
		change, err := r.step()
		if err != nil {
			return nil, err
		}
		if change <= s.Tolerance {
			return r.model(), nil
		}
	}
	if s.unbounded() {
		return nil, fmt.Errorf("logistic: after %d iterations the weights still grow: %w", s.Iterations, ErrSeparable)
	}
	return nil, fmt.Errorf("logistic: not converged after %d iterations at penalty %v: scale the features", s.Iterations, s.Penalty)
}

// unbounded reports whether the weights of classes that are separable grow for ever.
func (s Solver) unbounded() bool { return s.Penalty == 0 && !s.Smoothed }

func (s Solver) settings(x blas64.General, positive []bool) (Solver, error) {
	if x.Rows != len(positive) {
		panic(fmt.Sprintf("logistic: %d rows and %d labels", x.Rows, len(positive)))
	}
	if s.Iterations == 0 {
		s.Iterations = 200
	}
	if s.Tolerance == 0 {
		s.Tolerance = 1e-9
	}
	switch {
	case !(s.Penalty >= 0 && s.Penalty <= math.MaxFloat64):
		return s, fmt.Errorf("logistic: penalty %v must be finite and not negative", s.Penalty)
	case s.Iterations < 1 || !(s.Tolerance > 0):
		return s, fmt.Errorf("logistic: iterations %d must be at least 1, and tolerance %v positive", s.Iterations, s.Tolerance)
	case x.Rows == 0:
		return s, errors.New("logistic: no rows to learn from")
	}
	if i, j, found := dense.NotFinite(x); found {
		return s, fmt.Errorf("logistic: feature %d of row %d is %v, not a finite number", j, i, x.Data[i*x.Stride+j])
	}
	count := 0
	for _, p := range positive {
		if p {
			count++
		}
	}
	if count == 0 || count == x.Rows {
		return s, fmt.Errorf("logistic: %d of %d rows are positive: %w", count, x.Rows, ErrOneClass)
	}
	return s, nil
}

// regression is a fit under way. Features are divided by their largest magnitude, so
// that no scale of a column is lost against another; the penalty takes account of it.
type regression struct {
	Solver
	rows    blas64.General // features, scaled, and 1
	scale   []float64
	penalty []float64 // of each scaled weight, and 0 for the bias
	sign    []float64
	doubt   []float64 // the probability that a row is of the other class
	weights []float64 // scaled; the bias is last
	odds    []float64 // log-odds of each row
	loss    float64
	made    int // iterations
}

func newRegression(s Solver, x blas64.General, positive []bool) *regression {
	d := x.Cols
	r := &regression{Solver: s, rows: stream.NewMatrix(x.Rows, d+1), scale: make([]float64, d),
		penalty: make([]float64, d+1), sign: make([]float64, x.Rows), doubt: make([]float64, x.Rows), weights: make([]float64, d+1), odds: make([]float64, x.Rows)}
	for j := range d {
		r.scale[j] = dense.MaxAbs(dense.Columns(x, j, 1))
		if r.scale[j] == 0 {
			r.scale[j] = 1
		}
		r.penalty[j] = s.Penalty / r.scale[j] / r.scale[j]
	}
	doubt := s.doubts(positive)
	for i := range x.Rows {
		row := dense.Row(r.rows, i)
		for j, v := range dense.Row(x, i) {
			row[j] = v / r.scale[j]
		}
		row[d] = 1
		r.sign[i], r.doubt[i] = -1, doubt[0]
		if positive[i] {
			r.sign[i], r.doubt[i] = 1, doubt[1]
		}
	}
	r.loss = r.lossAt(r.odds, r.weights)
	return r
}

// doubts returns the probability that a negative row is positive, and a positive one
// negative.
func (s Solver) doubts(positive []bool) (of [2]float64) {
	if !s.Smoothed {
		return of
	}
	var count [2]float64
	for _, p := range positive {
		if p {
			count[1]++
		} else {
			count[0]++
		}
	}
	return [2]float64{1 / (count[0] + 2), 1 / (count[1] + 2)}
}

// lossAt returns the objective at weights with these log-odds.
func (r *regression) lossAt(odds, weights []float64) float64 {
	sum := 0.0
	for i, t := range odds {
		t *= r.sign[i]
		sum += (1-r.doubt[i])*softplus(-t) + r.doubt[i]*softplus(t)
	}
	for j, w := range weights {
		sum += r.penalty[j] / 2 * w * w
	}
	return sum
}

// derivatives returns the gradient and the Hessian.
func (r *regression) derivatives() (gradient []float64, hessian blas64.General) {
	d := len(r.weights)
	gradient = make([]float64, d)
	hessian = stream.NewMatrix(d, d)
	for i, t := range r.odds {
		row := dense.Row(r.rows, i)
		rises, falls := sigmoid(r.sign[i]*t), sigmoid(-r.sign[i]*t)
		dense.Axpy(r.sign[i]*(r.doubt[i]*rises-(1-r.doubt[i])*falls), row, gradient)
		curvature := sigmoid(t) * sigmoid(-t)
		for j, v := range row {
			dense.Axpy(curvature*v, row, dense.Row(hessian, j))
		}
	}
	for j, w := range r.weights {
		gradient[j] += r.penalty[j] * w
		hessian.Data[j*d+j] += r.penalty[j]
	}
	return gradient, hessian
}

// nothing is where eigenvalues of the Hessian are cut off, relative to the largest.
const nothing = 1e-14

// vanished is a Hessian without a penalty that is as good as zero: every row is
// classified with a probability of 1 to 10 digits or more.
const vanished = 1e-10

// step makes a Newton step, halved until the loss falls as it should, and says how
// much the full step changes the log-odds at most. Where the classes are separable that
// does not become small: the log-odds grow by about 1 in each step.
func (r *regression) step() (change float64, err error) {
	gradient, hessian := r.derivatives()
	values, vectors, err := symeig.Decompose(hessian)
	if err != nil {
		return 0, fmt.Errorf("logistic: %w: scale the features", err)
	}
	if r.unbounded() && values[0] < vanished && r.separates() {
		return 0, fmt.Errorf("logistic: %w", ErrSeparable)
	}
	along := dense.MulVector(blas.Trans, vectors, gradient)
	for j, v := range values {
		if v <= nothing*values[0] {
			if r.unbounded() && r.seen(vectors, j) {
				return 0, fmt.Errorf("logistic: %w", ErrSeparable)
			}
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
	odds, weights := make([]float64, len(r.odds)), make([]float64, len(r.weights))
	for length := 1.0; length > 1e-12; length /= 2 {
		copy(odds, r.odds)
		copy(weights, r.weights)
		dense.Axpy(length, shift, odds)
		dense.Axpy(length, direction, weights)
		loss := r.lossAt(odds, weights)
		if loss <= r.loss+1e-4*length*slope+1e-14*math.Abs(r.loss) {
			r.odds, r.weights, r.loss = odds, weights, loss
			break
		}
	}
	r.made++
	return change, nil
}

// seen reports whether the rows, not weighted, have something in a direction: that it has
// left the Hessian since all rows that have something in it are classified for sure.
func (r *regression) seen(vectors blas64.General, j int) bool {
	most := 0.0
	for _, v := range dense.MulVector(blas.NoTrans, r.rows, dense.MulVector(blas.NoTrans, dense.Columns(vectors, j, 1), []float64{1})) {
		most = max(most, math.Abs(v))
	}
	return most > 1e-6
}

// separates reports whether the weights classify all rows.
func (r *regression) separates() bool {
	for i, t := range r.odds {
		if !(r.sign[i]*t > 0) {
			return false
		}
	}
	return true
}

// model returns the fit in the features as they were given.
func (r *regression) model() *Model {
	gradient, _ := r.derivatives()
	d := len(r.scale)
	m := &Model{Weights: make([]float64, d), Bias: r.weights[d], Loss: r.loss, Gradient: math.Abs(gradient[d]), Iterations: r.made}
	for j, s := range r.scale {
		m.Weights[j] = r.weights[j] / s
		m.Gradient = max(m.Gradient, math.Abs(gradient[j])*s)
	}
	return m
}
