package column

import "context"

// Statistics is what a file says of all values of a column, without a scan.
type Statistics struct {
	Nulls int64
	// Bounds are the least and the most integer of each part of the file that has some, one after the other, as a kept
	// column has them.
	Bounds []int64
}

// Described is a table that has statistics, by the places of columns. What a file says wrongly of itself is left out.
type Described interface {
	Statistics(ctx context.Context) (map[int]Statistics, error)
}
