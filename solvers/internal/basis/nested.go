package basis

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/sketch"
)

// Nested returns T and U' for whitened landmarks J, UᵀU = K(J, J), and those of them at ascending places, J':
//
//	U'ᵀU' = K(J', J')        k(x, J')·U'⁻¹ = k(x, J)·U⁻¹·T
//
// T has orthonormal columns. The lower triangle of U is ignored. Cost for p landmarks, q of them nested: 3·p·q² flops.
func Nested(upper blas64.General, places []int) (t, nested blas64.General, err error) {
	t = dense.PickColumns(upper, places)
	for k, place := range places {
		for i := place + 1; i < t.Rows; i++ {
			matrix.Row(t, i)[k] = 0
		}
	}
	qr := sketch.NewQR(t.Cols)
	if err := qr.Add(matrix.Clone(t)); err != nil {
		return t, nested, err
	}
	nested = qr.R()
	blas64.Trsm(blas.Right, blas.NoTrans, 1, Upper(nested), t)
	return t, nested, nil
}
