package spectral

import (
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/linalg/symeig"
	"github.com/nystream/nystream/stream"
)

// leading returns the matrix by which F gives the first dim of the eigenvectors of
// F·diag(signs)·Fᵀ whose value is above 0.
func (f *factors) leading(signs []float64, dim int, tolerance float64) (turn blas64.General, err error) {
	rank := dense.Rank(f.s, tolerance)
	if rank == 0 {
		return turn, ErrZero
	}
	turn = dense.Clone(dense.Columns(f.v, 0, rank))
	for i := range turn.Rows {
		row := dense.Row(turn, i)
		for j := range row {
			row[j] /= f.s[j]
		}
	}
	if signs != nil {
		return f.signed(turn, signs, dim, tolerance)
	}
	return dense.Columns(turn, 0, min(dim, rank)), nil
}

// signed returns leading for signs, from V·Σ⁻¹.
func (f *factors) signed(turn blas64.General, signs []float64, dim int, tolerance float64) (blas64.General, error) {
	scaled := dense.Clone(dense.Columns(f.v, 0, turn.Cols))
	dense.ScaleColumns(scaled, f.s)
	signed := dense.Clone(scaled)
	dense.ScaleRows(signed, signs)
	values, z, err := symeig.Decompose(dense.SymmetricPart(dense.Mul(blas.Trans, scaled, blas.NoTrans, signed)))
	if err != nil {
		return turn, fmt.Errorf("the factors: %w", err)
	}
	k := dense.Rank(values, tolerance*tolerance)
	if k == 0 {
		return turn, ErrZero
	}
	return dense.Mul(blas.NoTrans, turn, blas.NoTrans, dense.Columns(z, 0, min(dim, k))), nil
}

// UnitRows returns m with each row divided by its norm; rows of zeros stay.
func UnitRows(m blas64.General) blas64.General {
	unit := stream.NewMatrix(m.Rows, m.Cols)
	for i := range m.Rows {
		norm := dense.Norm(dense.Row(m, i))
		if norm == 0 {
			continue
		}
		for j, v := range dense.Row(m, i) {
			unit.Data[i*unit.Stride+j] = v / norm
		}
	}
	return unit
}
