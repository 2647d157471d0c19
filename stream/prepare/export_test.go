package prepare

import "github.com/nystream/nystream/stream"

// Internals exported for tests.

// ColumnStats is the accumulator of a scan.
type ColumnStats = columnStats

// statsInfo describes rows with a category.
func statsInfo(columns int) stream.Info {
	return stream.Info{Name: "x", Columns: stream.NumberedColumns(columns), Rows: -1,
		Kept: []stream.Field{{Name: "word", Kind: stream.String, Category: true}}}
}

// NewColumnStats returns statistics with quantiles and a category, which drop rows that are not
// finite.
func NewColumnStats(columns int) *ColumnStats {
	return newColumnStats(scanInput{info: statsInfo(columns), nulls: NullsDrop, categories: []int{0}, weights: -1}, true)
}

// AddBlock adds a block that needs no check.
func (s *columnStats) AddBlock(b *stream.Block) error { return s.add(b) }
