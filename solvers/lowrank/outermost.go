package lowrank

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// The outermost eigenvalues of small matrices in memory, to a few per cent, by a
// block Krylov method from random columns (Musco & Musco 2015).
const (
	ritzBlock  = 8
	ritzBlocks = 6
)

// outermost are estimates of the least and the largest eigenvalue of a symmetric
// matrix, between the two. Cost: 96·n² flops.
func outermost(a blas64.General) (low, high float64, err error) {
	return ritzRange(a.Rows, func(dst, x blas64.General) { dense.Gemm(blas.NoTrans, blas.NoTrans, 1, a, x, 0, dst) })
}

// ritzRange is outermost for a matrix that is known by its products, dst = A·x.
func ritzRange(n int, multiply func(dst, x blas64.General)) (low, high float64, err error) {
	if n == 0 {
		return 0, 0, nil
	}
	space := newBlockBasis(n, n, min(n, ritzBlock*ritzBlocks))
	block := stream.NewMatrix(n, min(n, ritzBlock))
	noise := sketch.NewStream(0, "outermost eigenvalues")
	for i := range n {
		draws := noise.At(uint64(i))
		for j := range block.Cols {
			dense.Row(block, i)[j] = draws.Normal()
		}
	}
	for {
		grown, err := space.add(block, 0)
		if err != nil {
			return 0, 0, err
		}
		if !grown {
			break
		}
		x, y := space.unknown()
		multiply(y, x)
		space.known = space.cols
		block = space.newestProduct()
	}
	eig, err := newEigen("the projected sample", dense.Mul(blas.Trans, space.basis(), blas.NoTrans, space.product()))
	if err != nil {
		return 0, 0, err
	}
	return eig.Values[len(eig.Values)-1], eig.Values[0], nil
}
