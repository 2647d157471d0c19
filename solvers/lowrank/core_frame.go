package lowrank

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// coreFrame is a basis u of the range of the embedded core points B, orthonormal or made
// so by a triangular factor, and the way back: B⁺ = back·(u·factor⁻¹)ᵀ.
type coreFrame struct {
	u, back blas64.General
	factor  blas64.General // empty where u is orthonormal
}

// gramCondition is the estimated condition of B up to which its Gram matrix is good enough: then the
// columns of B·factor⁻¹ are orthonormal to about ε times its square.
const gramCondition = 1e3

// coreFrame embeds the core points and returns their frame.
func (t *tiles) coreFrame(ctx context.Context, e stream.Engine, side *Embedding, landmarks, core *panel) (*coreFrame, error) {
	b, err := t.embedRows(ctx, e, side, landmarks, core, "core points")
	if err != nil {
		return nil, err
	}
	if b.Cols == 0 {
		return &coreFrame{u: b, back: stream.NewMatrix(0, 0)}, nil
	}
	if factor, ok := gramFactor(b); ok {
		return &coreFrame{u: b, back: triangularInverse(factor), factor: factor}, nil
	}
	return reflectedFrame(b)
}

// reflectedFrame goes through the triangular factor of B by reflections, and leaves out
// directions that the core points miss. It is what to compare with where the Gram matrix
// serves: B has rows of orthonormal columns, and so is well conditioned unless they do.
func reflectedFrame(b blas64.General) (*coreFrame, error) {
	qr := sketch.NewQR(b.Cols)
	if err := qr.Add(b); err != nil {
		return nil, err
	}
	back, _, err := whitening("the core points", qr.R(), coreTolerance)
	if err != nil {
		return nil, err
	}
	return &coreFrame{u: dense.Mul(blas.NoTrans, b, blas.NoTrans, back), back: back}, nil
}

// gramFactor returns the Cholesky factor of bᵀb, if b is well conditioned.
func gramFactor(b blas64.General) (factor blas64.General, ok bool) {
	factor = stream.NewMatrix(b.Cols, b.Cols)
	g := blas64.Symmetric{Uplo: blas.Upper, N: b.Cols, Stride: factor.Stride, Data: factor.Data}
	blas64.Syrk(blas.Trans, 1, b, 0, g)
	if _, ok := lapack64.Potrf(g); !ok || !dense.Finite(factor) {
		return factor, false
	}
	return factor, triangularCondition(factor) <= gramCondition
}

// orthonormal makes uᵀ·M·u of a symmetric M what it is in the orthonormal basis.
func (f *coreFrame) orthonormal(z blas64.General) {
	f.fromLeft(z)
	f.fromRight(z)
}

// fromLeft makes uᵀ·M what it is in the orthonormal basis.
func (f *coreFrame) fromLeft(z blas64.General) {
	if f.factor.Rows > 0 && z.Cols > 0 {
		blas64.Trsm(blas.Left, blas.Trans, 1, upperTriangle(f.factor), z)
	}
}

// fromRight makes M·u what it is in the orthonormal basis.
func (f *coreFrame) fromRight(z blas64.General) {
	if f.factor.Rows > 0 && z.Rows > 0 {
		blas64.Trsm(blas.Right, blas.NoTrans, 1, upperTriangle(f.factor), z)
	}
}
