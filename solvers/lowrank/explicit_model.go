package lowrank

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/tilesize"
)

// Explicit replaces the kernel and the right side in a model Â = U·diag(Values)·Vᵀ of A = f∘(M), where M has the rows
// of a source. The features of its left side are f of a row: u(x) = f(x)·Projection·Refinement.
type Explicit struct {
	Map kernelgen.ElementMap // f
	V   blas64.General       // n×r, orthonormal columns
}

// mapFeatures applies f to the entries of a row.
type mapFeatures struct {
	f kernelgen.ElementMap
	n int
}

func (m mapFeatures) columns() int { return m.n }

func (m mapFeatures) applier() func(dst, x blas64.General) {
	return func(dst, x blas64.General) {
		for i := range x.Rows {
			m.f.Apply(matrix.Row(dst, i), matrix.Row(x, i))
		}
	}
}

// reason explains a value v of f that is not finite.
func (m mapFeatures) reason(v float64) string { return fmt.Sprintf("map %s gives %v", m.f, v) }

// verifyExplicit measures the error of a model of f∘(M) by the Lanczos method on AᵀA and EᵀE, with one pass a step.
func (m *Model) verifyExplicit(ctx context.Context, e stream.Engine, src stream.Source, seed uint64) (*model.Verification, error) {
	n := int(m.Cols)
	if err := input.CheckColumns(src.Info(), n); err != nil {
		return nil, err
	}
	e, err := family.ForModel(e, m)
	if err != nil {
		return nil, err
	}
	out := &model.Verification{Cols: m.Cols, TraceKept: math.NaN()}
	unit := unitOf(m.Values)
	norm, rest, err := lanczos(out, n, seed, func(x, y []float64) (ax, ey []float64, err error) {
		sum, err := m.products(ctx, e, src, unit, x, y)
		if err != nil {
			return nil, nil, err
		}
		out.Rows = sum.Count
		out.KernelEntries += out.Rows * m.Cols
		squares := matrix.Row(sum.General, 2)
		out.FrobeniusError = ratio(math.Sqrt(squares[1]), math.Sqrt(squares[0]))
		return matrix.Row(sum.General, 0)[:n], matrix.Row(sum.General, 1)[:n], nil
	})
	if err != nil {
		return nil, err
	}
	norm = math.Sqrt(norm)
	out.SpectralError, out.Norm = ratio(math.Sqrt(rest), norm), norm/unit
	return out, nil
}

// unitOf returns a unit of tiles for a matrix with the given singular values, as chooseUnit does for kernels.
func unitOf(values []float64) float64 {
	if len(values) == 0 {
		return 1
	}
	return tiles.ScaleFor(values[0])
}

// products makes one pass in a unit. Rows 0 and 1 of the result are AᵀA·x and EᵀE·y. Row 2 begins with the sums of
// squares of A and of E.
func (m *Model) products(ctx context.Context, e stream.Engine, src stream.Source, unit float64, x, y []float64) (*sketch.Sum, error) {
	n, info := len(x), src.Info()
	return stream.Fold(ctx, e, "verify", src, func() *sketch.Sum { return sketch.NewSum(3, max(2, n)) }, func() func(*sketch.Sum, *stream.Block) error {
		em, values := m.embedder(m.Left, m.Left.pack(), info), m.unitValues(unit)
		u, approx := matrix.New(tilesize.PanelRows, m.Left.Rank()), matrix.New(tilesize.PanelRows, n)
		return func(acc *sketch.Sum, b *stream.Block) error {
			for first, rows := range b.Panels(tilesize.PanelRows) {
				a, err := em.raw(rows, b.Start+int64(first))
				if err != nil {
					return err
				}
				part, diff := matrix.Rows(u, 0, a.Rows), matrix.Rows(approx, 0, a.Rows)
				em.project(part, a)
				dense.Scale(unit, a)
				dense.Gemm(blas.NoTrans, blas.Trans, 1, scaledColumns(part, values), m.Explicit.V, 0, diff)
				addProducts(acc, a, diff, x, y)
			}
			return nil
		}
	})
}

// addProducts adds the contribution of rows of A and their approximation.
func addProducts(acc *sketch.Sum, a, approx blas64.General, x, y []float64) {
	squares := matrix.Row(acc.General, 2)
	for i := range a.Rows {
		r, d := matrix.Row(a, i), matrix.Row(approx, i)
		for j, v := range r {
			d[j] = v - d[j]
		}
		matrix.Axpy(dense.Dot(r, x), r, matrix.Row(acc.General, 0)[:len(x)])
		matrix.Axpy(dense.Dot(d, y), d, matrix.Row(acc.General, 1)[:len(x)])
		acc.Count++
		squares[0] += dense.Dot(r, r)
		squares[1] += dense.Dot(d, d)
	}
}
