package paper3

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/stream"
)

// grassmann climbs J on the manifold of q-dimensional subspaces, from a random one: J is
// a function of W·Wᵀ alone. The method is conjugate gradients along geodesics (Edelman,
// Arias & Smith 1998, section 3.3, with Polak and Ribière's rule, not below 0). It stands
// for the paper's GM.
func grassmann(ctx context.Context, o *objective, q int, a ascent, seed uint64) (*ascended, error) {
	w, err := orthonormalBeside(stream.NewMatrix(o.x.Cols, 0), randomColumns(o.x.Cols, q, seed))
	if err != nil {
		return nil, err
	}
	return a.conjugate(ctx, o, w)
}

// conjugate raises J from orthonormal columns w.
func (a ascent) conjugate(ctx context.Context, o *objective, w blas64.General) (*ascended, error) {
	r := &ascended{w: w}
	var before *geodesic // the step before, and the gradient where it began
	var along blas64.General
	angle := 1.0 // that the first trial of a step turns the subspace by, in radians
	for {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		var g blas64.General
		r.value, g = o.gradient(r.w)
		whole := dense.Frobenius(g)
		removeSpan(g, r.w)
		size := dense.Frobenius(g)
		if r.settled = size <= a.gradient*whole; r.settled || r.rounds == a.rounds {
			return r, nil
		}
		direction := g
		if before != nil && r.rounds%(w.Cols*(w.Rows-w.Cols)) != 0 { // the dimension of the manifold
			direction = before.conjugateTo(g, along)
		}
		slope := inner(g, direction)
		if slope <= 0 {
			direction, slope = g, size*size
		}
		path, err := newGeodesic(r.w, direction)
		if err != nil {
			return nil, err
		}
		length := path.search(o, r.value, slope, angle/path.speed())
		if length == 0 && before != nil { // once more along the gradient itself
			before = nil
			continue
		}
		if length == 0 { // rounding decides: this is as high as it gets
			r.settled = true
			return r, nil
		}
		path.length, angle = length, 2*length*path.speed()
		if r.w, err = orthonormalBeside(stream.NewMatrix(w.Rows, 0), path.at(length)); err != nil {
			return nil, err
		}
		before, along = path, g
		r.rounds++
	}
}

// geodesic is the curve W(t) = W·V·cos(Σt)·Vᵀ + U·sin(Σt)·Vᵀ from W along a direction
// U·Σ·Vᵀ (Theorem 2.3), and the length of the step that was taken.
type geodesic struct {
	direction *dense.SVD
	turned    blas64.General // W·V
	length    float64
}

func newGeodesic(w, direction blas64.General) (*geodesic, error) {
	svd, err := dense.NewSVD(direction)
	if err != nil {
		return nil, err
	}
	return &geodesic{direction: svd, turned: dense.Mul(blas.NoTrans, w, blas.NoTrans, svd.V)}, nil
}

// speed is the largest principal angle between W(0) and W(t), over t.
func (p *geodesic) speed() float64 { return p.direction.S[0] }

// at returns W(t).
func (p *geodesic) at(t float64) blas64.General {
	return p.combine(func(s float64) (float64, float64) { return math.Cos(s * t), math.Sin(s * t) })
}

// combine returns (W·V·diag(a) + U·diag(b))·Vᵀ with a and b functions of Σ.
func (p *geodesic) combine(f func(s float64) (a, b float64)) blas64.General {
	m, u := dense.Clone(p.turned), dense.Clone(p.direction.U)
	a, b := make([]float64, m.Cols), make([]float64, m.Cols)
	for i, s := range p.direction.S {
		a[i], b[i] = f(s)
	}
	dense.ScaleColumns(m, a)
	dense.ScaleColumns(u, b)
	dense.Add(1, u, m)
	return dense.Mul(blas.NoTrans, m, blas.Trans, p.direction.V)
}

// conjugateTo returns the direction that follows on the step: the gradient g at its end
// and as much of its direction as Polak and Ribière's rule says. along is the gradient at
// its beginning. Both are taken to its end by parallel transport (Theorem 2.4).
func (p *geodesic) conjugateTo(g, along blas64.General) blas64.General {
	change := dense.Clone(g)
	dense.Add(-1, p.transported(along), change)
	next := dense.Clone(g)
	share := max(0, inner(g, change)/inner(along, along))
	dense.Add(share, p.combine(func(s float64) (float64, float64) {
		return -s * math.Sin(s*p.length), s * math.Cos(s*p.length)
	}), next)
	return next
}

// transported takes a tangent at the beginning of the step to its end:
// x + (U·(cos(Σt) − I) − W·V·sin(Σt))·Uᵀx.
func (p *geodesic) transported(x blas64.General) blas64.General {
	moved := p.combine(func(s float64) (float64, float64) {
		return -math.Sin(s * p.length), math.Cos(s*p.length) - 1
	})
	moved = dense.Mul(blas.NoTrans, moved, blas.NoTrans, p.direction.V)
	x = dense.Clone(x)
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, moved, dense.Mul(blas.Trans, p.direction.U, blas.NoTrans, x), 1, x)
	return x
}

// search returns a step by which J rises by Armijo's rule, or 0 if there is none: the
// first trial or the top of the parabola through it, whichever is higher, or else half of
// the trial, and so on.
func (p *geodesic) search(o *objective, value, slope, t float64) float64 {
	for range 60 {
		reached := o.value(p.at(t))
		best := t
		if bend := value + slope*t - reached; bend > 0 {
			top := min(slope*t*t/(2*bend), 4*t)
			if v := o.value(p.at(top)); v > reached {
				reached, best = v, top
			}
		}
		if reached >= value+1e-4*slope*best {
			return best
		}
		t /= 2
	}
	return 0
}

// inner returns tr(aᵀb), of matrices without gaps.
func inner(a, b blas64.General) float64 { return dense.Dot(a.Data, b.Data) }
