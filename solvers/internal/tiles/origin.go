package tiles

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"

	"github.com/nystream/nystream/kernelgen"
)

// OriginRows is the number of rows that a worker shifts at a time.
const OriginRows = 64

// SetOrigin makes tiles between dense rows those of k(x − origin, z − origin); nil means no shift. Kernels with a
// normaliser cannot have an origin. Call it before the first tile.
func (t *Tiles) SetOrigin(origin []float64) { t.origin = origin }

// Origin returns the origin, nil if there is none.
func (t *Tiles) Origin() []float64 { return t.origin }

// shifted returns x minus the origin, or x itself without one.
func (t *Tiles) shifted(x blas64.General) blas64.General {
	if t.origin == nil {
		return x
	}
	out := matrix.New(x.Rows, x.Cols)
	t.shift(out, x)
	return out
}

func (t *Tiles) shift(out, x blas64.General) {
	for i := range x.Rows {
		to := matrix.Row(out, i)
		for j, v := range matrix.Row(x, i) {
			to[j] = v - t.origin[j]
		}
	}
}

// eachShifted calls do with blocks of at most [OriginRows] shifted rows, and the index of the first row of each.
// Without an origin it calls do once, with x.
func (t *Tiles) eachShifted(x blas64.General, do func(first int, x blas64.General)) {
	if t.origin == nil {
		do(0, x)
		return
	}
	room, _ := t.matrixPool.Get().(*blas64.General)
	if room == nil || room.Cols != x.Cols {
		m := matrix.New(OriginRows, x.Cols)
		room = &m
	}
	defer t.matrixPool.Put(room)
	for first := 0; first < x.Rows; first += OriginRows {
		n := min(OriginRows, x.Rows-first)
		part := matrix.Rows(*room, 0, n)
		t.shift(part, matrix.Rows(x, first, n))
		do(first, part)
	}
}

// SelfEntries stores k(x_i, x_i) of each row in dst, without the scale.
func (t *Tiles) SelfEntries(dst []float64, x blas64.General) {
	t.eachShifted(x, func(first int, x blas64.General) { t.Kernel.Diag(dst[first:first+x.Rows], x) })
}

// fillShifted fills a tile of left rows that are already shifted.
func (t *Tiles) fillShifted(dst, left blas64.General, right *Rows, w *kernelgen.Workspace) {
	if t.logarithm {
		t.raw.FillLog(dst, left, right.panel(t), w)
		return
	}
	t.raw.Fill(dst, left, right.panel(t), w)
	for i := range dst.Rows {
		t.scale(matrix.Row(dst, i))
	}
}
