package ism

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// smallSample is how many rows of the sample medians, neighbours and alignment look at.
const smallSample = 1000

// some are at most so many rows of the sample, at equal steps, and their indices.
func (s *sampled) some(most int) (points, []int) {
	size := min(most, s.x.Rows)
	index := make([]int, size)
	for i := range index {
		index[i] = i * s.x.Rows / size
	}
	return points{x: s.x}.at(index), index
}

// resolve puts numbers for the words of the kernel, works out local scales, checks a
// user's derivative, and weighs the terms of an aligned kernel.
func (f *fitting) resolve(ctx context.Context) (Kernel, error) {
	rows, _ := f.held.some(smallSample)
	var k Kernel
	for _, t := range f.Kernel.terms {
		a := &atom{spec: t.atom.spec, args: slices.Clone(t.atom.args)}
		if !a.resolved() { // sigma=median
			some, _ := f.held.some(medianRows)
			median, err := medianDistance(some.x)
			if err != nil {
				return k, err
			}
			a.args[0] = median
		}
		s := a.shape()
		if s.local && f.data.scales[s.neighbour] == nil {
			scales, err := f.localScales(ctx, rows, s.neighbour)
			if err != nil {
				return k, err
			}
			f.keepScales(s.neighbour, scales)
		}
		if a.spec.user {
			if err := checkDerivative(a.spec.name, s, rows.x); err != nil {
				return k, err
			}
		}
		k.terms = append(k.terms, term{t.weight, a})
	}
	if f.Kernel.aligned != notAligned {
		return f.align(k)
	}
	return k, nil
}

// medianRows is how many rows a median looks at, at most.
const medianRows = 500

// medianDistance is the median of the distances between different rows.
func medianDistance(x blas64.General) (float64, error) {
	k := kernelgen.SquaredDistance.Kernel()
	squares := stream.NewMatrix(x.Rows, x.Rows)
	k.Fill(squares, x, k.Pack(x), nil)
	var all []float64
	for i := range x.Rows {
		for _, v := range dense.Row(squares, i)[:i] {
			if v > 0 {
				all = append(all, v)
			}
		}
	}
	if len(all) == 0 {
		return 0, errors.New("ism: sigma=median: the rows of the sample are all the same; give a number")
	}
	slices.Sort(all)
	m := len(all) / 2
	sigma := math.Sqrt(all[m])
	if len(all)%2 == 0 {
		sigma = (math.Sqrt(all[m-1]) + sigma) / 2
	}
	if positive(sigma) && positive(1/(2*sigma*sigma)) {
		return sigma, nil
	}
	return 0, errors.New("ism: sigma=median: the median distance is beyond float64; scale the rows")
}

// localScales are σ_i of all rows: the distance from their neighbour with a number among
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
			if !positive(s) {
				return fmt.Errorf("%s: relative(neighbour=%d): row %d is %v away from that neighbour; no other row of the sample differs from it", f.data.src.Info().Name, neighbour, b.Start+int64(i), s)
			}
			all[int(b.Start)+i] = s
		}
		return nil
	})
	*f.data.passes++
	return all, err
}

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
func checkDerivative(name string, s shape, x blas64.General) error {
	k := s.base.generated().Kernel()
	n := min(x.Rows, 20)
	beta := stream.NewMatrix(n, n)
	k.Fill(beta, stream.RowSlice(x, 0, n), k.Pack(stream.RowSlice(x, 0, n)), nil)
	for _, b := range beta.Data {
		h := 1e-5 * math.Max(math.Abs(b), 1e-3)
		if s.base == SquaredDistance && b < 2*h {
			continue
		}
		low, high, slope := s.f.at(b-h), s.f.at(b+h), s.df.at(b)
		if v := s.f.at(b); v-v != 0 || slope-slope != 0 {
			return fmt.Errorf("ism: %s is %v and its derivative %v at %v; both must be finite where the rows are", name, v, slope, b)
		}
		got := (high - low) / (2 * h)
		rounding := 1e-15 * math.Max(math.Abs(high), math.Abs(low)) / h
		if math.Abs(got-slope) > 1e-3*math.Max(math.Abs(got), math.Abs(slope))+100*rounding {
			return fmt.Errorf("ism: the derivative of %s at %v is given as %v, and differences of it are %v", name, b, slope, got)
		}
	}
	return nil
}
