package cluster

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// squaredDistance is summed from differences, so equal rows have exactly 0.
var squaredDistance = kernelgen.New(kernelgen.Profile{
	Name: "squareddistance", Base: kernelgen.SquaredDistance,
	F: func(r2 float64) float64 { return r2 },
})

// lloyd is one run of Lloyd's algorithm (Lloyd 1982, "Least squares quantization
// in PCM").
type lloyd struct {
	engine   stream.Engine
	x        blas64.General
	src      stream.Source
	centres  blas64.General
	labels   []int     // nearest centre of each row, the first of equally near ones
	distance []float64 // squared, from that centre
}

func newLloyd(e stream.Engine, x blas64.General, k int) *lloyd {
	l := &lloyd{engine: e, x: x, src: stream.FromMatrix("rows", x), centres: stream.NewMatrix(k, x.Cols)}
	l.labels, l.distance = make([]int, x.Rows), make([]float64, x.Rows)
	for i := range l.labels {
		l.labels[i] = -1
	}
	return l
}

// cluster alternates between nearest centres and means until the rule of
// [KMeans] is met.
func (l *lloyd) cluster(ctx context.Context, rounds int, tolerance float64) (*Clustering, error) {
	c := &Clustering{}
	var part *partition
	var err error
	for c.Rounds < rounds && !c.Settled {
		c.Rounds++
		if part, err = l.assign(ctx); err != nil {
			return nil, err
		}
		moved := l.move(part)
		c.Settled = part.changed == 0 || moved <= tolerance
	}
	if part, err = l.assign(ctx); err != nil { // labels that belong to the last centres
		return nil, err
	}
	c.Labels, c.Centres, c.Inertia, c.Sizes = l.labels, l.centres, max(0, part.inertia), part.sizes
	return c, nil
}

// assign finds the nearest centre of each row, by one pass, and gives the rows of
// a cluster to every centre that got none.
func (l *lloyd) assign(ctx context.Context) (*partition, error) {
	panel := squaredDistance.Pack(l.centres)
	part, err := stream.Fold(ctx, l.engine, "k-means", l.src, func() *partition { return newPartition(l.centres) },
		func() func(acc *partition, b *stream.Block) error {
			tile := stream.NewMatrix(stream.PanelRows, l.centres.Rows)
			var work kernelgen.Workspace
			return func(acc *partition, b *stream.Block) error {
				for first, rows := range b.Panels(stream.PanelRows) {
					t := stream.RowSlice(tile, 0, rows.Rows)
					squaredDistance.Fill(t, rows, panel, &work)
					at := int(b.Start) + first
					acc.add(rows, t, l.labels[at:at+rows.Rows], l.distance[at:at+rows.Rows])
				}
				return nil
			}
		})
	if err != nil {
		return nil, err
	}
	return part, l.repair(part)
}

// repair moves the row that is farthest from its centre to each empty cluster,
// whose centre it becomes.
func (l *lloyd) repair(part *partition) error {
	for c, size := range part.sizes {
		if size > 0 {
			continue
		}
		far := l.farthest(part.sizes)
		if far < 0 {
			return fmt.Errorf("cluster: a cluster has lost its rows and all rows are at their centres: fewer than %d rows differ; ask for fewer clusters", len(part.sizes))
		}
		row := dense.Row(l.x, far)
		part.take(l.labels[far], row, l.distance[far])
		copy(dense.Row(l.centres, c), row)
		part.give(c, row)
		l.labels[far], l.distance[far] = c, 0
		part.changed++
	}
	return nil
}

// farthest returns the row with the largest distance in a cluster of several rows, the
// first of equal ones, or −1 if there is none with a distance.
func (l *lloyd) farthest(sizes []int) int {
	far := -1
	for i, d := range l.distance {
		if d > 0 && sizes[l.labels[i]] > 1 && (far < 0 || d > l.distance[far]) {
			far = i
		}
	}
	return far
}

// move puts the centres to the means of their rows and returns the sum of the
// squared distances that they have moved.
func (l *lloyd) move(part *partition) float64 {
	moved := 0.0
	for c, size := range part.sizes {
		centre := dense.Row(l.centres, c)
		for j, s := range dense.Row(part.offsets, c) {
			step := s / float64(size)
			moved += step * step
			centre[j] += step
		}
	}
	return moved
}
