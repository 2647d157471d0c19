package transport

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// estimateRows is the most left rows of an estimate.
const estimateRows = 64

// estimate compares the plan with diag(u)·K·diag(v), where K is exact, in a sample of left rows. It leaves out how u and
// v change with the kernel. Cost: a pass over the right rows, with a kernel entry for each sampled row.
func (p *pair) estimate(ctx context.Context, f *Fit) error {
	left, right := p.left, p.right
	number, err := left.mass.sample(estimateRows, p.Seed)
	if err != nil {
		return err
	}
	rows, err := stream.GatherRows(ctx, left.src, number)
	if err != nil {
		return err
	}
	n := len(number)
	u, mass, factor := make([]float64, n), make([]float64, n), stream.NewMatrix(n, left.factor.Width())
	featuresOf, scale, products := left.features(), left.scalings(), left.products(left.product)
	for i := range n {
		of, err := featuresOf(stream.RowSlice(rows, i, 1), number[i])
		if err != nil {
			return err
		}
		scale(u[i:i+1], of)
		products(mass[i:i+1], of)
		copy(dense.Row(factor, i), dense.Row(of.factor, 0))
	}
	// The low-rank kernel between a right row and the sample is a linear function of the row of the factor.
	core := dense.Clone(left.factor.Lower(dense.Transpose(factor)))
	dense.ScaleRows(core, p.factors.Values)
	coef := right.factor.Lift(core)
	panel := left.kernel.Pack(rows)
	right.passes++
	right.entries += right.mass.n * int64(n)
	right.count(right.mass.n)
	left.count(int64(n))
	sum, err := stream.Fold(ctx, p.engine, "estimate", right.src, func() *sketch.Sum {
		return sketch.NewSum(3, n)
	}, func() func(*sketch.Sum, *stream.Block) error {
		var w kernelgen.Workspace
		panels, scale := right.panels(), right.scalings()
		v := make([]float64, halfRows)
		exact, low := stream.NewMatrix(halfRows, n), stream.NewMatrix(halfRows, n)
		return func(a *sketch.Sum, b *stream.Block) error {
			off, squares, masses := a.Data[:n], a.Data[n:2*n], a.Data[2*n:]
			return panels(b, func(f features) error {
				scale(v[:f.x.Rows], f)
				e, l := stream.RowSlice(exact, 0, f.x.Rows), stream.RowSlice(low, 0, f.x.Rows)
				right.kernel.Fill(e, f.x, panel, &w)
				dense.Gemm(blas.NoTrans, blas.NoTrans, 1, f.factor, coef, 0, l)
				for _, j := range right.repairedIn(f) {
					copy(dense.Row(l, j), dense.Row(e, j))
				}
				for j := range f.x.Rows {
					for i, k := range dense.Row(e, j) {
						t, d := k*v[j], (k-dense.Row(l, j)[i])*v[j]
						masses[i] += t
						squares[i] += t * t
						off[i] += d * d
					}
				}
				return nil
			})
		}
	})
	if err != nil {
		return err
	}
	var off, all, change, total float64
	for i, u := range u {
		if !slices.Contains(left.number, number[i]) {
			off += u * u * sum.Data[i]
		}
		all += u * u * sum.Data[n+i]
		change += u * math.Abs(sum.Data[2*n+i]-mass[i])
		total += u * sum.Data[2*n+i]
	}
	remedy := "raise the `rank`, or take `engine exact`"
	from := "the exact kernel entries of sampled rows"
	f.Estimate(model.Estimate{Of: model.PlanFrobenius, Value: math.Sqrt(off / all), From: from, Remedy: remedy})
	f.Estimate(model.Estimate{Of: model.RowMasses, Value: change / total, From: from, Remedy: remedy})
	return nil
}
