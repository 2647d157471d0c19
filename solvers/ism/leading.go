package ism

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/krylov"
	"github.com/nystream/nystream/internal/linalg/symeig"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
)

// Leading eigenpairs of Φ are computed by package krylov, since few of many are needed and a good guess is known. It
// works by matrix products, unlike a complete decomposition. Eigenpairs that do not converge come from a reduction to
// tridiagonal form.
const (
	completeSize = 128 // matrices up to this order are decomposed completely
	krylovExtra  = 4   // additional vectors
	krylovBlocks = 5
	krylovPasses = 200

	looseBelow    = 1e-2
	looseResidual = 1e-4
)

// leading returns the k largest eigenpairs of a symmetric matrix, with residuals of at most tolerance·‖a‖_F. Those with
// eigenvalues below looseBelow of the largest, which may be many and close together, need only residuals of
// looseResidual. The Krylov space starts with guess, which has at most k columns, and random vectors.
func leading(ctx context.Context, a blas64.General, k int, guess blas64.General, tolerance float64) (*eigen, error) {
	if fewEnough(a.Rows, k) {
		eig, err := krylovPairs(ctx, a, k, guess, tolerance)
		if eig != nil || err != nil {
			return eig, err
		}
		if eig, err = tridiagonalPairs(a, k); eig != nil || err != nil {
			return eig, err
		}
	}
	eig, err := newEigen(a)
	if err != nil {
		return nil, err
	}
	return eig.first(k), nil
}

// fewEnough reports whether k of n eigenpairs are few enough for the Krylov method.
func fewEnough(n, k int) bool { return n > completeSize && (k+krylovExtra)*krylovBlocks <= n/2 }

// krylovPairs returns the eigenpairs, nil if they do not converge.
func krylovPairs(ctx context.Context, a blas64.General, k int, guess blas64.General, tolerance float64) (*eigen,
	error) {
	x := matrix.New(a.Rows, k+krylovExtra)
	for i := range guess.Rows {
		copy(matrix.Row(x, i), matrix.Row(guess, i))
	}
	leadingRandom().Normals(matrix.Columns(x, guess.Cols, x.Cols-guess.Cols))
	space, err := krylov.NewSpace(krylov.SymmetricMatrix{General: a}, x, krylovBlocks)
	if err != nil {
		return nil, err
	}
	space.Choice = krylov.Algebraic
	done := settledPairs(tolerance, dense.Frobenius(a))
	p, err := space.Run(ctx, krylov.Iteration{Rank: k, Passes: krylovPasses, Done: done})
	if err != nil || len(p.Values) != k || !done(p.Values, p.Residuals, p.Norm) {
		return nil, err
	}
	return &eigen{p.Values, p.U}, nil
}

// tridiagonalPairs returns the eigenpairs from the tridiagonal form of a copy of the matrix, nil if it fails.
func tridiagonalPairs(a blas64.General, k int) (*eigen, error) {
	x := matrix.New(a.Rows, k)
	leadingRandom().Normals(x)
	values, ok, err := symeig.Leading(a, x)
	if err != nil || !ok {
		return nil, err
	}
	return &eigen{values, x}, nil
}

// leadingRandom returns the random numbers of the first Krylov vectors. They do not depend on the seed of the fit,
// since converged eigenpairs do not depend on them.
func leadingRandom() sketch.Random { return sketch.NewRandom(0, "leading eigenvectors of Phi") }

// leadingNumbers returns the memory for k eigenpairs of an n×n matrix, in numbers: the Krylov space and the copy that
// is reduced, or a complete decomposition.
func leadingNumbers(n, k int64) int64 {
	if fewEnough(int(n), int(k)) {
		return n*n + n*(k+krylovExtra)*(2*krylovBlocks+4)
	}
	return 5 * n * n
}

// settledPairs reports whether all residuals meet the tolerance of leading, relative to the Frobenius norm.
func settledPairs(tolerance, frobenius float64) krylov.Criterion {
	return func(values, residuals []float64, norm float64) bool {
		for j, r := range residuals {
			limit := tolerance
			if math.Abs(values[j]) < looseBelow*math.Abs(values[0]) && tolerance >= 1e-7 {
				limit = math.Max(tolerance, looseResidual)
			}
			if !(r*norm <= limit*frobenius) {
				return false
			}
		}
		return true
	}
}

// largestAngle returns the largest principal angle, in radians, between the spans of two matrices with orthonormal
// columns. It uses the sine ‖(I − uuᵀ)v‖₂, which is accurate for small angles (Knyazev & Zhu 2012, the paper's
// reference 44).
func largestAngle(u, v blas64.General) (float64, error) {
	rest := matrix.Clone(v)
	blas64.Gemm(noTrans, noTrans, -1, u, dense.Mul(trans, u, noTrans, v), 1, rest)
	g := dense.SymmetricPart(dense.Mul(trans, rest, noTrans, rest))
	eig, err := newEigen(g)
	if err != nil {
		return 0, err
	}
	return math.Asin(math.Min(1, math.Sqrt(math.Max(0, eig.values[0])))), nil
}
