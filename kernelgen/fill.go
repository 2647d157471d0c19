package kernelgen

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/simd"
)

// Fill sets dst[i,j] = k(x_i, p_j): a tile of x.Rows × p.Rows() entries. It computes every required base once. Cost: 2
// to 3 operations for each base, entry and column, and the profiles for each entry.
//
// w is scratch memory; nil allocates it. Fill panics if the shapes do not fit, the kernel is unresolved or normalised
// by its row sums, or the panel was packed for a kernel with other bases.
func (k Kernel) Fill(dst, x blas64.General, p *Panel, w *Workspace) {
	k.checkFill(dst, x, p)
	if a := k.fused(); a != nil {
		simd.Fill(dst, x, p.side(a.spec.base), a.spec.base.spec().sum, a.profile.fused)
		return
	}
	if w == nil {
		w = new(Workspace)
	}
	for i := 0; i < x.Rows; i += blockRows {
		to := min(i+blockRows, x.Rows)
		k.fillStrip(matrix.Rows(dst, i, to-i), matrix.Rows(x, i, to-i), p, w)
	}
}

// fused returns the single atom of the kernel if its profile can be applied in registers, else nil.
func (k Kernel) fused() *atom {
	if len(k.terms) != 1 || k.terms[0].weight != 1 || len(k.terms[0].factors) != 1 {
		return nil
	}
	a := k.terms[0].factors[0].atom
	if a == nil || a.profile.apply != nil || !a.spec.base.ofRawRows() {
		return nil
	}
	return a
}

// Bounded reports whether the entries between finite rows are known to be finite, however far apart the rows are. NaN
// in a row gives NaN.
func (k Kernel) Bounded() bool {
	a := k.fused()
	return a != nil && a.spec.base.spec().ofDifferences && a.profile.fused.Bounded()
}

// fillStrip fills a tile of at most blockRows rows, piece by piece.
func (k Kernel) fillStrip(dst, x blas64.General, p *Panel, w *Workspace) {
	bases := k.bases()
	left := leftSide(bases, x, w)
	for j := 0; j < p.rows; j += blockCols {
		to := min(j+blockCols, p.rows)
		var b baseValues
		for base := range bases.each {
			b[base] = w.base(base, x.Rows*(to-j))
			fillBase(base, matrix.Of(b[base], x.Rows, to-j), left[base], p.side(base).Slice(j, to))
		}
		k.store(dst, j, to, &b, w)
	}
}

// leftSide returns the left rows prepared for each base.
func leftSide(bases baseSet, x blas64.General, w *Workspace) (left [numBases]blas64.General) {
	for b := range bases.each {
		left[b] = b.spec().rows.left(x, w)
	}
	return left
}

// store evaluates the kernel on the bases and writes columns from ≤ j < to.
func (k Kernel) store(dst blas64.General, from, to int, b *baseValues, w *Workspace) {
	n := to - from
	out := w.take(dst.Rows * n)
	evalTerms(out, k.terms, b, w)
	for i := range dst.Rows {
		copy(matrix.Row(dst, i)[from:to], out[i*n:(i+1)*n])
	}
	w.give(out)
}

func (k Kernel) checkFill(dst, x blas64.General, p *Panel) {
	k.checkTile(dst.Rows, dst.Cols, x, p.rows, p.cols, p.bases)
}

// checkTile panics unless a tile of rows × cols fits x and a panel.
func (k Kernel) checkTile(rows, cols int, x blas64.General, panelRows, panelCols int, packed baseSet) {
	k.checkReady()
	k.mustBePlain()
	if rows != x.Rows || cols != panelRows {
		panic(fmt.Sprintf("kernelgen: tile is %d×%d, want %d×%d", rows, cols, x.Rows, panelRows))
	}
	if x.Cols != panelCols {
		panic(fmt.Sprintf("kernelgen: rows of length %d against a panel of rows of length %d", x.Cols, panelCols))
	}
	for b, needed := range k.bases() {
		if needed && !packed[b] {
			panic(fmt.Sprintf("kernelgen: the panel was packed for a kernel without the %v", Base(b)))
		}
	}
}

func (k Kernel) checkReady() {
	if len(k.terms) == 0 {
		panic("kernelgen: the zero Kernel cannot be evaluated")
	}
	if !k.Resolved() {
		panic(fmt.Sprintf("kernelgen: %v must be resolved before it is evaluated", k))
	}
}
