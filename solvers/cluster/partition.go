package cluster

import (
	"encoding/binary"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/stream"
)

// partition accumulates what a round of k-means needs to know of the rows: the
// number in each cluster and the sum of their differences from its centre, which
// is exactly 0 for rows that lie there, the inertia, and how many have changed.
type partition struct {
	centres blas64.General // k×d, of the round
	sizes   []int
	offsets blas64.General // k×d
	inertia float64
	changed int
}

func newPartition(centres blas64.General) *partition {
	return &partition{centres: centres, sizes: make([]int, centres.Rows), offsets: stream.NewMatrix(centres.Rows, centres.Cols)}
}

// add takes in rows, given their squared distances from all centres, and puts
// the nearest centre of each and its distance into labels and distance.
func (p *partition) add(rows, distances blas64.General, labels []int, distance []float64) {
	for i := range rows.Rows {
		d := dense.Row(distances, i)
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
		p.give(nearest, dense.Row(rows, i))
	}
}

// give adds a row to a cluster.
func (p *partition) give(c int, row []float64) {
	p.sizes[c]++
	offset, centre := dense.Row(p.offsets, c), dense.Row(p.centres, c)
	for j, v := range row {
		offset[j] += v - centre[j]
	}
}

// take removes a row from its cluster.
func (p *partition) take(c int, row []float64, distance float64) {
	p.sizes[c]--
	offset, centre := dense.Row(p.offsets, c), dense.Row(p.centres, c)
	for j, v := range row {
		offset[j] -= v - centre[j]
	}
	p.inertia -= distance
}

// Merge adds what later has seen.
func (p *partition) Merge(later *partition) error {
	for c, n := range later.sizes {
		p.sizes[c] += n
	}
	for i, v := range later.offsets.Data {
		p.offsets.Data[i] += v
	}
	p.inertia += later.inertia
	p.changed += later.changed
	return nil
}

// Reset forgets everything.
func (p *partition) Reset() {
	clear(p.sizes)
	clear(p.offsets.Data)
	p.inertia, p.changed = 0, 0
}

// Name names the states of this accumulator, whatever its type is called.
func (p *partition) Name() string { return "partition" }

// MarshalBinary writes changed, inertia, sizes and offsets.
func (p *partition) MarshalBinary() ([]byte, error) {
	out := binary.LittleEndian.AppendUint64(nil, uint64(p.changed))
	out = binary.LittleEndian.AppendUint64(out, math.Float64bits(p.inertia))
	for _, n := range p.sizes {
		out = binary.LittleEndian.AppendUint64(out, uint64(n))
	}
	for _, v := range p.offsets.Data {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
	}
	return out, nil
}

// UnmarshalBinary reads what MarshalBinary of the same shape wrote.
func (p *partition) UnmarshalBinary(data []byte) error {
	if want := 16 + 8*len(p.sizes) + 8*len(p.offsets.Data); len(data) != want {
		return fmt.Errorf("cluster: a partition of %d clusters in %d columns has %d bytes, not %d", p.offsets.Rows, p.offsets.Cols, want, len(data))
	}
	number := func(i int) uint64 { return binary.LittleEndian.Uint64(data[8*i:]) }
	p.changed, p.inertia = int(number(0)), math.Float64frombits(number(1))
	for c := range p.sizes {
		p.sizes[c] = int(number(2 + c))
	}
	for i := range p.offsets.Data {
		p.offsets.Data[i] = math.Float64frombits(number(2 + len(p.sizes) + i))
	}
	return nil
}
