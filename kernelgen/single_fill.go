package kernelgen

import (
	"math"

	"github.com/nystream/nystream/internal/simd"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
)

// FillSingle is [Kernel.Fill] in float32: dst[i,j] is k(x_i, p_j), from rows
// rounded to float32. A kernel of one name that tiles apply in registers (the
// exponential family, polynomials) is computed in float32 throughout, at about
// twice the rate of float64; for any other kernel the bases are, and the rest in
// float64. [Kernel.SingleBounds] tells how far an entry may be from that of Fill.
//
// An entry depends on its two rows and the centre of the panel alone. Rows beyond
// the range of float32 (about 1e19 for squares) may give infinities or NaN. w and
// the panics are as in Fill.
func (k Kernel) FillSingle(dst blas32.General, x blas64.General, p *SinglePanel, w *Workspace) {
	k.checkTile(dst.Rows, dst.Cols, x, p.rows, p.cols, p.bases)
	if w == nil {
		w = new(Workspace)
	}
	a := k.fusedSingle()
	for i := 0; i < x.Rows; i += blockRows {
		to := min(i+blockRows, x.Rows)
		d, rows := rowRangeSingle(dst, i, to), rowRange(x, i, to)
		if a != nil {
			a.fillSingle(d, rows, p, w)
		} else {
			k.fillStripSingle(d, rows, p, w)
		}
	}
}

// fusedSingle is fused for tiles in float32: nil also when the profile has to be
// applied in float64.
func (k Kernel) fusedSingle() *atom {
	a := k.fused()
	if a == nil {
		return nil
	}
	if _, rounding := a.profile.fused.Rounding32(1); math.IsInf(rounding, 1) {
		return nil
	}
	return a
}

// fillSingle fills a tile of at most blockRows rows, in float32 throughout.
func (a *atom) fillSingle(dst simd.Matrix[float32], x blas64.General, p *SinglePanel, w *Workspace) {
	f := a.spec.base.spec().form
	simd.Fill(dst, w.narrowRows(x, f, p.centre), p.forms[f], a.spec.base.spec().sum, a.profile.fused)
}

// fillStripSingle fills a tile of at most blockRows rows, piece by piece: bases
// in float32, the rest in float64.
func (k Kernel) fillStripSingle(dst simd.Matrix[float32], x blas64.General, p *SinglePanel, w *Workspace) {
	bases := k.bases()
	left, wide := p.leftSide(bases, x, w), leftSide(bases.inDouble(), x, w)
	for j := 0; j < p.rows; j += blockCols {
		to := min(j+blockCols, p.rows)
		var b bound
		for base := range bases.each {
			b[base] = w.base(base, x.Rows*(to-j))
			if s := base.spec(); s.form == inDouble {
				fillBase(base, dense(b[base], x.Rows, to-j), wide[base], p.packed[s.rows].Slice(j, to))
			} else {
				fillBaseSingle(base, b[base], left[s.form], p.forms[s.form].Slice(j, to), w)
			}
		}
		k.storeSingle(dst, j, to, &b, w)
	}
}

// leftSide returns the rows that the bases are computed from, by form.
func (p *SinglePanel) leftSide(bases baseSet, x blas64.General, w *Workspace) (left [numForms]simd.Matrix[float32]) {
	var done [numForms]bool
	for b := range bases.each {
		if f := b.spec().form; !done[f] && f != inDouble {
			left[f], done[f] = w.narrowRows(x, f, p.centre), true
		}
	}
	return left
}

// fillBaseSingle computes one base over a tile in float32, and widens it.
func fillBaseSingle(b Base, dst []float64, x simd.Matrix[float32], p simd.PackedRows[float32], w *Workspace) {
	tile := denseSingle(w.single.take(len(dst)), x.Rows, p.Rows())
	simd.Fill(tile, x, p, b.spec().sum, simd.Profile{})
	simd.Widen(dst, tile.Data[:len(dst)], 1)
	if finish := b.spec().finish; finish != nil {
		finish(dense(dst, x.Rows, p.Rows()))
	}
}

// storeSingle is store for float32.
func (k Kernel) storeSingle(dst simd.Matrix[float32], from, to int, b *bound, w *Workspace) {
	n := to - from
	out := w.take(dst.Rows * n)
	evalTerms(out, k.terms, b, w)
	for i := range dst.Rows {
		narrow(dst.Data[i*dst.Stride+from:][:n], out[i*n:])
	}
	w.give(out)
}

// singleSpace is the part of a workspace that is in float32.
type singleSpace struct {
	rows [numForms][]float32
	tile []float32
}

func (s *singleSpace) take(n int) []float32 {
	if s.tile == nil {
		s.tile = make([]float32, blockSize)
	}
	return s.tile[:n]
}

// narrowRows rounds at most blockRows rows to float32, in the workspace's memory.
func (w *Workspace) narrowRows(x blas64.General, f form, centre []float64) simd.Matrix[float32] {
	n := x.Rows * x.Cols
	if len(w.single.rows[f]) < n {
		w.single.rows[f] = make([]float32, n)
	}
	m := denseSingle(w.single.rows[f][:n], x.Rows, x.Cols)
	narrowRows(m, x, f, centre, w)
	return m
}

// rowRangeSingle returns the rows from ≤ i < to of m, sharing memory with it.
func rowRangeSingle(m blas32.General, from, to int) simd.Matrix[float32] {
	part := simd.Matrix[float32]{Rows: to - from, Cols: m.Cols, Stride: m.Stride}
	if m.Cols > 0 && to > from {
		part.Data = m.Data[from*m.Stride:]
	}
	return part
}
