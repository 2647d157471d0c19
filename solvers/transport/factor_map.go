package transport

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// byFactors maps by the low-rank kernel. A row without an image is moved by the nearest displacement.
func (m *Model) byFactors(side model.Side, info stream.Info) func() mapper {
	near := m.mapOf(side).byNearest()
	return func() mapper {
		kernel, nearest := m.byKernel(side, info), near()
		return func(dst, x blas64.General, start int64) error {
			if err := kernel(dst, x, start); err != nil {
				return err
			}
			for i := range dst.Rows {
				if !math.IsNaN(matrix.Row(dst, i)[0]) {
					continue
				}
				if err := nearest(matrix.Rows(dst, i, 1), matrix.Rows(x, i, 1), start+int64(i)); err != nil {
					return err
				}
			}
			return nil
		}
	}
}

// byKernel returns a mapper by the low-rank kernel. A row has NaN for its image if its mass is not positive, or if the
// image is far from all rows of the other side.
func (m *Model) byKernel(side model.Side, info stream.Info) mapper {
	to, factor := m.mapOf(side), m.Factors.Factor(side)
	rows, coefficients := factor.Rows(info), factor.Lift(to.Coefficients)
	var out, sections []float64 // grow to the largest panel so far
	kernel, columns := tiles.Plain(m.Factors.Kernel), &tiles.Rows{Dense: to.Corrections}
	var w kernelgen.Workspace
	return func(dst, x blas64.General, start int64) error {
		y, err := rows(x, start)
		if err != nil {
			return err
		}
		z := matrix.Reuse(&out, x.Rows, to.Dimension()+1)
		dense.GemmRows(blas.NoTrans, y, coefficients, 0, z)
		if to.Corrections.Rows > 0 {
			s := matrix.Reuse(&sections, x.Rows, to.Corrections.Rows)
			kernel.FillDense(s, x, columns, &w)
			dense.GemmRows(blas.NoTrans, s, to.CorrectionValues, 1, z)
		}
		for i := range x.Rows {
			to.image(matrix.Row(dst, i), matrix.Row(z, i))
		}
		return nil
	}
}

// image divides sums by the first of them. The image is NaN if the first is not positive, or the image is out of
// bounds.
func (to *Mapping) image(dst, sums []float64) {
	ok := sums[0] > 0
	for j := range dst {
		dst[j] = to.Center[j] + sums[j+1]/sums[0]
		ok = ok && dst[j] >= to.Low[j] && dst[j] <= to.High[j]
	}
	if !ok {
		dst[0] = math.NaN()
	}
}
