package main

import (
	"fmt"
	"slices"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/stream/prepare"
)

// columnPositions records where the columns of a fit stood in its files, to find them in files without column
// names. The zero value means that the columns are all that the files have, in order.
type columnPositions struct {
	Positions []int `json:"positions,omitempty"` // among all Width
	Width     int   `json:"width,omitempty"`
}

// positionsOf returns the positions of the columns of an opened source.
func positionsOf(src *blockstore.Source) (p columnPositions) {
	numbers, width := src.Positions()
	for i, n := range numbers {
		if n != i || len(numbers) < width {
			return columnPositions{numbers, width}
		}
	}
	return p
}

// positions returns the positions of the prepared columns in the files.
func (in *input) positions(p prepare.Preparation) columnPositions {
	if p.Columns == nil {
		return in.position
	}
	numbers, width := in.files.Positions()
	taken := columnPositions{Width: width}
	for i, name := range in.Info().Columns {
		if i < len(numbers) && slices.Contains(p.Columns, name) {
			taken.Positions = append(taken.Positions, numbers[i])
		}
	}
	return taken
}

// check fails unless there are no positions, or d of them in range.
func (p columnPositions) check(d int) error {
	if n := len(p.Positions); n > 0 && (n != d || slices.Min(p.Positions) < 0 || slices.Max(p.Positions) >= p.Width) {
		return fmt.Errorf("positions %v of %d columns, of which %d were chosen", p.Positions, p.Width, d)
	}
	return nil
}

// holdsSome reports whether list holds one of names.
func holdsSome(list, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(list, name) })
}
