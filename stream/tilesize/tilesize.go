// Package tilesize has the numbers of rows that workers take at a time, for plans and for accumulators of the tiles of a
// kernel matrix.
package tilesize

const (
	// PanelRows is the number of rows in a panel of a block. A panel is what a
	// worker folds into an accumulator at a time: few enough that what it makes of
	// the rows stays in cache, and enough that what an accumulator does once for
	// each panel is little beside what it does for the rows.
	PanelRows = 1024
	// PairRows is the block size of exact passes: a tile of PairRows × PairRows
	// numbers stays in the second-level cache.
	PairRows = 256
	// WideRows is the most rows of a block of a stream.FoldWide.
	WideRows = 128
	// TileNumbers is about the number of entries of a tile that [Rows] allows.
	TileNumbers = 1 << 16
)

// Rows returns the number of rows of a panel whose tile has the given number of columns. The tile stays in the
// second-level cache while its rows are reduced to a few numbers. It has at least 32 rows.
func Rows(columns int) int { return max(32, min(PanelRows, TileNumbers/max(1, columns))) }
