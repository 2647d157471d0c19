package paper3

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
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
	w       blas64.General
	value   float64
	rounds  int // steps taken
	settled bool
}

// stiefel climbs J on the manifold of d×q matrices with orthonormal columns, from a
// random one: gradient ascent with QR as the retraction and Armijo's rule for the step
// (Absil, Mahony & Sepulchre 2008, Algorithm 1, and Example 4.1.3 for QR). It stands
// for the paper's SM, Wen & Yin 2013, whose retraction is a Cayley transform.
func stiefel(ctx context.Context, o *objective, q int, a ascent, seed uint64) (*ascended, error) {
	d := o.x.Cols
	return a.climb(ctx, o, stream.NewMatrix(d, 0), randomColumns(d, q, seed))
}

// dimensionGrowth finds W one column after the other, each the best one for those
// before, which stay, and orthogonal to them (DG, Niu, Dy & Jordan 2014): an ascent
// on the sphere of what is orthogonal to them, from a random start.
func dimensionGrowth(ctx context.Context, o *objective, q int, a ascent, seed uint64) (*ascended, error) {
	found := &ascended{w: stream.NewMatrix(o.x.Cols, 0), settled: true}
	for k := range q {
		next, err := a.climb(ctx, o, found.w, randomColumns(o.x.Cols, 1, seed+uint64(k)))
		if err != nil {
			return nil, err
		}
		next.rounds += found.rounds
		next.settled = next.settled && found.settled
		found = next
	}
	return found, nil
}

// climb raises J([fixed free]) over free, whose columns are kept orthonormal and
// orthogonal to those of fixed.
func (a ascent) climb(ctx context.Context, o *objective, fixed, free blas64.General) (*ascended, error) {
	var err error
	if free, err = orthonormalBeside(fixed, free); err != nil {
		return nil, err
	}
	r := &ascended{}
	step := 0.0
	for {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		var g blas64.General
		r.w = beside(fixed, free)
		r.value, g = o.gradient(r.w)
		whole := dense.Frobenius(g)
		along := tangent(fixed, free, lastColumns(g, free.Cols))
		size := dense.Frobenius(along)
		if r.settled = size <= a.gradient*whole; r.settled || r.rounds == a.rounds {
			return r, nil
		}
		if step == 0 {
			step = 1 / size
		}
		next, taken, err := o.armijo(fixed, free, along, r.value, step)
		if err != nil {
			return nil, err
		}
		if taken == 0 { // rounding decides: this is as high as it gets
			r.settled = true
			return r, nil
		}
		free, step = next, 2*taken
		r.rounds++
	}
}

// armijo shortens a step along the gradient until J rises by a ten-thousandth of what
// the gradient promises. A step of 0 says that no step of any use raises J.
func (o *objective) armijo(fixed, free, along blas64.General, value, step float64) (blas64.General, float64, error) {
	square := dense.Frobenius(along)
	square *= square
	for range 60 {
		next := stream.NewMatrix(free.Rows, free.Cols)
		for i := range next.Rows {
			for j := range next.Cols {
				next.Data[i*next.Stride+j] = free.Data[i*free.Stride+j] + step*along.Data[i*along.Stride+j]
			}
		}
		next, err := orthonormalBeside(fixed, next)
		if err != nil {
			return next, 0, err
		}
		if o.value(beside(fixed, next)) >= value+1e-4*step*square {
			return next, step, nil
		}
		step /= 2
	}
	return free, 0, nil
}

// tangent returns the gradient on the manifold: G − V·sym(VᵀG), and nothing along fixed.
func tangent(fixed, v, g blas64.General) blas64.General {
	s := dense.SymmetricPart(dense.Mul(blas.Trans, v, blas.NoTrans, g))
	t := dense.Clone(g)
	blas64.Gemm(blas.NoTrans, blas.NoTrans, -1, v, s, 1, t)
	removeSpan(t, fixed)
	return t
}

// orthonormalBeside returns Q of a QR factorisation of v less what lies along fixed.
func orthonormalBeside(fixed, v blas64.General) (blas64.General, error) {
	v = dense.Clone(v)
	removeSpan(v, fixed)
	q, _, err := sketch.CholeskyQR(v)
	return q, err
}

// removeSpan takes away from v what lies in the span of the orthonormal columns of u.
func removeSpan(v, u blas64.General) {
	if u.Cols > 0 {
		blas64.Gemm(blas.NoTrans, blas.NoTrans, -1, u, dense.Mul(blas.Trans, u, blas.NoTrans, v), 1, v)
	}
}

// beside returns [a b].
func beside(a, b blas64.General) blas64.General {
	if a.Cols == 0 {
		return dense.Clone(b)
	}
	c := stream.NewMatrix(b.Rows, a.Cols+b.Cols)
	for i := range c.Rows {
		copy(dense.Row(c, i), dense.Row(a, i))
		copy(dense.Row(c, i)[a.Cols:], dense.Row(b, i))
	}
	return c
}

// lastColumns returns the last k columns of a, copied.
func lastColumns(a blas64.General, k int) blas64.General {
	return dense.Clone(dense.Columns(a, a.Cols-k, k))
}

// randomColumns has normal entries.
func randomColumns(rows, cols int, seed uint64) blas64.General {
	random := sketch.NewRandom(seed, "start of an ascent")
	m := stream.NewMatrix(rows, cols)
	for i := range rows {
		draws := random.At(uint64(i))
		for j := range cols {
			m.Data[i*cols+j] = draws.Normal()
		}
	}
	return m
}

// baselines are the slow methods of Table 4.
var baselines = map[string]func(ctx context.Context, o *objective, q int, a ascent, seed uint64) (*ascended, error){
	"SM": stiefel, "GM": grassmann, "DG": dimensionGrowth,
}

// slowMethods are the names of the baselines in the order of the tables.
var slowMethods = []string{"SM", "GM", "DG"}
