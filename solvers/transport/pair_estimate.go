package transport

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// estimateRows is how many left rows an estimate looks at.
const estimateRows = 64

// estimate compares the plan with diag(u)·K·diag(v), K being exact, on a sample of left rows:
// entry by entry, and in the masses of the rows. What u and v would be with the exact kernel is
// not in it. Cost: a pass over the right rows, with as many kernel entries for each as the
// sample has rows.
func (p *pair) estimate(ctx context.Context, f *Fit) error {
	left, right := p.left, p.right
	number, rows, err := p.drawLeft(ctx)
	if err != nil {
		return err
	}
	n := rows.Rows
	if n == 0 {
		return nil
	}
	show := left.shower()
	u, mass := make([]float64, n), make([]float64, n)
	factor := stream.NewMatrix(n, left.width())
	for i := range n {
		s, err := show(stream.RowSlice(rows, i, 1), number[i])
		if err != nil {
			return err
		}
		left.scalings(u[i:i+1], s, number[i], p.exponent(), p.used[0])
		left.products(mass[i:i+1], s, number[i], left.coef, left.exact)
		copy(dense.Row(factor, i), dense.Row(s.factor, 0))
	}
	// The coefficients of K̃ between right rows and the sample, of what a right row shows.
	z := dense.Transpose(left.embedded(factor))
	dense.ScaleRows(z, p.factors.Values)
	coef := right.lift(z)
	panel := left.kernel.Pack(rows)
	right.passes++
	right.entries += right.mass.n * int64(n)
	right.count(right.mass.n)
	left.count(int64(n))
	sum, err := stream.Fold(ctx, p.engine, "estimate", right.src, func() *sketch.Sum { return sketch.NewSum(3, n) }, func() func(*sketch.Sum, *stream.Block) error {
		var w kernelgen.Workspace
		show := right.shower()
		v := make([]float64, halfRows)
		exact, low := stream.NewMatrix(halfRows, n), stream.NewMatrix(halfRows, n)
		return func(a *sketch.Sum, b *stream.Block) error {
			for first, x := range b.Panels(halfRows) {
				start := b.Start + int64(first)
				s, err := show(x, start)
				if err != nil {
					return err
				}
				right.scalings(v[:x.Rows], s, start, p.exponent(), p.used[1])
				e, l := stream.RowSlice(exact, 0, x.Rows), stream.RowSlice(low, 0, x.Rows)
				right.kernel.Fill(e, x, panel, &w)
				dense.Gemm(blas.NoTrans, blas.NoTrans, 1, s.factor, coef, 0, l)
				for j := range x.Rows {
					_, repaired := right.place[start+int64(j)]
					for i, k := range dense.Row(e, j) {
						t := k * v[j]
						a.Data[2*n+i] += t
						a.Data[n+i] += t * t
						if !repaired {
							d := t - dense.Row(l, j)[i]*v[j]
							a.Data[i] += d * d
						}
					}
				}
			}
			return nil
		}
	})
	if err != nil {
		return err
	}
	var off, all, change, total float64
	for i := range n {
		if _, repaired := left.place[number[i]]; !repaired {
			off += u[i] * u[i] * sum.Data[i]
		}
		all += u[i] * u[i] * sum.Data[n+i]
		change += u[i] * math.Abs(sum.Data[2*n+i]-mass[i])
		total += u[i] * sum.Data[2*n+i]
	}
	remedy := "raise the `rank`, or take `engine exact`"
	from := "the exact kernel entries of sampled rows"
	f.Estimate(model.Estimate{Of: model.PlanFrobenius, Value: math.Sqrt(off / all), From: from, Remedy: remedy})
	f.Estimate(model.Estimate{Of: model.RowMasses, Value: change / total, From: from, Remedy: remedy})
	return nil
}

// drawLeft returns some left rows that have a mass, and their numbers.
func (p *pair) drawLeft(ctx context.Context) ([]int64, blas64.General, error) {
	n := p.left.mass.n
	s, err := sketch.NewSample(n, int(min(n, 4*estimateRows)), p.Seed, "transport estimate")
	if err != nil {
		return nil, blas64.General{}, err
	}
	var number []int64
	for _, i := range s.Positions() {
		if p.left.mass.at(i) > 0 {
			number = append(number, i)
		}
	}
	if step := (len(number) + estimateRows - 1) / estimateRows; step > 1 { // evenly, since they ascend
		kept := number[:0]
		for k := 0; k < len(number); k += step {
			kept = append(kept, number[k])
		}
		number = kept
	}
	if len(number) == 0 {
		return nil, stream.NewMatrix(0, len(p.left.src.Info().Columns)), nil
	}
	rows, err := stream.GatherRows(ctx, p.left.src, number)
	return number, rows, err
}

// embedded returns rows of U from what they show of it.
func (h *half) embedded(factor blas64.General) blas64.General {
	if h.held.Rows > 0 {
		return factor
	}
	r := h.factor.Rank()
	identity := stream.NewMatrix(r, r)
	for i := range r {
		identity.Data[i*r+i] = 1
	}
	return dense.Mul(blas.NoTrans, factor, blas.NoTrans, h.factor.Lift(identity))
}
