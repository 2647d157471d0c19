package rows

import (
	"fmt"
	"slices"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/stream/prepare"
)

// ColumnPositions records the positions of the fitted columns in the files of the fit, to locate them in files without
// column names. The zero value means all columns of the files, in order.
type ColumnPositions struct {
	Positions []int `json:"positions,omitempty"` // among all Width columns
	Width     int   `json:"width,omitempty"`
}

// positionsOf returns the positions of the columns of an opened source.
func positionsOf(src *blockstore.Source) (p ColumnPositions) {
	numbers, width := src.Positions()
	for i, n := range numbers {
		if n != i || len(numbers) < width {
			return ColumnPositions{numbers, width}
		}
	}
	return p
}

// Positions returns the positions of the prepared columns in the files.
func (in *Input) Positions(p prepare.Preparation) ColumnPositions {
	if p.Columns == nil {
		return in.position
	}
	numbers, width := in.Files.Positions()
	prepared := ColumnPositions{Width: width}
	for i, name := range in.Info().Columns {
		if i < len(numbers) && slices.Contains(p.Columns, name) {
			prepared.Positions = append(prepared.Positions, numbers[i])
		}
	}
	return prepared
}

// Check fails unless there are no positions, or d of them in range.
func (p ColumnPositions) Check(d int) error {
	if n := len(p.Positions); n > 0 && (n != d || slices.Min(p.Positions) < 0 || slices.Max(p.Positions) >= p.Width) {
		return fmt.Errorf("positions %v of %d columns, of which %d were chosen", p.Positions, p.Width, d)
	}
	return nil
}

// ContainsAny reports whether list holds one of names.
func ContainsAny(list, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(list, name) })
}
