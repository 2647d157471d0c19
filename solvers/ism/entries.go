package ism

import (
	"context"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/stream"
)

// entries is a kernel between points: one of package kernelgen, or a curve of β.
type entries struct {
	kernel kernelgen.Kernel // of the points; the base alone if there is a curve
	curve  *kernelgen.Curve
	// anchored makes k(‖x‖²) + k(‖y‖²) − k(β) − k(0) of k(β), for a conditionally positive
	// definite −k: it is positive semi-definite, and the same as −k to a centred Γ
	// (Schölkopf 2001, "The kernel trick for distances", Proposition 1).
	anchored bool
}

// points are projected rows, packed to be columns.
type points struct {
	x       blas64.General
	panel   *kernelgen.Panel
	anchors []float64 // k(‖x‖²), of packed points of anchored entries
}

// anchor puts k(‖x_i‖²) into dst.
func (k entries) anchor(dst []float64, p points) {
	for i := range dst {
		dst[i] = dense.Dot(dense.Row(p.x, i), dense.Row(p.x, i))
	}
	k.curve.Apply(dst, nil)
}

func (k entries) pack(p points) points {
	p.panel = k.kernel.Pack(p.x)
	if k.anchored {
		p.anchors = make([]float64, p.x.Rows)
		k.anchor(p.anchors, p)
	}
	return p
}

// fill sets dst[i,j], a matrix without gaps, to the entry between rows i and marks j, which are packed.
func (k entries) fill(dst blas64.General, rows, marks points, w *kernelgen.Workspace) {
	k.kernel.Fill(dst, rows.x, marks.panel, w)
	if k.curve == nil {
		return
	}
	k.curve.Apply(dst.Data[:dst.Rows*dst.Cols], w)
	if k.anchored {
		k.addAnchors(dst, rows, marks)
	}
}

// betweenPanel is how many rows of a matrix in memory are worked on at a time: there are a few
// hundred.
const betweenPanel = 64

// between returns the entries between rows and marks, which are packed, computed by panels
// of rows, as many at a time as the engine has workers.
func (k entries) between(ctx context.Context, e stream.Engine, rows, marks points) (blas64.General, error) {
	out := stream.NewMatrix(rows.x.Rows, marks.x.Rows)
	rooms := sync.Pool{New: func() any { return new(kernelgen.Workspace) }}
	const n = betweenPanel
	return out, stream.Each(ctx, e.Threads, (rows.x.Rows+n-1)/n, func(i int) error {
		w := rooms.Get().(*kernelgen.Workspace)
		defer rooms.Put(w)
		part := rows.slice(i*n, min(n, rows.x.Rows-i*n))
		k.fill(stream.RowSlice(out, i*n, part.x.Rows), part, marks, w)
		return nil
	})
}

// addAnchors makes anchored entries of k(β).
func (k entries) addAnchors(dst blas64.General, rows, marks points) {
	own := make([]float64, dst.Rows)
	k.anchor(own, rows)
	zero := k.curve.At(0)
	for i := range dst.Rows {
		row := dense.Row(dst, i)
		for j, v := range row {
			row[j] = own[i] + marks.anchors[j] - v - zero
		}
	}
}

// diagonal sets dst[i] to the entry between point i and itself.
func (k entries) diagonal(dst []float64, p points) {
	k.kernel.Diag(dst, p.x)
	if k.curve == nil {
		return
	}
	if k.anchored {
		k.anchor(dst, p)
		zero := k.curve.At(0)
		for i := range dst {
			dst[i] = 2 * (dst[i] - zero)
		}
		return
	}
	k.curve.Apply(dst, nil)
}

// slice returns so many points from the first on, which share memory with p.
func (p points) slice(first, rows int) points { return points{x: stream.RowSlice(p.x, first, rows)} }

// at returns the points with the given indices.
func (p points) at(index []int) points { return points{x: dense.PickRows(p.x, index)} }
