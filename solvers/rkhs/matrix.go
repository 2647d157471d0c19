package rkhs

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// Factors are feature matrices in orthonormal bases of the spans of the features: Φ = Q·Xᵀ and Ψ = P·Yᵀ with QᵀQ = I
// and PᵀP = I. Then G_Φ = XXᵀ, and C_XX is XᵀX in the basis Q. This is the kernel QR decomposition of the paper
// (Proposition 3.4) with X for Rᵀ. Means are subtracted if the operator is centred.
type Factors struct {
	// X and Y are k×p and k×q, with k about p + q, such that XᵀX = C_XX, and YᵀX and YᵀY likewise. Y is empty if the
	// operator does not use y. If the operator's Traits ask for AllPairs, X instead has a row for each x and Y one for
	// each y, unweighted.
	X, Y   blas64.General
	Cutoff float64 // see Solver.Cutoff

	svdX, svdY *dense.SVD
}

// Matrix is an operator in orthonormal bases of the features. Its rows belong to the range.
type Matrix struct {
	blas64.General
	// Dropped is the number of directions omitted from inverses.
	Dropped int
	// Size is the product of the norms of the factors: singular values below 1e-15 of it are rounding errors. 0 means
	// unknown.
	Size float64
}

// decompose returns the thin decomposition of X or Y.
func (f *Factors) decompose(s PairSide) (*dense.SVD, error) {
	at, m := &f.svdX, f.X
	if s == SideY {
		at, m = &f.svdY, f.Y
	}
	if *at != nil {
		return *at, nil
	}
	d, err := dense.NewSVD(m)
	if err != nil {
		return nil, fmt.Errorf("the features of %s: %w; scale the columns (`Treatment.Scale standard`)", s, err)
	}
	if len(d.S) == 0 || d.S[0] == 0 {
		return nil, fmt.Errorf("the features of %s are zero, or without their mean: its rows are all the same to the kernel, and an operator needs rows that differ", s)
	}
	*at = d
	return d, nil
}

// String returns x or y.
func (s PairSide) String() string {
	if s == SideX {
		return "x"
	}
	return "y"
}

// filter returns value(σ) for the singular values of X or Y. For ε = 0, it returns 0 for those with squares at or below
// the cutoff.
func (f *Factors) filter(d *dense.SVD, ridge float64, value func(sigma float64) float64) (w []float64, dropped int) {
	w = make([]float64, len(d.S))
	for i, s := range d.S {
		if ridge == 0 && !(s*s > f.Cutoff*d.S[0]*d.S[0]) {
			dropped++
			continue
		}
		w[i] = value(s)
	}
	return w, dropped
}

// scaledProduct returns a·diag(w)·bᵀ.
func scaledProduct(a blas64.General, w []float64, b blas64.General) blas64.General {
	a = matrix.Clone(a)
	dense.ScaleColumns(a, w)
	return dense.Mul(blas.NoTrans, a, blas.Trans, b)
}

func transposedTimes(a, b blas64.General) blas64.General {
	return dense.Mul(blas.Trans, a, blas.NoTrans, b)
}

func multiply(a, b blas64.General) blas64.General { return dense.Mul(blas.NoTrans, a, blas.NoTrans, b) }

func (Covariance) Matrix(_ context.Context, _ stream.Engine, f *Factors) (Matrix, error) {
	d, err := f.decompose(SideX)
	if err != nil {
		return Matrix{}, err
	}
	return Matrix{General: dense.SymmetricPart(transposedTimes(f.X, f.X)), Size: d.S[0] * d.S[0]}, nil
}

func (CrossCovariance) Matrix(_ context.Context, _ stream.Engine, f *Factors) (Matrix, error) {
	size := 1.0
	for _, s := range []PairSide{SideX, SideY} {
		d, err := f.decompose(s)
		if err != nil {
			return Matrix{}, err
		}
		size *= d.S[0]
	}
	return Matrix{General: transposedTimes(f.Y, f.X), Size: size}, nil
}

// inverted returns X·(XᵀX+ε)⁻¹ = U·diag(σ/(σ²+ε))·Vᵀ.
func (f *Factors) inverted(ridge float64) (Matrix, error) {
	d, err := f.decompose(SideX)
	if err != nil {
		return Matrix{}, err
	}
	w, dropped := f.filter(d, ridge, func(s float64) float64 { return s / (s*s + ridge) })
	return Matrix{scaledProduct(d.U, w, d.V), dropped, slices.Max(w)}, nil
}

// times returns Yᵀ·r or, if turned, rᵀ·Y.
func (f *Factors) times(r Matrix, turned bool) (Matrix, error) {
	d, err := f.decompose(SideY)
	if err != nil {
		return r, err
	}
	r.Size *= d.S[0]
	if turned {
		r.General = transposedTimes(r.General, f.Y)
	} else {
		r.General = transposedTimes(f.Y, r.General)
	}
	return r, nil
}

func (o MeanEmbedding) Matrix(_ context.Context, _ stream.Engine, f *Factors) (Matrix, error) {
	r, err := f.inverted(o.Ridge)
	if err != nil {
		return r, err
	}
	return f.times(r, false)
}

func (o Koopman) Matrix(_ context.Context, _ stream.Engine, f *Factors) (Matrix, error) {
	r, err := f.inverted(o.Ridge)
	if err != nil {
		return r, err
	}
	return f.times(r, true)
}

// Matrix returns (XᵀX+ε)⁻¹·YᵀX by the definition, or Yᵀ·(XYᵀ)⁺·X·(XᵀX+ε)⁻¹·YᵀX for the sampled form.
func (o PerronFrobenius) Matrix(_ context.Context, _ stream.Engine, f *Factors) (Matrix, error) {
	cross := transposedTimes(f.Y, f.X)
	if o.Sampled {
		return o.sampledMatrix(f, cross)
	}
	d, err := f.decompose(SideX)
	if err != nil {
		return Matrix{}, err
	}
	dy, err := f.decompose(SideY)
	if err != nil {
		return Matrix{}, err
	}
	w, dropped := f.filter(d, o.Ridge, func(s float64) float64 { return 1 / (s*s + o.Ridge) })
	inverse, size := scaledProduct(d.V, w, d.V), slices.Max(w)*d.S[0]*dy.S[0]
	if o.Ridge > 0 && len(d.S) < f.X.Cols { // fewer pairs than features: 1/ε outside the span of V
		for i, v := range w {
			w[i] = v - 1/o.Ridge
		}
		inverse = scaledProduct(d.V, w, d.V)
		for i := range inverse.Rows {
			inverse.Data[i*inverse.Stride+i] += 1 / o.Ridge
		}
	}
	return Matrix{multiply(inverse, cross), dropped, size}, nil
}

// sampledMatrix computes the pseudo-inverse of XYᵀ in bases of the columns of X and Y: (U_x·M·U_yᵀ)⁺ = U_y·M⁺·U_xᵀ with
// M = Σ_x·V_xᵀ·V_y·Σ_y.
func (o PerronFrobenius) sampledMatrix(f *Factors, cross blas64.General) (Matrix, error) {
	inverted, err := f.inverted(o.Ridge)
	if err != nil {
		return Matrix{}, err
	}
	dx, err := f.decompose(SideX)
	if err != nil {
		return Matrix{}, err
	}
	dy, err := f.decompose(SideY)
	if err != nil {
		return Matrix{}, err
	}
	m := transposedTimes(dx.V, dy.V)
	dense.ScaleRows(m, dx.S)
	dense.ScaleColumns(m, dy.S)
	back, dropped, err := pseudoInverse(m, f.Cutoff)
	if err != nil {
		return Matrix{}, err
	}
	left := matrix.Clone(dy.V) // Yᵀ·U_y
	dense.ScaleColumns(left, dy.S)
	right := multiply(transposedTimes(dx.U, inverted.General), cross)
	return Matrix{General: multiply(left, multiply(back, right)), Dropped: inverted.Dropped + dropped}, nil
}

// pseudoInverse omits singular values at or below the cutoff, relative to the first.
func pseudoInverse(m blas64.General, cutoff float64) (inverse blas64.General, dropped int, err error) {
	d, err := dense.NewSVD(m)
	if err != nil {
		return inverse, 0, fmt.Errorf("the time-lagged Gram matrix: %w", err)
	}
	w := make([]float64, len(d.S))
	kept := dense.Rank(d.S, cutoff)
	for i := range kept {
		w[i] = 1 / d.S[i]
	}
	return scaledProduct(d.V, w, d.U), len(d.S) - kept, nil
}

// Matrix returns V_y·s_y·U_yᵀ·U_x·s_x·V_xᵀ with s = σ/√(σ²+ε), in which no factor is large.
func (o CCA) Matrix(_ context.Context, _ stream.Engine, f *Factors) (Matrix, error) {
	root := func(s float64) float64 { return s / math.Hypot(s, math.Sqrt(o.Ridge)) }
	var halves [2]blas64.General
	dropped := 0
	for i, s := range []PairSide{SideX, SideY} {
		d, err := f.decompose(s)
		if err != nil {
			return Matrix{}, err
		}
		w, n := f.filter(d, o.Ridge, root)
		halves[i] = scaledProduct(d.U, w, d.V)
		dropped += n
	}
	return Matrix{transposedTimes(halves[1], halves[0]), dropped, 1}, nil
}

// inverseRoot returns (C+ε)^(−1/2) in the basis of X or Y, on the span of the features.
func (f *Factors) inverseRoot(s PairSide, ridge float64) (blas64.General, error) {
	d, err := f.decompose(s)
	if err != nil {
		return blas64.General{}, err
	}
	w, _ := f.filter(d, ridge, func(s float64) float64 { return 1 / math.Hypot(s, math.Sqrt(ridge)) })
	return scaledProduct(d.V, w, d.V), nil
}
