package askls

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
)

// Vectors of the system are b₁, b₂, a (n numbers) and b (n numbers), one column for each class: 2n+2 rows.

// unknowns are the parts of vectors of the system, sharing their memory.
type unknowns struct {
	b1, b2 []float64
	a, b   blas64.General
}

func partsOf(x blas64.General) unknowns {
	n := (x.Rows - 2) / 2
	return unknowns{matrix.Row(x, 0), matrix.Row(x, 1), matrix.Rows(x, 2, n), matrix.Rows(x, 2+n, n)}
}

// rightSide returns [0; 0; y; y] for targets y (n×k).
func rightSide(y blas64.General) blas64.General {
	r := matrix.New(2*y.Rows+2, y.Cols)
	parts := partsOf(r)
	copyInto(parts.a, y)
	copyInto(parts.b, y)
	return r
}

// system multiplies by M.
type system struct {
	k           kernelMatrix
	gamma       float64
	fullColumns int     // columns of the system of all samples, which precede those of folds
	scale       float64 // of K in the systems of folds
}

// multiply stores M·x in mx.
func (s system) multiply(ctx context.Context, x, mx blas64.General) error {
	from, to := partsOf(x), partsOf(mx)
	if err := s.k.Multiply(ctx, from.b, to.a, from.a, to.b); err != nil {
		return err
	}
	for _, side := range []blas64.General{to.a, to.b} {
		for i := 0; s.scale != 1 && i < side.Rows; i++ {
			blas64.Scal(s.scale, dense.Vector(matrix.Row(side, i)[s.fullColumns:]))
		}
	}
	clear(to.b1)
	clear(to.b2)
	for i := range from.a.Rows {
		xa, xb, ya, yb := matrix.Row(from.a, i), matrix.Row(from.b, i), matrix.Row(to.a, i), matrix.Row(to.b, i)
		for c := range xa {
			to.b1[c] += xa[c]
			to.b2[c] += xb[c]
			ya[c] += xa[c]/s.gamma + from.b1[c]
			yb[c] += xb[c]/s.gamma + from.b2[c]
		}
	}
	return nil
}

// bordered forms M from K (p×q). The borders are the vectors of ones of sources and targets, in the bases of K.
func bordered(k blas64.General, ones, targetOnes []float64, gamma float64) blas64.General {
	p, q := k.Rows, k.Cols
	m := matrix.New(p+q+2, p+q+2)
	for i := range p {
		setMirrored(m, 0, 2+i, ones[i])
		setMirrored(m, 2+i, 2+i, 1/gamma)
		for j, v := range matrix.Row(k, i) {
			setMirrored(m, 2+i, 2+p+j, v)
		}
	}
	for j := range q {
		setMirrored(m, 1, 2+p+j, targetOnes[j])
		setMirrored(m, 2+p+j, 2+p+j, 1/gamma)
	}
	return m
}

// setMirrored sets an entry and its mirror image.
func setMirrored(m blas64.General, i, j int, v float64) {
	m.Data[i*m.Stride+j] = v
	m.Data[j*m.Stride+i] = v
}

// copyInto copies src to dst, which has the same shape.
func copyInto(dst, src blas64.General) {
	for i := range src.Rows {
		copy(matrix.Row(dst, i), matrix.Row(src, i))
	}
}
