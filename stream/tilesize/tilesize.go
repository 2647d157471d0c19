// Package tilesize defines the numbers of rows that workers process at a time, for memory plans and
// for accumulators of tiles of a kernel matrix.
package tilesize

const (
	// PanelRows is the number of rows in a panel of a block. A worker folds one panel at a time
	// into an accumulator. A panel is small enough that its features stay in cache, and large
	// enough to amortise the fixed cost of a fold.
	PanelRows = 1024
	// PairRows is the block size of exact passes. A tile of PairRows × PairRows numbers fits in the
	// second-level cache.
	PairRows = 256
	// WideRows is the maximal number of rows in a block of a stream.FoldWide.
	WideRows = 128
	// TileNumbers is about the number of entries of a tile that [Rows] allows.
	TileNumbers = 1 << 16
)

// productRows is the least number of rows that repay a copy of a large matrix, which a product with a tile makes.
const productRows = 256

// Rows returns the number of rows of a panel whose tile has the given number of columns, and is multiplied by a matrix
// of columns × outputs. The tile stays in the second-level cache while it is reduced to a few numbers. It has at least 32
// rows, and 256 if the matrix is larger than a tile.
func Rows(columns, outputs int) int {
	least := 32
	if columns*outputs > TileNumbers {
		least = productRows
	}
	return max(least, min(PanelRows, TileNumbers/max(1, columns)/8*8))
}
