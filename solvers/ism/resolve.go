package ism

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// smallSample is how many rows of the sample medians and neighbours look at.
const smallSample = 1000

// some returns at most so many rows of the sample, at equal steps.
func (s *sampled) some(most int) points {
	size := min(most, s.x.Rows)
	index := make([]int, size)
	for i := range index {
		index[i] = i * s.x.Rows / size
	}
	return points{x: s.x}.at(index)
}

// medianRows is how many rows the words of kernels are worked out from, at most.
const medianRows = 500

// resolve puts numbers for the words of the kernel, works out local scales, and checks a
// user's derivative.
func (f *fitting) resolve(ctx context.Context) error {
	rows := f.held.some(smallSample)
	some := f.held.some(medianRows)
	var err error
	if f.kernel, err = model.Resolve(ctx, inHand(some.x), f.kernel, f.Seed); err != nil {
		return fmt.Errorf("%s: %w", f.data.src.Info().Name, err)
	}
	if f.terms, err = termsOf(f.kernel); err != nil {
		return err
	}
	for _, t := range f.terms {
		if t.local() && f.data.scales[t.Neighbour] == nil {
			scales, err := f.localScales(ctx, rows, t.Neighbour)
			if err != nil {
				return err
			}
			f.keepScales(t.Neighbour, scales)
		}
		if t.Custom {
			if err := t.checkDerivative(rows.x); err != nil {
				return err
			}
		}
	}
	return nil
}

// inHand are rows as data that words are worked out from.
type inHand blas64.General

// Shape returns the size of the rows.
func (x inHand) Shape() model.Shape { return model.Shape{Rows: int64(x.Rows), Columns: x.Cols} }

// Sample returns all rows.
func (x inHand) Sample(context.Context, int, uint64) (blas64.General, error) {
	return blas64.General(x), nil
}

// localScales returns σ_i of all rows: the distance from their neighbour with a number among
// the rows of the sample, those equal to them not counted; if there are fewer, from the
// farthest. One pass.
func (f *fitting) localScales(ctx context.Context, sample points, neighbour int) ([]float64, error) {
	size := sample.x.Rows
	if neighbour >= size {
		return nil, fmt.Errorf("relative(neighbour=%d): the sample has %d rows; take a smaller number", neighbour, size)
	}
	kernel := kernelgen.SquaredDistance.Kernel()
	panel := kernel.Pack(sample.x)
	all := make([]float64, f.data.n)
	err := stream.Map(ctx, f.data.engine, "local scales", f.data.src, 1, false, func() func(blas64.General, *stream.Block) error {
		x, tile := stream.NewMatrix(stream.PanelRows, f.data.d), stream.NewMatrix(stream.PanelRows, size)
		var work kernelgen.Workspace
		return func(dst blas64.General, b *stream.Block) error {
			for first, rows := range b.Panels(stream.PanelRows) {
				part, t := stream.RowSlice(x, 0, rows.Rows), stream.RowSlice(tile, 0, rows.Rows)
				f.data.take(part, rows)
				kernel.Fill(t, part, panel, &work)
				for i := range t.Rows {
					row := dense.Row(t, i)
					slices.Sort(row)
					equal := 0 // the row itself, and others like it
					for equal < size && row[equal] == 0 {
						equal++
					}
					dst.Data[(first+i)*dst.Stride] = math.Sqrt(row[min(equal+neighbour, size)-1])
				}
			}
			return nil
		}
	}, func(b *stream.Block, out blas64.General) error {
		for i := range out.Rows {
			s := out.Data[i*out.Stride]
			if !(s > 0 && s <= math.MaxFloat64) {
				return fmt.Errorf("%s: relative(neighbour=%d): row %d is %v away from that neighbour; no other row of the sample differs from it", f.data.src.Info().Name, neighbour, b.Start+int64(i), s)
			}
			all[int(b.Start)+i] = s
		}
		return nil
	})
	*f.data.passes++
	return all, err
}

// keepScales keeps σ_i of all rows, and those of the sample.
func (f *fitting) keepScales(neighbour int, all []float64) {
	f.data.scales[neighbour] = all
	own := make([]float64, len(f.held.rows))
	for i, r := range f.held.rows {
		own[i] = all[r]
	}
	f.held.scale[neighbour] = own
}

// checkDerivative compares a user's f' with differences of f at values of β that the rows
// have.
func (t term) checkDerivative(x blas64.General) error {
	k := t.Base.Kernel()
	n := min(x.Rows, 20)
	beta := stream.NewMatrix(n, n)
	k.Fill(beta, stream.RowSlice(x, 0, n), k.Pack(stream.RowSlice(x, 0, n)), nil)
	for _, b := range beta.Data {
		h := 1e-5 * math.Max(math.Abs(b), 1e-3)
		if t.Base == kernelgen.SquaredDistance && b < 2*h {
			continue
		}
		low, high, slope := t.Value.At(b-h), t.Value.At(b+h), t.Slope.At(b)
		if v := t.Value.At(b); v-v != 0 || slope-slope != 0 {
			return fmt.Errorf("ism: %v is %v and its derivative %v at %v; both must be finite where the rows are", t.Kernel, v, slope, b)
		}
		got := (high - low) / (2 * h)
		rounding := 1e-15 * math.Max(math.Abs(high), math.Abs(low)) / h
		if math.Abs(got-slope) > 1e-3*math.Max(math.Abs(got), math.Abs(slope))+100*rounding {
			return fmt.Errorf("ism: the derivative of %v at %v is given as %v, and differences of it are %v", t.Kernel, b, slope, got)
		}
	}
	return nil
}
