package ism

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/krylov"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
)

// Leading eigenpairs of Φ, of which few of many are wanted and a good guess is known, by
// package krylov: products of matrices, where a complete decomposition is not.
const (
	completeSize = 128 // matrices up to so large are decomposed completely
	krylovExtra  = 4   // vectors beyond those wanted
	krylovBlocks = 5
	krylovPasses = 200

	looseBelow    = 1e-2
	looseResidual = 1e-4
)

// leading returns the k algebraically largest eigenpairs of a symmetric matrix, with residuals
// of at most tolerance·‖a‖_F; those whose eigenvalue is below looseBelow of the largest, of
// which there may be many alike, of at most looseResidual if that is more. guess has as many
// rows and at most k columns: the Krylov space begins with it, and with random vectors.
func leading(ctx context.Context, a blas64.General, k int, guess blas64.General, tolerance float64) (*eigen, error) {
	width := k + krylovExtra
	if a.Rows > completeSize && width*krylovBlocks <= a.Rows/2 {
		x := matrix.New(a.Rows, width)
		for i := range guess.Rows {
			copy(matrix.Row(x, i), matrix.Row(guess, i))
		}
		sketch.NewRandom(0, "leading eigenvectors of Phi").Normals(matrix.Columns(x, guess.Cols, width-guess.Cols))
		space, err := krylov.NewSpace(krylov.SymmetricMatrix{General: a}, x, krylovBlocks)
		if err != nil {
			return nil, err
		}
		space.Choice = krylov.Algebraic
		done := settledPairs(tolerance, dense.Frobenius(a))
		p, err := space.Run(ctx, krylov.Iteration{Rank: k, Passes: krylovPasses, Done: done})
		if err != nil {
			return nil, err
		}
		if len(p.Values) == k && done(p.Values, p.Residuals, p.Norm) {
			return &eigen{p.Values, p.U}, nil
		}
	}
	eig, err := newEigen(a)
	if err != nil {
		return nil, err
	}
	return eig.first(k), nil
}

// settledPairs reports whether all residuals are as small as they are to be, relative to the
// Frobenius norm.
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

// largestAngle returns the largest principal angle between the spans of two matrices with
// orthonormal columns, in radians: by the sine ‖(I − uuᵀ)v‖₂, which is accurate for
// small angles (Knyazev & Zhu 2012, the paper's reference 44).
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
