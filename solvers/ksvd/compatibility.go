package ksvd

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Compatibility selects how the rows and the columns of an N×M matrix are brought to a common length: the longer kind
// is multiplied by the transpose of a matrix C (paper, Remark 3.2 and Algorithm 2). With X the p×q matrix, p < q, whose
// rows are the longer kind, C is q×p.
type Compatibility uint8

const (
	// CompatIdentity is for square matrices: C is the identity.
	CompatIdentity Compatibility = iota
	// CompatPseudoInverse is the paper's a0: C = X⁺ = ((XXᵀ)⁺X)ᵀ. X·C is then the projector onto the columns of X, the
	// identity if X has full rank. Singular values of X below 1e-12 of the largest count as zero.
	CompatPseudoInverse
	// CompatPCA is the paper's a1: C holds the p leading right singular vectors of X, which minimise ‖X − XCCᵀ‖_F. It
	// preserves distances between rows of X.
	CompatPCA
	// CompatRandom is the paper's a2: C is a matrix of standard normal numbers. As in the paper it is not scaled, so
	// squared distances grow by the factor p on average.
	CompatRandom
	// CompatAuto is the identity for a square matrix and the pseudo-inverse otherwise.
	CompatAuto
)

// Resolve replaces CompatAuto. It fails for the identity of a matrix that is not square.
func (c Compatibility) Resolve(rows, cols int64) (Compatibility, error) {
	switch {
	case c == CompatAuto && rows != cols:
		return CompatPseudoInverse, nil
	case c == CompatAuto:
		return CompatIdentity, nil
	case c == CompatIdentity && rows != cols:
		return c, fmt.Errorf("`Compatibility identity`: the rows and columns of a %d × %d matrix differ in length; use pinv, pca or random", rows, cols)
	}
	return c, nil
}

// RowsAndColumns returns data with the rows of an N×M matrix on the left and its columns on the right (paper,
// Definition 2.1), brought to one length by c. For a square matrix, C multiplies the rows. seed is for CompatRandom.
//
// It loads the matrix in one pass; methods then read it in memory. Memory: three times the matrix, and C with
// max(N,M)·min(N,M) numbers. Cost: O(N·M·min(N,M)) flops.
func RowsAndColumns(ctx context.Context, src stream.Source, c Compatibility, seed uint64) (*Data, error) {
	if _, err := Between(src, nil); err != nil {
		return nil, err
	}
	all, err := sourceOf(src).load(ctx)
	if err != nil {
		return nil, err
	}
	name, a := src.Info().Name, all.Dense
	if err := checkValues(src.Info(), a, 0); err != nil {
		return nil, err
	}
	n, m := a.Rows, a.Cols
	if c, err = c.Resolve(int64(n), int64(m)); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	d := &Data{kind: c}
	x, z := a, matrix.Transpose(a)
	if c != CompatIdentity {
		long := &x
		if n > m {
			long = &z
		}
		made, err := compatibility(*long, c, seed)
		if err != nil {
			return nil, err
		}
		if *long = dense.Mul(blas.NoTrans, *long, blas.NoTrans, made); !dense.Finite(*long) {
			return nil, fmt.Errorf("%s: its numbers are so small or so large that what makes rows and columns comparable overflows; scale the columns (`Treatment.Scale standard`)", name)
		}
		if n > m {
			d.maps[1] = made
		} else {
			d.maps[0] = made
		}
	}
	d.left, d.right = fromMatrix(name, x), fromMatrix("the columns of "+name, z)
	return d, nil
}

// MatrixPlan returns the size of the data that [RowsAndColumns] makes of a rows×cols matrix, and a plan of its memory.
// c must be resolved.
func MatrixPlan(e stream.Engine, rows, cols int64, c Compatibility) (model.Size, *model.Plan) {
	p := model.NewPlan(e, rows, 0)
	numbers := 3 * rows * cols
	if c != CompatIdentity {
		numbers *= 2 // C, and its workspace
	}
	p.Add("the matrix, its transpose, and what makes them comparable", numbers, "")
	return model.Size{Rows: rows, Cols: cols, Columns: int(min(rows, cols))}, p
}

// compatibility returns C for the p×q matrix x of the longer kind.
func compatibility(x blas64.General, kind Compatibility, seed uint64) (blas64.General, error) {
	if kind == CompatRandom {
		c := matrix.New(x.Cols, x.Rows)
		sketch.NewRandom(seed, "compatibility").Normals(c)
		return c, nil
	}
	// X = (QR)ᵀ = RᵀQᵀ, and with Rᵀ = U·S·Vᵀ the right singular vectors are Q·V.
	q, r, err := sketch.CholeskyQR(matrix.Transpose(x))
	if err != nil {
		return q, err
	}
	d, err := newSVD("the data matrix", matrix.Transpose(r))
	if err != nil {
		return q, err
	}
	if kind == CompatPCA {
		return dense.Mul(blas.NoTrans, q, blas.NoTrans, d.V), nil
	}
	k := dense.Rank(d.S, rankTolerance)
	v := matrix.Clone(matrix.Columns(d.V, 0, k))
	dense.ScaleColumns(v, dense.Reciprocals(d.S[:k]))
	return dense.Mul(blas.NoTrans, q, blas.NoTrans, dense.Mul(blas.NoTrans, v, blas.Trans, matrix.Columns(d.U, 0, k))), nil
}
