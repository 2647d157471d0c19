package transport

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// byFactors maps by the low-rank kernel, and where that gives a row no image as the nearest of
// Near.
func (m *Model) byFactors(side model.Side, info stream.Info) (func() mapper, error) {
	near := m.mapOf(side).nearest()
	return func() mapper {
		kernel, instead := m.byKernel(side, info), near()
		return func(dst, x blas64.General, start int64) error {
			bad, err := kernel(dst, x, start)
			if err == nil && len(bad) > 0 {
				instead(dst, x, bad)
			}
			return err
		}
	}, nil
}

// byKernel returns a function, for one goroutine, that maps rows by the low-rank kernel. It
// returns the rows that have no image: whose masses are not positive, or whose images lie far
// from all rows of the other side.
func (m *Model) byKernel(side model.Side, info stream.Info) func(dst, x blas64.General, start int64) (bad []int, err error) {
	to, factor := m.mapOf(side), m.Factors.Factor(side)
	rows, coefficients := factor.Rows(info), factor.Lift(to.Coefficients)
	d := to.Dimension()
	out := stream.NewMatrix(mapRows, d+1)
	var (
		w        kernelgen.Workspace
		panel    *kernelgen.Panel
		sections blas64.General
	)
	if to.Corrections.Rows > 0 {
		panel, sections = m.Factors.Kernel.Pack(to.Corrections), stream.NewMatrix(mapRows, to.Corrections.Rows)
	}
	return func(dst, x blas64.General, start int64) (bad []int, err error) {
		for first := 0; first < x.Rows; first += mapRows {
			part := stream.RowSlice(x, first, min(mapRows, x.Rows-first))
			y, err := rows(part, start+int64(first))
			if err != nil {
				return nil, err
			}
			z := stream.RowSlice(out, 0, part.Rows)
			dense.Gemm(blas.NoTrans, blas.NoTrans, 1, y, coefficients, 0, z)
			if panel != nil {
				s := stream.RowSlice(sections, 0, part.Rows)
				m.Factors.Kernel.Fill(s, part, panel, &w)
				dense.Gemm(blas.NoTrans, blas.NoTrans, 1, s, to.CorrectionValues, 1, z)
			}
			for i := range part.Rows {
				if !to.image(dense.Row(dst, first+i), dense.Row(z, i)) {
					bad = append(bad, first+i)
				}
			}
		}
		return bad, nil
	}
}

// image makes an image of its sums, and reports whether it is one.
func (to *Map) image(dst, sums []float64) bool {
	if !(sums[0] > 0) {
		return false
	}
	for j := range dst {
		dst[j] = to.Centre[j] + sums[j+1]/sums[0]
		if !(dst[j] >= to.Low[j] && dst[j] <= to.High[j]) {
			return false
		}
	}
	return true
}
