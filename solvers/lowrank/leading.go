package lowrank

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/internal/krylov"
	"github.com/nystream/nystream/stream"
)

// Leading eigenpairs of a matrix in memory of which few are wanted: subspace
// iteration with Chebyshev polynomials that grow outside the unwanted part of the
// spectrum (Zhou, Saad, Tiago & Chelikowsky 2006, "Self-consistent-field
// calculations using Chebyshev-filtered subspace iteration", Algorithm 3.1). All
// of it is products of matrices, where a complete decomposition is not.
const (
	leadingComplete = 320 // matrices up to so large are decomposed completely
	leadingDegree   = 14
	leadingRounds   = 8
	// leadingTolerance is on the residuals ‖aq − θq‖ of the wanted pairs, relative
	// to the first eigenvalue that is not wanted, which is the error that leaving it
	// out makes; but residuals near rounding are good enough. A matrix whose pairs
	// do not get there is decomposed completely.
	leadingTolerance = 1e-3
	leadingRounding  = 1e-13
)

// leadingGuard is the number of columns beyond k: the more, the larger the polynomial
// on the wanted part.
func leadingGuard(k int) int { return 24 + k/8 }

// newLeading is the decomposition of the symmetric part of a small matrix, as far
// as its k largest eigenvalues, and at least one more if there is one, are
// concerned. Cost: 2·15·n²·k flops a round, of which there are up to 8.
func newLeading(what string, a blas64.General, k int) (*eigen, error) {
	n := a.Rows
	if n <= leadingComplete || k+leadingGuard(k) > n/2 {
		return newEigen(what, a)
	}
	if !dense.Finite(a) {
		return nil, notFinite(what)
	}
	a = dense.SymmetricPart(a)
	low, high, err := krylov.Outermost(context.Background(), krylov.SymmetricMatrix{General: a}, n)
	if err != nil {
		return nil, err
	}
	if !(high > low) {
		return newEigen(what, a)
	}
	low -= 0.002 * (high - low) // an estimate from within
	block := stream.NewMatrix(n, k+leadingGuard(k))
	noise := sketch.NewStream(0, "leading eigenvectors")
	for i := range n {
		draws := noise.At(uint64(i))
		for j := range block.Cols {
			dense.Row(block, i)[j] = draws.Normal()
		}
	}
	cut := low + (high-low)*float64(k)/float64(n) // until it is known
	for range leadingRounds {
		block = chebyshev(a, block, leadingDegree, low, cut, high)
		q, _, err := sketch.CholeskyQR(block)
		if err != nil {
			return nil, err
		}
		aq := dense.Mul(blas.NoTrans, a, blas.NoTrans, q)
		eig, err := newEigen(what, dense.Mul(blas.Trans, q, blas.NoTrans, aq))
		if err != nil {
			return nil, err
		}
		inner := eig.Vectors
		eig.Vectors = dense.Mul(blas.NoTrans, q, blas.NoTrans, inner)
		block = eig.Vectors
		rest := leadingResidual(dense.Mul(blas.NoTrans, aq, blas.NoTrans, inner), eig, k+1)
		if rest <= max(leadingTolerance*math.Abs(eig.Values[k]), leadingRounding*math.Abs(eig.Values[0])) {
			dense.FixSigns(blas64.General{}, eig.Vectors)
			return eig, nil
		}
		cut = math.Max(eig.Values[len(eig.Values)-1], low+1e-12*(high-low))
	}
	return newEigen(what, a)
}

// chebyshev is p(a)·x, p the Chebyshev polynomial of the interval from low to cut,
// scaled to be 1 at high.
func chebyshev(a, x blas64.General, degree int, low, cut, high float64) blas64.General {
	half, middle := (cut-low)/2, (cut+low)/2
	if !(half > 0) {
		half = math.Max(high-low, 1) * 1e-12
	}
	sigma1 := half / (high - middle)
	sigma := sigma1
	step := func(x, previous blas64.General, factor, back float64) blas64.General {
		y := dense.Mul(blas.NoTrans, a, blas.NoTrans, x)
		for i := range y.Rows {
			now, before := dense.Row(x, i), dense.Row(previous, i)
			for j, v := range dense.Row(y, i) {
				y.Data[i*y.Stride+j] = factor*(v-middle*now[j]) - back*before[j]
			}
		}
		return y
	}
	y := step(x, x, sigma1/half, 0)
	for range degree - 1 {
		next := 1 / (2/sigma1 - sigma)
		x, y = y, step(y, x, 2*next/half, sigma*next)
		sigma = next
	}
	return y
}

// leadingResidual is the largest ‖aq − θq‖ of the first k columns.
func leadingResidual(aq blas64.General, eig *eigen, k int) float64 {
	sums := make([]float64, k)
	for i := range aq.Rows {
		q := dense.Row(eig.Vectors, i)
		for j, v := range dense.Row(aq, i)[:k] {
			d := v - eig.Values[j]*q[j]
			sums[j] += d * d
		}
	}
	return math.Sqrt(krylov.Largest(sums))
}
