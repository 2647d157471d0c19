package prepare

import "github.com/nystream/nystream/stream"

// What the tests see of the inside of the package.

// ColumnStats is what a scan accumulates.
type ColumnStats = columnStats

// statsInfo describes rows with a category.
func statsInfo(columns int) stream.Info {
	return stream.Info{Name: "x", Columns: stream.NumberedColumns(columns), Rows: -1,
		Kept: []stream.Field{{Name: "word", Kind: stream.String, Category: true}}}
}

// NewColumnStats makes statistics that drop rows which are not finite, with quantiles and a category.
func NewColumnStats(columns int) *ColumnStats {
	return newColumnStats(scanned{info: statsInfo(columns), nulls: NullsDrop, categories: []int{0}, weights: -1}, true)
}

// AddBlock adds a block that needs no check.
func (s *columnStats) AddBlock(b *stream.Block) error { return s.add(b) }
