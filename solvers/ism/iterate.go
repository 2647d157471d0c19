package ism

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/krylov"
	"github.com/nystream/nystream/internal/matrix"
)

// iteration runs Algorithm 1 with damped steps, for a sequence of Γ.
type iteration struct {
	Solver
	engine  evaluator
	gamma   *gamma
	flat    bool        // Φ does not depend on W
	current *evaluation // the last accepted W
	eig     *eigen      // the leading eigenpairs of its Φ
	history []float64   // J of accepted W
	largest float64     // largest |J| so far
	tried   int
	damped  int
}

const (
	// rounding is the decrease of J, relative to the largest |J| so far, that still counts as none.
	rounding = 1e-12
	// firstDamping is τ of the first damped step, in units of ‖Φ‖_F. Beyond lastDamping, steps are too small to matter.
	firstDamping = 0.25
	lastDamping  = 1e6
)

// run iterates for one Γ until W settles, from the current W or, if there is none, from Φ₀.
func (it *iteration) run(ctx context.Context) (settled bool, err error) {
	start := blas64.General{}
	if it.current != nil {
		start = it.current.w
	} else if start, err = it.first(ctx); err != nil {
		return false, err
	}
	v, eig, err := it.try(ctx, start)
	if err != nil {
		return false, err
	}
	it.accept(v, eig)
	damping := 0.0
	for range it.Iterations - 1 {
		if it.flat {
			return true, nil
		}
		next, err := it.step(ctx, damping)
		if err != nil {
			return false, err
		}
		angle, err := it.angle(next)
		if err != nil {
			return false, err
		}
		v, eig, err := it.try(ctx, next)
		if err != nil {
			return false, err
		}
		if damping > 0 {
			it.damped++
		}
		if fall := it.current.objective - v.objective; fall > rounding*it.largest {
			if fall <= it.engine.noise()*it.largest {
				return true, nil
			}
			if damping = math.Max(2*damping, firstDamping); damping > lastDamping {
				return true, nil
			}
			continue
		}
		change := relativeChange(eig.values, it.eig.values)
		it.accept(v, eig)
		if change < it.ChangeTol && angle < it.ChangeTol && (damping == 0 || residual(v) < it.ChangeTol) {
			return true, nil
		}
	}
	return it.flat, nil
}

// first returns W₀, the leading eigenvectors of Φ₀.
func (it *iteration) first(ctx context.Context) (blas64.General, error) {
	phi, err := it.engine.start(ctx, it.gamma)
	if err != nil {
		return phi, err
	}
	eig, err := it.leading(ctx, phi, blas64.General{Rows: phi.Rows, Stride: 1})
	if err != nil {
		return phi, err
	}
	return eig.vectors, nil
}

// try evaluates W: J and Φ, and the leading eigenpairs of Φ. It does not accept W.
func (it *iteration) try(ctx context.Context, w blas64.General) (*evaluation, *eigen, error) {
	v, err := it.engine.evaluate(ctx, it.gamma, w)
	if err != nil {
		return nil, nil, err
	}
	it.tried++
	it.largest = math.Max(it.largest, math.Abs(v.objective))
	eig, err := it.leading(ctx, v.phi, w)
	return v, eig, err
}

// accept makes an evaluated W the current one.
func (it *iteration) accept(v *evaluation, eig *eigen) {
	it.current, it.eig = v, eig
	it.history = append(it.history, v.objective)
}

// leading returns the leading eigenpairs of Φ, far more accurately than the iteration requires.
func (it *iteration) leading(ctx context.Context, phi, guess blas64.General) (*eigen, error) {
	return leading(ctx, phi, it.Dim, guess, math.Max(1e-12, 1e-4*it.ChangeTol))
}

// step returns the next W: the leading eigenvectors of Φ + τ·WWᵀ, with τ in units of ‖Φ‖_F.
func (it *iteration) step(ctx context.Context, damping float64) (blas64.General, error) {
	if damping == 0 {
		return it.eig.vectors, nil
	}
	phi := matrix.Clone(it.current.phi)
	blas64.Gemm(noTrans, trans, damping*dense.Frobenius(phi), it.current.w, it.current.w, 1, phi)
	eig, err := it.leading(ctx, phi, it.current.w)
	if err != nil {
		return phi, err
	}
	return eig.vectors, nil
}

// relativeChange returns ‖a − b‖/‖a‖.
func relativeChange(a, b []float64) float64 {
	off, size := 0.0, 0.0
	for i, v := range a {
		off, size = math.Hypot(off, v-b[i]), math.Hypot(size, v)
	}
	if off == 0 {
		return 0
	}
	return off / size
}

// angle returns the largest principal angle between the next W and the current one. It ignores undetermined directions,
// with eigenvalues below δ of the largest; these exist if Dim exceeds the rank of Γ.
func (it *iteration) angle(next blas64.General) (float64, error) {
	small := dense.SymmetricPart(dense.Mul(trans, next, noTrans, dense.Mul(noTrans, it.current.phi, noTrans, next)))
	eig, err := newEigen(small)
	if err != nil {
		return 0, err
	}
	k := 1
	for k < len(eig.values) && math.Abs(eig.values[k]) > it.ChangeTol*math.Abs(eig.values[0]) {
		k++
	}
	return largestAngle(it.current.w, dense.Mul(noTrans, next, noTrans, eig.first(k).vectors))
}

// residual returns ‖ΦW − WΛ‖_F/‖Φ‖_F with Λ = WᵀΦW.
func residual(v *evaluation) float64 {
	norm := dense.Frobenius(v.phi)
	if norm == 0 {
		return 0
	}
	pw := dense.Mul(noTrans, v.phi, noTrans, v.w)
	blas64.Gemm(noTrans, noTrans, -1, v.w, dense.Mul(trans, v.w, noTrans, pw), 1, pw)
	return dense.Frobenius(pw) / norm
}

// residuals returns ‖Φw − λw‖ of each pair, relative to the largest λ; nil if all λ are 0.
func residuals(phi, w blas64.General, values []float64) []float64 {
	largest := 0.0
	for _, v := range values {
		largest = math.Max(largest, math.Abs(v))
	}
	if largest == 0 {
		return nil
	}
	return krylov.Residuals(dense.Mul(noTrans, phi, noTrans, w), w, values, largest)
}

// ritz rotates W within its span so that WᵀΦW is diagonal and descending. The entry of largest magnitude in each column
// is positive.
func ritz(v *evaluation) (w blas64.General, values []float64, err error) {
	small := dense.SymmetricPart(dense.Mul(trans, v.w, noTrans, dense.Mul(noTrans, v.phi, noTrans, v.w)))
	eig, err := newEigen(small)
	if err != nil {
		return w, nil, err
	}
	w = dense.Mul(noTrans, v.w, noTrans, eig.vectors)
	dense.FixSigns(blas64.General{}, w)
	return w, eig.values, nil
}
