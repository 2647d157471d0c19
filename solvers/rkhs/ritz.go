package rkhs

import (
	"context"
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/symeig"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// ritz finds leading eigenpairs of an operator on a Hilbert space by block Krylov
// iteration: Rayleigh–Ritz on a basis that grows by the residuals of the leading Ritz
// pairs, and begins again from the better of them when it is full (Wu and Simon 2000,
// "Thick-restart Lanczos method for large symmetric eigenvalue problems").
type ritz struct {
	space
	op Operator
	// apply returns the images of elements, and with svd also what came half way.
	apply     func(ctx context.Context, x elements) (image, half elements, err error)
	symmetric bool
	rank      int
	seed      uint64

	basis, images, halves elements
	pairs                 *eigenpairs // of the matrix of the operator in the basis
	residual              []float64   // ‖Av−θv‖/|θ_1| of the leading pairs
	best                  float64     // the smallest of the largest residuals so far
	since                 int         // the iteration in which it was halved last
}

// The sizes of a block, beyond the rank, and of the basis in blocks; and after how many
// iterations that do not halve the residuals there is no hope.
const (
	ritzPatience = 25
	ritzBeyond   = 8
	ritzBlocks   = 6
)

func (r *ritz) width() int { return r.rank + ritzBeyond }

// most returns how many columns the basis may have.
func (r *ritz) most() int {
	if r.symmetric {
		return ritzBlocks * r.width()
	}
	return 2 * ritzBlocks * r.width()
}

// run iterates until the residuals of all pairs that are wanted are below the tolerance.
func (r *ritz) run(ctx context.Context) (iterations int, err error) {
	start := stream.NewMatrix(r.rows.Rows, min(r.rows.Rows, r.width()))
	sketch.NewRandom(r.seed, "Krylov start").Normals(start)
	block, err := r.element(ctx, start)
	if err != nil {
		return 0, err
	}
	if block, err = r.element(ctx, block.v); err != nil { // nothing in the null space of G
		return 0, err
	}
	for iterations = 1; ; iterations++ {
		if block, err = r.extend(ctx, r.basis, r.unit(block), 1e-6); err != nil {
			return iterations, err
		}
		if block.count() > 0 {
			image, half, err := r.apply(ctx, block)
			if err != nil {
				return iterations, err
			}
			r.basis, r.images, r.halves = r.basis.with(block), r.images.with(image), r.halves.with(half)
		}
		if err := r.solve(); err != nil {
			return iterations, err
		}
		next, done := r.residuals()
		if r.gained(iterations); done || block.count() == 0 || iterations == wholePasses || next.count() == 0 || iterations > r.since+ritzPatience {
			return iterations, nil
		}
		block = next
		if r.basis.count()+r.width() > r.most() {
			if err := r.restart(); err != nil {
				return iterations, err
			}
		}
	}
}

// gained keeps the best residual.
func (r *ritz) gained(iteration int) {
	if worst := slices.Max(r.residual); iteration == 1 || worst <= r.best/2 {
		r.best, r.since = worst, iteration
	}
}

// solve decomposes the matrix of the operator in the basis.
func (r *ritz) solve() (err error) {
	m := r.inner(r.basis, r.images)
	if m.Rows == 0 {
		return errZeroOperator(r.op)
	}
	if !r.symmetric {
		r.pairs, err = generalPairs(r.op, m)
		return err
	}
	values, vectors, err := symeig.Decompose(dense.SymmetricPart(m))
	if err != nil {
		return err
	}
	k := dense.Rank(values, rankTolerance*rankTolerance)
	if k == 0 {
		return errZeroOperator(r.op)
	}
	r.pairs = &eigenpairs{right: complexMatrix{dense.Clone(dense.Columns(vectors, 0, k)), stream.NewMatrix(len(values), k)}}
	for _, v := range values[:k] {
		r.pairs.values = append(r.pairs.values, complex(v, 0))
	}
	return nil
}

// wanted returns how many pairs are to converge.
func (r *ritz) wanted() int { return r.pairs.first(r.rank) }

// residuals works out those of the wanted pairs, and returns the ones that are left of the
// leading pairs as the next block: real and imaginary parts where values are complex.
func (r *ritz) residuals() (next elements, done bool) {
	k := r.pairs.first(min(len(r.pairs.values), r.width()))
	re, im := dense.Columns(r.pairs.right.re, 0, k), dense.Columns(r.pairs.right.im, 0, k)
	// (A − θ)(x + iy) has the parts Ax − Re θ·x + Im θ·y and Ay − Re θ·y − Im θ·x.
	real1, imag1 := r.images.times(re), r.images.times(im)
	shifted := func(x, y blas64.General, sign float64) blas64.General {
		m := stream.NewMatrix(x.Rows, k)
		for i := range m.Rows {
			for j, v := range r.pairs.values[:k] {
				m.Data[i*m.Stride+j] = real(v)*x.Data[i*x.Stride+j] - sign*imag(v)*y.Data[i*y.Stride+j]
			}
		}
		return m
	}
	real1.minus(r.basis, shifted(re, im, 1))
	imag1.minus(r.basis, shifted(im, re, -1))
	a, b := r.norms(real1), r.norms(imag1)
	largest := cmplx.Abs(r.pairs.values[0])
	wanted := r.wanted()
	r.residual, done = make([]float64, wanted), true
	var keep []int
	parts := real1.with(imag1)
	for j := range k {
		off := math.Hypot(a[j], b[j]) / largest
		if j < wanted {
			r.residual[j] = off
			done = done && off <= wholeTolerance
		}
		if turns := imag(r.pairs.values[j]); off > wholeTolerance/10 && turns >= 0 { // conjugates have the same parts
			keep = append(keep, j)
			if turns > 0 {
				keep = append(keep, k+j)
			}
		}
	}
	return elements{dense.PickColumns(parts.a, keep), dense.PickColumns(parts.v, keep)}, done
}

// restart keeps the span of the better half of the Ritz pairs.
func (r *ritz) restart() error {
	k := r.pairs.first(min(len(r.pairs.values), r.most()/2))
	span := dense.Columns(r.pairs.right.re, 0, k)
	if r.pairs.complexValued() {
		span = joinColumns(span, dense.Columns(r.pairs.right.im, 0, k))
	}
	d, err := dense.NewSVD(span)
	if err != nil {
		return err
	}
	m := dense.Columns(d.U, 0, min(dense.Rank(d.S, 1e-10), k))
	r.basis, r.images = r.basis.times(m), r.images.times(m)
	if r.halves.count() > 0 {
		r.halves = r.halves.times(m)
	}
	return nil
}
