// Package minres solves A·x = r for symmetric A, definite or not, and many right sides
// at once (Paige & Saunders 1975, "Solution of sparse indefinite systems of linear
// equations"), each by its own recursion, with a positive definite preconditioner.
//
// It begins anew from the true residuals when the recursions say that they are small
// enough, so that what is reported is measured.
//
// Right sides may have nothing in the null space of a singular A, so that the iteration
// does not see that it is singular: one more random right side, the probe, does.
package minres

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/stream"
)

// Solver is a system, and how well it is to be solved.
type Solver struct {
	// Multiply puts A·x into ax.
	Multiply func(ctx context.Context, x, ax blas64.General) error
	// Precondition puts P·x into px, for a positive definite P that is close to |A|⁻¹.
	Precondition func(x, px blas64.General)
	Tolerance    float64 // on ‖r − Ax‖/‖r‖ of every column
	Iterations   int     // at most
	// Probe says that the last column is random, and only asks whether A is singular.
	Probe bool
}

// Solution is what came out.
type Solution struct {
	X          blas64.General // a column for each right side, the probe's among them
	Residuals  []float64      // ‖r − Ax‖/‖r‖ of each column but the probe
	Residual   float64        // the largest of them
	Iterations int
	Condition  float64 // of A preconditioned, as far as the recursions have seen
	Singular   bool    // the probe has something in the null space
	Regular    bool    // it has nothing there

	largest float64 // ‖A‖ preconditioned, as far as the recursions have seen
}

// rounds is how often the iteration begins anew at most.
const rounds = 8

// Solve returns the solutions for all columns of r, begun from x = 0. Cost: for each
// iteration a product and the preconditioner, and about 20 flops for each number of r;
// memory for ten times the numbers of r.
func (m Solver) Solve(ctx context.Context, r blas64.General) (*Solution, error) {
	run := &Solution{X: stream.NewMatrix(r.Rows, r.Cols), Condition: 1}
	norms := columnNorms(r)
	left := dense.Clone(r)
	before := math.Inf(1)
	for range rounds {
		if err := m.round(ctx, run, left, m.reductions(columnNorms(left), norms)); err != nil || run.Singular {
			return run, err
		}
		if err := m.Multiply(ctx, run.X, left); err != nil {
			return run, err
		}
		for i := range left.Rows {
			row := dense.Row(left, i)
			for c, v := range dense.Row(r, i) {
				row[c] = v - row[c]
			}
		}
		lengths := columnNorms(left)
		run.Residuals, run.Residual = ratios(lengths[:m.asked(r)], norms)
		solved := run.Residual <= m.Tolerance || !(run.Residual <= before/2)
		run.Regular = m.knows(lengths, norms)
		if solved && run.Regular || run.Iterations >= m.Iterations || math.IsNaN(run.Residual) {
			break
		}
		before = run.Residual
	}
	return run, nil
}

// asked returns how many columns are to be solved.
func (m Solver) asked(r blas64.General) int {
	if m.Probe {
		return r.Cols - 1
	}
	return r.Cols
}

// knows reports whether the probe found nothing in the null space, if there is one.
func (m Solver) knows(left, all []float64) bool {
	last := len(all) - 1
	return !m.Probe || left[last] <= probeDone*all[last]
}

// reductions returns the factors by which residuals have to fall.
func (m Solver) reductions(left, all []float64) []float64 {
	goals := make([]float64, len(all))
	for c, v := range left {
		tolerance := m.Tolerance
		if m.Probe && c == len(all)-1 {
			tolerance = probeDone
		}
		goals[c] = 1
		if v > tolerance*all[c] {
			goals[c] = tolerance * all[c] / v
		}
	}
	return goals
}

// ratios returns the relative residuals and the largest of them: NaN if one is NaN.
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

// round adds to the solution what solves A·dx = r approximately.
func (m Solver) round(ctx context.Context, run *Solution, r blas64.General, reduction []float64) error {
	s := newRecursions(m, r)
	for c, by := range reduction {
		if s.cols[c].goal = by / 4 * s.cols[c].first; by == 1 {
			s.cols[c].stop()
		}
	}
	for first := true; run.Iterations < m.Iterations && s.going(); first = false {
		run.Iterations++
		if err := s.lanczos(ctx, first); err != nil {
			return err
		}
		s.improve(run.X)
		if m.judge(run, s.cols); run.Singular {
			return nil
		}
	}
	return nil
}

// recursions are those of all columns, in step.
type recursions struct {
	Solver
	cols       []column
	older, old blas64.General // β·v of the last steps, before the preconditioner
	y, v, room blas64.General
	w, w1, w2  blas64.General
}

// column is the recursion of one right side: scalars as Paige and Saunders name them.
type column struct {
	alpha, beta, oldBeta float64
	first, goal          float64 // β₁: ‖r‖ in the norm of the preconditioner, and what it shall be
	dbar, epsilon        float64
	cos, sin             float64
	phi                  float64 // what is left of the residual
	root, rootFirst      float64 // ‖A·r‖/‖r‖ before this step, and before the first one
	gamma, delta, old    float64 // of the triangular factor: diagonal, and above it
	step                 float64 // of x along w
	largest, least       float64 // γ so far
	stopped              bool
}

func newRecursions(m Solver, r blas64.General) *recursions {
	fresh := func() blas64.General { return stream.NewMatrix(r.Rows, r.Cols) }
	s := &recursions{Solver: m, cols: make([]column, r.Cols), older: fresh(), old: dense.Clone(r), y: fresh(), v: fresh(), room: fresh(),
		w: fresh(), w1: fresh(), w2: fresh()}
	m.Precondition(s.old, s.y)
	for c, d := range products(s.old, s.y) {
		beta := math.Sqrt(max(0, d))
		s.cols[c] = column{beta: beta, oldBeta: 1, first: beta, phi: beta, cos: -1, least: math.Inf(1), stopped: beta == 0}
	}
	return s
}

// going reports whether a column has not stopped.
func (s *recursions) going() bool {
	for i := range s.cols {
		if !s.cols[i].stopped {
			return true
		}
	}
	return false
}

// stop ends a recursion: its vectors become 0.
func (c *column) stop() { c.stopped = true }

// unless returns v, or 0 for a column that has stopped.
func (c *column) unless(v float64) float64 {
	if c.stopped {
		return 0
	}
	return v
}

// lanczos goes on with the vectors, one product with A for all columns.
func (s *recursions) lanczos(ctx context.Context, first bool) error {
	dense.Clear(s.v)
	s.add(s.v, s.y, func(c *column) float64 { return c.unless(1 / c.beta) })
	if err := s.Multiply(ctx, s.v, s.room); err != nil {
		return err
	}
	if !first {
		s.add(s.room, s.older, func(c *column) float64 { return c.unless(-c.beta / c.oldBeta) })
	}
	for i, alpha := range products(s.v, s.room) {
		s.cols[i].alpha = alpha
	}
	s.add(s.room, s.old, func(c *column) float64 { return c.unless(-c.alpha / c.beta) })
	s.older, s.old, s.room = s.old, s.room, s.older
	s.Precondition(s.old, s.y)
	for i, d := range products(s.old, s.y) {
		s.cols[i].rotate(math.Sqrt(max(0, d)))
	}
	return nil
}

// rotate goes on with the QR factorisation of the tridiagonal matrix.
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
	if c.root = math.Hypot(gbar, c.dbar); c.largest == 0 {
		c.rootFirst = c.root
	}
	c.gamma = math.Hypot(gbar, beta)
	c.largest, c.least = max(c.largest, c.gamma), min(c.least, c.gamma)
	if c.gamma <= 1e-15*c.largest { // no step makes the residual smaller
		c.stop()
		return
	}
	c.cos, c.sin = gbar/c.gamma, beta/c.gamma
	c.step = c.cos * c.phi
	c.phi *= c.sin
}

// improve makes a step of each column along w = (v − ε·w₁ − δ·w₂)/γ.
func (s *recursions) improve(x blas64.General) {
	s.w1, s.w2, s.w = s.w2, s.w, s.w1
	dense.Clear(s.w)
	s.add(s.w, s.v, func(c *column) float64 { return c.unless(1 / c.gamma) })
	s.add(s.w, s.w1, func(c *column) float64 { return c.unless(-c.old / c.gamma) })
	s.add(s.w, s.w2, func(c *column) float64 { return c.unless(-c.delta / c.gamma) })
	s.add(x, s.w, func(c *column) float64 { return c.unless(c.step) })
	for i := range s.cols {
		if c := &s.cols[i]; c.beta <= 1e-15*c.largest { // the space is exhausted
			c.stop()
		}
	}
}

// add adds to each column of dst one of src times its weight.
func (s *recursions) add(dst, src blas64.General, weight func(*column) float64) {
	weights := make([]float64, len(s.cols))
	for i := range weights {
		weights[i] = weight(&s.cols[i])
	}
	for i := range dst.Rows {
		row := dense.Row(dst, i)
		for c, v := range dense.Row(src, i) {
			if w := weights[c]; w != 0 {
				row[c] += w * v
			}
		}
	}
}

// products returns the inner products of columns.
func products(a, b blas64.General) []float64 {
	sums := make([]float64, a.Cols)
	for i := range a.Rows {
		y := dense.Row(b, i)
		for c, v := range dense.Row(a, i) {
			sums[c] += v * y[c]
		}
	}
	return sums
}

const (
	// nullRatio is how small ‖A·r‖ is against ‖A‖·‖r‖ where the residual of the probe
	// counts as a vector of the null space: more digits are lost on the way.
	nullRatio = 1e-7
	// nullBegin is where all begin anew from their true residuals, and nullStep by how
	// much that ratio falls from then on until they do again: further on the probe finds its
	// first vectors again, in rounding.
	nullBegin = 1e-4
	nullStep  = 1e-2
	// probeDone is what is left of a probe that has nothing in the null space.
	probeDone = 1e-5
)

// judge stops columns whose residuals are small, and asks the probe.
func (m Solver) judge(run *Solution, cols []column) {
	for i := range cols {
		c := &cols[i]
		run.largest = max(run.largest, c.largest)
		if c.largest > 0 {
			run.Condition = max(run.Condition, run.largest/c.least)
		}
		if c.phi <= c.goal {
			c.stop()
		}
	}
	if !m.Probe {
		return
	}
	p := &cols[len(cols)-1]
	switch {
	case p.largest == 0: // has not begun
	case p.root <= nullRatio*run.largest && p.phi > p.goal:
		run.Singular = true
		run.Condition = max(run.Condition, run.largest/max(p.root, 1e-300))
	case p.root <= min(nullBegin*run.largest, nullStep*p.rootFirst) && !p.stopped:
		for i := range cols { // if A is singular, others only grow
			cols[i].stop()
		}
	}
}

// columnNorms returns the lengths of the columns.
func columnNorms(m blas64.General) []float64 {
	v := make([]float64, m.Cols)
	for c := range v {
		v[c] = dense.Norm(dense.MulVector(blas.NoTrans, dense.Columns(m, c, 1), []float64{1}))
	}
	return v
}
