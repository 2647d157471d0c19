package paper3

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/nystream/nystream/bench/papers/lab"
	"github.com/nystream/nystream/sketch"
)

// ascent is when a gradient ascent ends.
type ascent struct {
	gradient float64 // relative to ‖∇J‖ of the whole W
	rounds   int
}

// usualAscent stops well after ISM: its eigenvalues settle to a hundredth.
var usualAscent = ascent{gradient: 1e-3, rounds: 1000}

// ascended is where an ascent ended.
type ascended struct {
	w       *mat.Dense
	value   float64
	rounds  int // steps taken
	settled bool
}

// stiefel climbs J on the manifold of d×q matrices with orthonormal columns, from a
// random one: gradient ascent with QR as the retraction and Armijo's rule for the step
// (Absil, Mahony & Sepulchre 2008, Algorithm 1, and Example 4.1.3 for QR). It stands
// for the paper's SM, Wen & Yin 2013, whose retraction is a Cayley transform.
func (a ascent) stiefel(ctx context.Context, o *objective, q int, seed uint64) (*ascended, error) {
	w := mat.NewDense(o.x.RawMatrix().Cols, q, nil)
	sketch.NewRandom(seed, "start of an ascent").Normals(w.RawMatrix())
	w, err := orthonormal(w)
	if err != nil {
		return nil, err
	}
	r := &ascended{w: w}
	step := 0.0
	for {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		var g *mat.Dense
		r.value, g = o.gradient(r.w)
		whole := mat.Norm(g, 2)
		along := tangent(r.w, g)
		size := mat.Norm(along, 2)
		if r.settled = size <= a.gradient*whole; r.settled || r.rounds == a.rounds {
			return r, nil
		}
		if step == 0 {
			step = 1 / size
		}
		next, taken, err := o.armijo(r.w, along, r.value, step)
		if err != nil {
			return nil, err
		}
		if taken == 0 { // rounding decides: this is as high as it gets
			r.settled = true
			return r, nil
		}
		r.w, step = next, 2*taken
		r.rounds++
	}
}

// armijo shortens a step along the gradient until J rises by a ten-thousandth of what
// the gradient promises. A step of 0 says that no step of any use raises J.
func (o *objective) armijo(w, along *mat.Dense, value, step float64) (*mat.Dense, float64, error) {
	size := mat.Norm(along, 2)
	for range 60 {
		var next mat.Dense
		next.Scale(step, along)
		next.Add(w, &next)
		q, err := orthonormal(&next)
		if err != nil {
			return nil, 0, err
		}
		if o.value(q) >= value+1e-4*step*size*size {
			return q, step, nil
		}
		step /= 2
	}
	return w, 0, nil
}

// tangent returns the gradient on the manifold: G − V·sym(VᵀG).
func tangent(v, g *mat.Dense) *mat.Dense {
	var s, along mat.Dense
	s.Mul(v.T(), g)
	s.Add(&s, mat.DenseCopyOf(s.T()))
	s.Scale(0.5, &s)
	along.Mul(v, &s)
	along.Sub(g, &along)
	return &along
}

// orthonormal returns Q of a QR factorisation.
func orthonormal(w *mat.Dense) (*mat.Dense, error) {
	q, _, err := sketch.CholeskyQR(w.RawMatrix())
	return lab.Dense(q), err
}
