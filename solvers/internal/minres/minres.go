// Package minres solves A·x = r for symmetric A, definite or not, by preconditioned MINRES (Paige & Saunders 1975,
// "Solution of sparse indefinite systems of linear equations"). It solves for many right sides at once: each has its
// own recursion, and all share the products with A.
//
// Once the recursions meet the tolerance, the iteration restarts from the true residuals. Reported residuals are
// therefore measured.
package minres

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
)

// Solver solves systems with one matrix.
type Solver struct {
	// Multiply stores A·x in ax.
	Multiply func(ctx context.Context, x, ax blas64.General) error
	// Precondition stores P·x in px, for a positive definite P close to |A|⁻¹.
	Precondition func(x, px blas64.General)
	Tolerance    float64 // for ‖r − Ax‖/‖r‖ of every column
	Iterations   int     // limit
}

// Solution is the result of Solve.
type Solution struct {
	X          blas64.General // one column for each right side
	Residuals  []float64      // ‖r − Ax‖/‖r‖ of each column
	Residual   float64        // the largest of Residuals
	Iterations int
	Condition  float64 // of the preconditioned A, a lower bound from the recursions

	largest float64 // ‖A‖ after preconditioning, a lower bound from the recursions
}

// maxRestarts is the largest number of restarts.
const maxRestarts = 8

// Solve solves for all columns of r (n×k), starting from x = 0. If it reaches the limit, it returns the last iterate.
// Cost of an iteration: one product, the preconditioner, and about 20·n·k flops; memory for 10·n·k numbers.
func (m Solver) Solve(ctx context.Context, r blas64.General) (*Solution, error) {
	run := &Solution{X: matrix.New(r.Rows, r.Cols), Condition: 1}
	norms, left, before := dense.ColumnNorms(r), matrix.Clone(r), math.Inf(1)
	for range maxRestarts {
		if err := m.round(ctx, run, left, norms); err != nil {
			return run, err
		}
		if err := m.Multiply(ctx, run.X, left); err != nil {
			return run, err
		}
		for i := range left.Rows {
			row := matrix.Row(left, i)
			for c, v := range matrix.Row(r, i) {
				row[c] = v - row[c]
			}
		}
		run.Residuals, run.Residual = ratios(dense.ColumnNorms(left), norms)
		if run.Residual <= m.Tolerance || !(run.Residual <= before/2) || run.Iterations >= m.Iterations {
			break
		}
		before = run.Residual
	}
	return run, nil
}

// ratios returns the relative residuals, and the largest of them: NaN if any is NaN.
func ratios(left, all []float64) (each []float64, worst float64) {
	each = make([]float64, len(left))
	for c, v := range left {
		if all[c] > 0 {
			v /= all[c]
		} else if v == v {
			v = 0
		}
		each[c] = v
		if !(v <= worst) && worst == worst {
			worst = v
		}
	}
	return each, worst
}

// round adds an approximate solution of A·dx = r to run. norms are those of the right sides.
func (m Solver) round(ctx context.Context, run *Solution, r blas64.General, norms []float64) error {
	s := newRecursions(m, r)
	for i, v := range dense.ColumnNorms(r) {
		c := &s.cols[i]
		if c.stopped = c.stopped || v <= m.Tolerance*norms[i]; !c.stopped {
			c.goal = m.Tolerance * norms[i] / v / 4 * c.first
		}
	}
	for first := true; run.Iterations < m.Iterations && s.going(); first = false {
		run.Iterations++
		if err := s.lanczos(ctx, first); err != nil {
			return err
		}
		s.improve(run.X)
		for i := range s.cols {
			s.cols[i].judge(run)
		}
	}
	return nil
}

// recursions runs the recursions of all columns in step.
type recursions struct {
	Solver
	cols          []column
	older, old    blas64.General // β·v of the last two steps, before preconditioning
	y, v, scratch blas64.General
	w, w1, w2     blas64.General
}

// column is the recursion of one right side, with the names of Paige and Saunders.
type column struct {
	alpha, beta, oldBeta float64
	first, goal          float64 // β₁, ‖r‖ in the norm of the preconditioner, and its target
	dbar, epsilon        float64
	cos, sin             float64
	phi                  float64 // norm of the residual
	root                 float64 // ‖A·r‖/‖r‖ before this step
	gamma, delta, old    float64 // of the triangular factor: diagonal and superdiagonals
	step                 float64 // of x along w
	largest, least       float64 // γ so far
	stopped              bool    // its vectors are 0
}

// newRecursions starts a recursion for each column of r. Zero columns stop at once.
func newRecursions(m Solver, r blas64.General) *recursions {
	fresh := func() blas64.General { return matrix.New(r.Rows, r.Cols) }
	s := &recursions{Solver: m, cols: make([]column, r.Cols), older: fresh(), old: matrix.Clone(r), y: fresh(), v: fresh(), scratch: fresh(),
		w: fresh(), w1: fresh(), w2: fresh()}
	m.Precondition(s.old, s.y)
	for c, d := range products(s.old, s.y) {
		beta := math.Sqrt(max(0, d))
		s.cols[c] = column{beta: beta, oldBeta: 1, first: beta, phi: beta, cos: -1, least: math.Inf(1), stopped: beta == 0}
	}
	return s
}

// going reports whether some column has not stopped.
func (s *recursions) going() bool {
	for i := range s.cols {
		if !s.cols[i].stopped {
			return true
		}
	}
	return false
}

// unless returns v, or 0 for a column that has stopped.
func (c *column) unless(v float64) float64 {
	if c.stopped {
		return 0
	}
	return v
}

// lanczos makes the next Lanczos vectors, by one product with A for all columns.
func (s *recursions) lanczos(ctx context.Context, first bool) error {
	matrix.Clear(s.v)
	s.add(s.v, s.y, func(c *column) float64 { return c.unless(1 / c.beta) })
	if err := s.Multiply(ctx, s.v, s.scratch); err != nil {
		return err
	}
	if !first {
		s.add(s.scratch, s.older, func(c *column) float64 { return c.unless(-c.beta / c.oldBeta) })
	}
	for i, alpha := range products(s.v, s.scratch) {
		s.cols[i].alpha = alpha
	}
	s.add(s.scratch, s.old, func(c *column) float64 { return c.unless(-c.alpha / c.beta) })
	s.older, s.old, s.scratch = s.old, s.scratch, s.older
	s.Precondition(s.old, s.y)
	for i, d := range products(s.old, s.y) {
		s.cols[i].rotate(math.Sqrt(max(0, d)))
	}
	return nil
}

// rotate updates the QR factorisation of the tridiagonal matrix.
func (c *column) rotate(beta float64) {
	if c.stopped {
		return
	}
	c.oldBeta, c.beta = c.beta, beta
	c.old = c.epsilon
	c.delta = c.cos*c.dbar + c.sin*c.alpha
	gbar := c.sin*c.dbar - c.cos*c.alpha
	c.epsilon = c.sin * beta
	c.dbar = -c.cos * beta
	c.root = math.Hypot(gbar, c.dbar)
	c.gamma = math.Hypot(gbar, beta)
	c.largest, c.least = max(c.largest, c.gamma), min(c.least, c.gamma)
	if c.gamma <= 1e-15*c.largest { // no step reduces the residual
		c.stopped = true
		return
	}
	c.cos, c.sin = gbar/c.gamma, beta/c.gamma
	c.step = c.cos * c.phi
	c.phi *= c.sin
}

// improve makes a step of each column along w = (v − ε·w₁ − δ·w₂)/γ.
func (s *recursions) improve(x blas64.General) {
	s.w1, s.w2, s.w = s.w2, s.w, s.w1
	matrix.Clear(s.w)
	s.add(s.w, s.v, func(c *column) float64 { return c.unless(1 / c.gamma) })
	s.add(s.w, s.w1, func(c *column) float64 { return c.unless(-c.old / c.gamma) })
	s.add(s.w, s.w2, func(c *column) float64 { return c.unless(-c.delta / c.gamma) })
	s.add(x, s.w, func(c *column) float64 { return c.unless(c.step) })
	for i := range s.cols {
		if c := &s.cols[i]; c.beta <= 1e-15*c.largest { // the Krylov space is exhausted
			c.stopped = true
		}
	}
}

// add adds the weighted columns of src to those of dst.
func (s *recursions) add(dst, src blas64.General, weight func(*column) float64) {
	weights := make([]float64, len(s.cols))
	for i := range weights {
		weights[i] = weight(&s.cols[i])
	}
	for i := range dst.Rows {
		row := matrix.Row(dst, i)
		for c, v := range matrix.Row(src, i) {
			if w := weights[c]; w != 0 {
				row[c] += w * v
			}
		}
	}
}

// products returns the inner product of each pair of columns.
func products(a, b blas64.General) []float64 {
	sums := make([]float64, a.Cols)
	for i := range a.Rows {
		y := matrix.Row(b, i)
		for c, v := range matrix.Row(a, i) {
			sums[c] += v * y[c]
		}
	}
	return sums
}

// leastSquares is the ratio ‖A·r‖/(‖A‖·‖r‖) below which no step reduces the residual r: A is singular, and r is in its
// null space.
const leastSquares = 1e-7

// judge stops a column whose residual meets the tolerance or cannot be reduced further.
func (c *column) judge(run *Solution) {
	run.largest = max(run.largest, c.largest)
	if c.largest > 0 {
		run.Condition = max(run.Condition, run.largest/c.least)
	}
	if c.phi <= c.goal || c.root <= leastSquares*run.largest {
		c.stopped = true
	}
}
