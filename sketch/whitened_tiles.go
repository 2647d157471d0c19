package sketch

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/simd"
)

// A Gram matrix of thousands of columns takes many megabytes. So the threads of a pass do not
// have one each: they whiten blocks of rows, and then add tiles of all blocks to the same matrix.
// A tile reads two panels of columns. Each is one piece of memory: columns of rows that are
// kilobytes apart would miss the caches of lines and pages.

// tileCols is the number of columns of a panel. Two panels of a few hundred rows and their
// product fit a second-level cache. Bits do not depend on it.
const tileCols = 96

// WhitenedRows are whitened rows F in panels of columns, as [WhitenedGram.AddTile] reads them.
// The zero value has no rows and may be used again and again.
type WhitenedRows struct {
	panels []simd.Padded
}

// Whiten sets f to the whitened rows of a block. Cost B·cols² operations.
func (f *WhitenedRows) Whiten(block blas64.General, by *Whitening) {
	checkShape("the block of WhitenedRows.Whiten", block, block.Rows, by.u.Cols())
	if f.panels == nil {
		f.panels = make([]simd.Padded, panels(block.Cols))
	}
	for j := range f.panels {
		f.panels[j].Reset(block.Rows, min(tileCols, block.Cols-j*tileCols))
	}
	s := borrow()
	defer s.giveBack()
	w, n := &s.cholesky.w, chunkRows(block.Cols)
	for first := 0; first < block.Rows; first += n {
		fillPadded(w, matrix.Rows(block, first, min(n, block.Rows-first)))
		by.solver.Solve(w)
		for i := range w.Rows() {
			for j := range f.panels {
				p := &f.panels[j]
				p.SetRow(first+i, 0, w.Row(i)[j*tileCols:][:p.Cols()])
			}
		}
	}
}

// Slice returns the rows from ≤ i < to of f, sharing memory.
func (f *WhitenedRows) Slice(from, to int) *WhitenedRows {
	part := &WhitenedRows{panels: make([]simd.Padded, len(f.panels))}
	for j := range f.panels {
		part.panels[j] = f.panels[j].Slice(from, to)
	}
	return part
}

// fillPadded copies rows into w.
func fillPadded(w *simd.Padded, rows blas64.General) {
	w.Reset(rows.Rows, rows.Cols)
	for i := range rows.Rows {
		w.SetRow(i, 0, matrix.Row(rows, i))
	}
}

// panels returns the number of panels of a matrix of so many columns.
func panels(cols int) int { return (cols + tileCols - 1) / tileCols }

// Tiles returns the number of tiles that the upper triangle of FᵀF is cut into.
func (g *WhitenedGram) Tiles() int {
	n := panels(g.gram.cols)
	return n * (n + 1) / 2
}

// Expect prepares for so many more rows, all of whose tiles are added next.
func (g *WhitenedGram) Expect(rows int) {
	g.rows += int64(rows)
	if g.gram.rows == 0 && rows > 0 {
		g.gram.resize(g.gram.cols)
		clear(g.gram.data)
	}
}

// AddTile adds one tile of the Gram matrix of blocks of rows that were expected. Different tiles
// may be added at the same time. The sum over the rows of a call is made first, so that sums of
// many calls round no more than those of [WhitenedGram.Add]. Cost 2·B·tileCols² operations for B
// rows, half of that on the diagonal.
func (g *WhitenedGram) AddTile(tile int, blocks []*WhitenedRows) {
	i, j := tilePlace(tile)
	s := borrow()
	defer s.giveBack()
	sum := &s.cholesky.g
	for k, f := range blocks {
		x, y := &f.panels[i], &f.panels[j]
		if k == 0 {
			sum.Reset(x.Cols(), y.Cols())
		}
		if i == j {
			simd.Gram(sum, x, k > 0)
		} else {
			simd.GramTile(sum, x, y, k > 0)
		}
	}
	for r := range sum.Rows() {
		at, from := i*tileCols+r, 0
		if i == j {
			from = r
		}
		simd.Add(g.gram.tail(at)[j*tileCols+from-at:][:sum.Cols()-from], sum.Row(r)[from:])
	}
}

// tilePlace returns the panels i ≤ j that meet in a tile. Tiles go down the columns of panels.
func tilePlace(tile int) (i, j int) {
	for i = tile; i > j; i -= j {
		j++
	}
	return i, j
}
