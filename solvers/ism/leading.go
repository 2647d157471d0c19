package ism

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/householder"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// Leading eigenpairs of Φ, of which few of many are wanted and a good guess is known:
// block Krylov spaces from the guess, restarted from their Ritz vectors (Saad 2011,
// "Numerical methods for large eigenvalue problems", §6.6). Products of matrices, where
// a complete decomposition is not.
const (
	completeSize = 128 // matrices up to so large are decomposed completely
	krylovExtra  = 4   // vectors beyond those wanted
	krylovBlocks = 5
	krylovRounds = 40

	looseBelow    = 1e-2
	looseResidual = 1e-4
)

// leading are the k algebraically largest eigenpairs of a symmetric matrix, with residuals
// of at most tolerance·‖a‖_F; those whose eigenvalue is below looseBelow of the largest, of
// which there may be many alike, of at most looseResidual if that is more. guess has as many
// rows and at most k columns.
func leading(a blas64.General, k int, guess blas64.General, tolerance float64) (*eigen, error) {
	n := a.Rows
	b := k + krylovExtra
	if n <= completeSize || b*krylovBlocks > n/2 {
		eig, err := newEigen(a)
		if err != nil {
			return nil, err
		}
		return eig.first(k), nil
	}
	x := stream.NewMatrix(n, b)
	noise := sketch.NewStream(0, "leading eigenvectors of Phi")
	for i := range n {
		draws, row := noise.At(uint64(i)), dense.Row(x, i)
		if guess.Cols > 0 {
			copy(row, dense.Row(guess, i))
		}
		for j := guess.Cols; j < b; j++ {
			row[j] = draws.Normal()
		}
	}
	norm := dense.Frobenius(a)
	for range krylovRounds {
		ritz, residuals, err := krylovRound(a, x, k)
		if err != nil {
			return nil, err
		}
		if settledPairs(ritz.values, residuals, tolerance, norm) {
			return ritz.first(k), nil
		}
		x = ritz.first(b).vectors
	}
	eig, err := newEigen(a)
	if err != nil {
		return nil, err
	}
	return eig.first(k), nil
}

// settledPairs says whether all residuals are as small as they are to be.
func settledPairs(values, residuals []float64, tolerance, norm float64) bool {
	for j, r := range residuals {
		limit := tolerance
		if math.Abs(values[j]) < looseBelow*math.Abs(values[0]) && tolerance >= 1e-7 {
			limit = math.Max(tolerance, looseResidual)
		}
		if !(r <= limit*norm) {
			return false
		}
	}
	return true
}

// krylovRound is Rayleigh–Ritz on the span of x, ax, a²x, …, and the residuals of the
// first k pairs.
func krylovRound(a, x blas64.General, k int) (*eigen, []float64, error) {
	n, b := x.Rows, x.Cols
	v, av := stream.NewMatrix(n, b*krylovBlocks), stream.NewMatrix(n, b*krylovBlocks)
	block := dense.Clone(x)
	for s := range krylovBlocks {
		for range 2 { // once is not enough
			if s > 0 {
				before := dense.Columns(v, 0, s*b)
				blas64.Gemm(noTrans, noTrans, -1, before, dense.Mul(trans, before, noTrans, block), 1, block)
			}
			orthonormalise(block)
		}
		product := dense.Mul(noTrans, a, noTrans, block)
		for i := range n {
			copy(dense.Row(v, i)[s*b:], dense.Row(block, i))
			copy(dense.Row(av, i)[s*b:], dense.Row(product, i))
		}
		block = product
	}
	small := dense.SymmetricPart(dense.Mul(trans, v, noTrans, av))
	eig, err := newEigen(small)
	if err != nil {
		return nil, nil, err
	}
	eig = eig.first(b)
	off := dense.Mul(noTrans, av, noTrans, eig.vectors)
	eig.vectors = dense.Mul(noTrans, v, noTrans, eig.vectors)
	residuals := make([]float64, k)
	for j := range k {
		sum := 0.0
		for i := range n {
			d := off.Data[i*off.Stride+j] - eig.values[j]*eig.vectors.Data[i*eig.vectors.Stride+j]
			sum += d * d
		}
		residuals[j] = math.Sqrt(sum)
	}
	return eig, residuals, nil
}

// orthonormalise replaces x by the Q of its QR factorisation (Householder), which is
// orthonormal whatever x is.
func orthonormalise(x blas64.General) {
	reflectors := householder.QR(dense.Clone(x))
	q := reflectors.Thin()
	for i := range x.Rows {
		copy(dense.Row(x, i), dense.Row(q, i))
	}
}

// largestAngle is the largest principal angle between the spans of two matrices with
// orthonormal columns, in radians: by the sine ‖(I − uuᵀ)v‖₂, which is accurate for
// small angles (Knyazev & Zhu 2012, the paper's reference 44).
func largestAngle(u, v blas64.General) (float64, error) {
	rest := dense.Clone(v)
	blas64.Gemm(noTrans, noTrans, -1, u, dense.Mul(trans, u, noTrans, v), 1, rest)
	g := dense.SymmetricPart(dense.Mul(trans, rest, noTrans, rest))
	eig, err := newEigen(g)
	if err != nil {
		return 0, err
	}
	return math.Asin(math.Min(1, math.Sqrt(math.Max(0, eig.values[0])))), nil
}
