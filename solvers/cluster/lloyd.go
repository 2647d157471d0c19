package cluster

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/stream"
)

// squaredDistance is summed from differences: the distance of equal rows is exactly 0.
var squaredDistance = kernelgen.New(kernelgen.Profile{
	Name: "squareddistance", Base: kernelgen.SquaredDistance,
	F: func(r2 float64) float64 { return r2 },
})

// lloyd is one run of Lloyd's algorithm (Lloyd 1982, "Least squares quantization
// in PCM").
type lloyd struct {
	engine   stream.Engine
	x        blas64.General
	centers  blas64.General
	labels   []int     // nearest center of each row; the first in a tie
	distance []float64 // squared, to that center
}

func newLloyd(e stream.Engine, x blas64.General, k int) *lloyd {
	l := &lloyd{engine: e, x: x, centers: matrix.New(k, x.Cols)}
	l.labels, l.distance = make([]int, x.Rows), make([]float64, x.Rows)
	for i := range l.labels {
		l.labels[i] = -1
	}
	return l
}

// chunkRows is the number of rows a worker takes at a time. Results of chunks are summed in row order, so they have the
// same bits for any number of threads.
const chunkRows = 1024

// overRows calls do for chunks of the rows in parallel, and take with each result in row order.
func overRows[R any](ctx context.Context, l *lloyd, do func(rows blas64.General, first int) R, take func(R)) error {
	chunks := (l.x.Rows + chunkRows - 1) / chunkRows
	return stream.Collect(ctx, l.engine.Threads, chunks, func(i int) (R, error) {
		first := i * chunkRows
		return do(matrix.Rows(l.x, first, min(chunkRows, l.x.Rows-first)), first), nil
	}, func(r R) error {
		take(r)
		return nil
	})
}

// cluster alternates between assignments and means until the stopping rule of [KMeans] holds.
func (l *lloyd) cluster(ctx context.Context, iterations int, tolerance float64) (*Clustering, error) {
	converged := false
	for n := 0; n < iterations && !converged; n++ {
		part, err := l.assign(ctx)
		if err != nil {
			return nil, err
		}
		moved := l.move(part)
		converged = part.changed == 0 || moved <= tolerance
	}
	part, err := l.assign(ctx) // assignments to the final centers
	if err != nil {
		return nil, err
	}
	return &Clustering{Labels: l.labels, Centers: l.centers, Inertia: max(0, part.inertia), NotConverged: !converged}, nil
}

// assign finds the nearest center of each row, and fills empty clusters.
func (l *lloyd) assign(ctx context.Context) (*partition, error) {
	distances, centers := tiles.Plain(squaredDistance), &tiles.Rows{Dense: l.centers}
	all := newPartition(l.centers)
	err := overRows(ctx, l, func(rows blas64.General, first int) *partition {
		part := newPartition(l.centers)
		tile := matrix.New(rows.Rows, l.centers.Rows)
		distances.FillDense(tile, rows, centers, nil)
		part.add(rows, tile, l.labels[first:first+rows.Rows], l.distance[first:first+rows.Rows])
		return part
	}, all.merge)
	if err != nil {
		return nil, err
	}
	return all, l.repair(all)
}

// repair moves the row farthest from its center to each empty cluster, as the new center.
func (l *lloyd) repair(part *partition) error {
	for c, size := range part.sizes {
		if size > 0 {
			continue
		}
		far := l.farthest(part.sizes)
		if far < 0 {
			return fmt.Errorf("a cluster has lost its rows and all rows are at their centers: fewer than %d rows differ; ask for fewer clusters", len(part.sizes))
		}
		row := matrix.Row(l.x, far)
		part.removeRow(l.labels[far], row, l.distance[far])
		copy(matrix.Row(l.centers, c), row)
		part.addRow(c, row)
		l.labels[far], l.distance[far] = c, 0
		part.changed++
	}
	return nil
}

// farthest returns the row with the largest distance among clusters of several rows, the first in a tie. It returns −1
// if all distances are 0.
func (l *lloyd) farthest(sizes []int) int {
	far := -1
	for i, d := range l.distance {
		if d > 0 && sizes[l.labels[i]] > 1 && (far < 0 || d > l.distance[far]) {
			far = i
		}
	}
	return far
}

// move sets the centers to the means of their rows and returns the sum of the squared distances moved.
func (l *lloyd) move(part *partition) float64 {
	moved := 0.0
	for c, size := range part.sizes {
		center := matrix.Row(l.centers, c)
		for j, s := range matrix.Row(part.offsets, c) {
			step := s / float64(size)
			moved += step * step
			center[j] += step
		}
	}
	return moved
}
