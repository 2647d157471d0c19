package rkhs

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/symeig"
)

// grams holds the Gram matrices of all pairs, n×n, weighted and centred.
type grams struct {
	x, y   blas64.General // G_Φ and G_Ψ; y may be empty
	xy     blas64.General // G_ΦΨ = ΦᵀΨ; empty unless both are in one space
	cutoff float64
}

// spectral returns f(G) for a Gram matrix G and a function of its eigenvalues. With ε = 0 it omits eigenvalues at or
// below the cutoff.
func (g *grams) spectral(gram blas64.General, ridge float64, f func(v float64) float64) (Matrix, error) {
	values, vectors, err := symeig.Decompose(gram)
	if err != nil {
		return Matrix{}, fmt.Errorf("a Gram matrix: %w", err)
	}
	if len(values) == 0 || !(values[0] > 0) {
		return Matrix{}, fmt.Errorf("a Gram matrix is zero, or without its mean: the rows are all the same to the kernel")
	}
	w, dropped := make([]float64, len(values)), 0
	for i, v := range values {
		if ridge == 0 && !(v > g.cutoff*values[0]) {
			dropped++
			continue
		}
		w[i] = f(math.Max(0, v)) // rounding
	}
	return Matrix{General: scaledProduct(vectors, w, vectors), Dropped: dropped}, nil
}

// inverse returns (G_Φ+ε)⁻¹.
func (g *grams) inverse(ridge float64) (Matrix, error) {
	return g.spectral(g.x, ridge, func(v float64) float64 { return 1 / (v + ridge) })
}

// represent returns the matrix B of an operator.
func (g *grams) represent(op Operator) (Matrix, error) {
	switch o := op.(type) {
	case MeanEmbedding:
		return g.inverse(o.Ridge)
	case Koopman:
		return g.inverse(o.Ridge)
	case PerronFrobenius:
		return g.perronFrobenius(o)
	case CCA:
		return g.cca(o)
	}
	return Matrix{General: identityOf(g.x.Rows)}, nil // of covariances
}

// perronFrobenius returns G_ΦΨ⁺·(G_Φ+ε)⁻¹·G_ΦΨ. The other form of the operator cannot be written as Ψ·B·Φᵀ.
func (g *grams) perronFrobenius(o PerronFrobenius) (Matrix, error) {
	if !o.Sampled {
		return Matrix{}, fmt.Errorf("operator %s is not of the form ΨBΦᵀ", o)
	}
	inverse, err := g.inverse(o.Ridge)
	if err != nil {
		return Matrix{}, err
	}
	back, dropped, err := pseudoInverse(g.xy, g.cutoff)
	if err != nil {
		return Matrix{}, err
	}
	return Matrix{General: multiply(back, multiply(inverse.General, g.xy)), Dropped: inverse.Dropped + dropped}, nil
}

// cca returns the matrix B of canonical correlation analysis.
func (g *grams) cca(o CCA) (Matrix, error) {
	root := func(v float64) float64 { return 1 / math.Sqrt(v+o.Ridge) }
	right, err := g.spectral(g.x, o.Ridge, root)
	if err != nil {
		return Matrix{}, err
	}
	left, err := g.spectral(g.y, o.Ridge, root)
	if err != nil {
		return Matrix{}, err
	}
	return Matrix{General: multiply(left.General, right.General), Dropped: left.Dropped + right.Dropped}, nil
}

// inBases returns the matrix of S in orthonormal bases, Leftᵀ·B·Right, from factors of all pairs.
func inBases(b, left, right blas64.General) blas64.General {
	return transposedTimes(left, multiply(b, right))
}
