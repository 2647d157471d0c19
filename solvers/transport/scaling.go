package transport

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
)

// ε-scaling solves the problem for a decreasing sequence of ε, each stage starting from the potentials of the previous
// one (Kosowsky & Yuille 1994, "The invisible hand algorithm: solving the assignment problem with statistical physics";
// Schmitzer 2019, "Stabilized sparse scaling algorithms for entropy regularized transport problems", Section 3.2; Peyré
// & Cuturi 2019, "Computational optimal transport", Section 4.1). The potentials ε·log(u/a) depend little on ε. A
// Sinkhorn iteration changes a potential by about ε, so without stages about range(C)/ε iterations would be needed.

const (
	// stageFactor is the ratio of ε in consecutive stages.
	stageFactor = 4
	// stageTol is the marginal error that ends every stage but the last.
	stageTol = 1e-2
)

// stages are the remaining stages, with ε above the target.
type stages struct {
	epsilon    []float64 // descending; the first one is current
	limit      int       // largest number of iterations of a stage
	iterations int       // number of iterations in the current stage
}

// newStages returns stages from span, the range of the cost, down to ε. Together they take less than half of the
// iterations. If that leaves less than one iteration a stage, it returns no stages.
func newStages(span, epsilon float64, iterations int) (s stages) {
	room := (iterations - 1) / 2
	for e := span; e > epsilon; e /= stageFactor {
		if len(s.epsilon) == room {
			return stages{}
		}
		s.epsilon = append(s.epsilon, e)
	}
	s.limit = room / max(1, len(s.epsilon))
	return s
}

// over counts an iteration and reports whether it ends its stage. before is the marginal error before the iteration.
func (s *stages) over(before, tol float64) bool {
	s.iterations++
	return s.iterations == s.limit || s.iterations > 1 && before <= max(stageTol, tol)
}

// lower sets ε after each iteration; before is the marginal error of the plan before the iteration. The first iteration
// determines the range of the cost, and lower then enters the first stage. After the last iteration of a stage it
// enters the next one, or the target. It reports whether another iteration must follow.
func (x *exactIteration) lower(first bool, before float64) (bool, error) {
	s := &x.stages
	switch {
	case first:
		if !x.symmetric() && !x.moderate {
			*s = newStages(x.target*(x.logK.high-x.logK.low), x.target, x.Iterations)
		}
		if len(s.epsilon) == 0 {
			return true, nil
		}
		return true, x.turn(s.epsilon[0])
	case len(s.epsilon) == 0:
		return false, nil
	case !s.over(before, x.MarginalTol):
		return true, nil
	}
	s.epsilon, s.iterations = s.epsilon[1:], 0
	if len(s.epsilon) == 0 {
		return true, x.turn(x.target)
	}
	return true, x.turn(s.epsilon[0])
}

// turn changes ε and keeps the potentials.
func (x *exactIteration) turn(epsilon float64) error {
	g, err := newGibbs(x.logs.Kernel, epsilon)
	if err != nil {
		return err
	}
	x.spent += x.gibbs.entries()
	x.gibbs = g
	ratio := x.Epsilon / epsilon
	for i, mass := range x.left.log {
		x.f[i] = (x.f[i]-mass)*ratio + mass
	}
	for j, mass := range x.right.log {
		x.g[j] = (x.g[j]-mass)*ratio + mass
	}
	x.Epsilon, x.moderate = epsilon, x.logK.largestAbs*x.target <= plainRange*epsilon
	return nil
}

// extremes are the smallest and largest entries of log K. It is safe for concurrent use.
type extremes struct {
	mu         sync.Mutex
	low, high  float64 // of finite entries
	largestAbs float64 // largest |log K|; Inf if an entry is not finite
}

// newExtremes returns the extremes of no entries.
func newExtremes() *extremes { return &extremes{low: math.Inf(1), high: math.Inf(-1)} }

// observe includes the entries of a strip of log K.
func (e *extremes) observe(strip blas64.General) {
	low, high, most := math.Inf(1), math.Inf(-1), 0.0
	for i := range strip.Rows {
		for _, v := range matrix.Row(strip, i) {
			if !matrix.IsFinite(v) {
				most = math.Inf(1)
				continue
			}
			low, high = min(low, v), max(high, v)
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.low, e.high, e.largestAbs = min(e.low, low), max(e.high, high), max(e.largestAbs, most, -low, high)
}
