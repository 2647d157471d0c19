package sketch

import (
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/internal/simd"
)

// A Gram matrix of thousands of columns takes many megabytes, too much for one per thread. Instead,
// threads first whiten blocks of rows and then add tiles of all these blocks to one shared matrix.
// A tile reads two panels of columns. Each panel is contiguous: columns of rows that are kilobytes
// apart would miss the caches and the TLB.

// tileCols is the number of columns of a panel. Two panels of a few hundred rows and their product
// fit in a second-level cache. Results do not depend on it.
const tileCols = 96

// WhitenedRows holds whitened rows F in panels of columns, the layout that [WhitenedGram.AddTile]
// reads. The zero value is empty and may be reused.
type WhitenedRows struct {
	panels []simd.Padded
}

// Whiten sets f to the whitened rows of a block. Cost: B·cols² operations.
func (f *WhitenedRows) Whiten(block blas64.General, by *Whitening) {
	checkShape("the block of WhitenedRows.Whiten", block, block.Rows, by.u.Cols())
	if f.panels == nil {
		f.panels = make([]simd.Padded, panelCount(block.Cols))
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

// Slice returns the rows from ≤ i < to of f. It shares their memory.
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

// panelCount returns the number of panels of a matrix with cols columns.
func panelCount(cols int) int { return (cols + tileCols - 1) / tileCols }

// Tiles returns the number of tiles in the upper triangle of FᵀF.
func (g *WhitenedGram) Tiles() int {
	n := panelCount(g.gram.cols)
	return n * (n + 1) / 2
}

// Expect announces rows whose tiles are all added next.
func (g *WhitenedGram) Expect(rows int) {
	g.rows += int64(rows)
	if g.gram.rows == 0 && rows > 0 {
		g.gram.resize(g.gram.cols)
		clear(g.gram.data)
	}
}

// AddTile adds one tile of the Gram matrix of blocks announced by Expect. Different tiles may be
// added concurrently. The rows of one call are summed first, so that many calls round no more than
// [WhitenedGram.Add]. Cost: 2·B·tileCols² operations for B rows, half of that on the diagonal.
func (g *WhitenedGram) AddTile(tile int, blocks []*WhitenedRows) {
	i, j := tilePanels(tile)
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

// tilePanels returns the panels i ≤ j of a tile. Tiles are numbered down the columns of panels.
func tilePanels(tile int) (i, j int) {
	for i = tile; i > j; i -= j {
		j++
	}
	return i, j
}
