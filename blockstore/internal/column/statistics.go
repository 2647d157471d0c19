package column

import "context"

// Statistics are the column statistics recorded in a file.
type Statistics struct {
	Nulls int64
	// Bounds are the minimum and maximum integer of each part of the file that records them, one
	// after another, in the form of a kept column.
	Bounds []int64
}

// Described is a table with statistics, by column index. Statistics that are known to be wrong are
// omitted.
type Described interface {
	Statistics(ctx context.Context) (map[int]Statistics, error)
}
