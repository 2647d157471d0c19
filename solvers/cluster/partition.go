package cluster

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/internal/matrix"
)

// partition accumulates one iteration of k-means: cluster sizes, sums of differences from the centers, inertia, and the
// number of rows that changed cluster. The difference of a row equal to its center is exactly 0.
type partition struct {
	centers blas64.General // k×d, of the iteration
	sizes   []int
	offsets blas64.General // k×d
	inertia float64
	changed int
}

func newPartition(centers blas64.General) *partition {
	return &partition{centers: centers, sizes: make([]int, centers.Rows), offsets: matrix.New(centers.Rows, centers.Cols)}
}

// add assigns rows, given their squared distances from all centers. It writes the nearest center of each row to labels
// and its distance to distance.
func (p *partition) add(rows, distances blas64.General, labels []int, distance []float64) {
	for i := range rows.Rows {
		d := matrix.Row(distances, i)
		nearest := 0
		for c, v := range d {
			if v < d[nearest] {
				nearest = c
			}
		}
		if labels[i] != nearest {
			p.changed++
		}
		labels[i], distance[i] = nearest, d[nearest]
		p.inertia += d[nearest]
		p.addRow(nearest, matrix.Row(rows, i))
	}
}

// addRow adds a row to a cluster.
func (p *partition) addRow(c int, row []float64) {
	p.sizes[c]++
	offset, center := matrix.Row(p.offsets, c), matrix.Row(p.centers, c)
	for j, v := range row {
		offset[j] += v - center[j]
	}
}

// removeRow removes a row from its cluster.
func (p *partition) removeRow(c int, row []float64, distance float64) {
	p.sizes[c]--
	offset, center := matrix.Row(p.offsets, c), matrix.Row(p.centers, c)
	for j, v := range row {
		offset[j] -= v - center[j]
	}
	p.inertia -= distance
}

// merge adds the sums of later, which holds the rows that follow.
func (p *partition) merge(later *partition) {
	for c, n := range later.sizes {
		p.sizes[c] += n
	}
	dense.Add(1, later.offsets, p.offsets)
	p.inertia += later.inertia
	p.changed += later.changed
}
