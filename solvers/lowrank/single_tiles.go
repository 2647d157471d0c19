package lowrank

import (
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/stream"
)

// singleTiles computes tiles, and folds them, in float32. It belongs to one
// goroutine.
type singleTiles struct {
	t     *tiles
	panel *kernelgen.SinglePanel
	signs *sketch.SparseSign // or nil
	tile  blas32.General     // foldRows × p
	fold  blas32.General     // foldRows × c, if there are signs
}

func newSingleTiles(t *tiles, p *panel, signs *sketch.SparseSign) *singleTiles {
	s := &singleTiles{t: t, panel: p.single(), signs: signs, tile: newSingle(foldRows, p.rows.Rows)}
	if signs != nil {
		s.fold = newSingle(foldRows, signs.Cols)
	}
	return s
}

// fill puts K(x, p)·Ĉ into dst, or K(x, p) without signs.
func (s *singleTiles) fill(dst, x blas64.General, w *kernelgen.Workspace) {
	for first := 0; first < x.Rows; first += foldRows {
		n := min(foldRows, x.Rows-first)
		out := firstRows(s.tile, n)
		s.t.kernel.FillSingle(out, stream.RowSlice(x, first, n), s.panel, w)
		if s.signs != nil {
			fold := firstRows(s.fold, n)
			s.signs.FoldColsSingle(fold, out)
			out = fold
		}
		sketch.Widen(stream.RowSlice(dst, first, n), out, s.t.unit)
	}
	s.t.entries.Add(int64(x.Rows) * int64(s.panel.Rows()))
}

func newSingle(rows, cols int) blas32.General {
	return blas32.General{Rows: rows, Cols: cols, Stride: max(1, cols), Data: make([]float32, rows*cols)}
}

// firstRows returns the first n rows of m, sharing memory with it.
func firstRows(m blas32.General, n int) blas32.General {
	m.Rows = n
	return m
}
