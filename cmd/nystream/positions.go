package main

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/stream"
)

// columnPositions say where the columns of a fit stood in its files, so that they are found
// in files without names. The zero value is that of the first columns.
type columnPositions struct {
	Positions []int `json:"positions,omitempty"` // among all Width
	Width     int   `json:"width,omitempty"`
}

// positionsOf returns where the columns of an opened source stand.
func positionsOf(src stream.Source) (p columnPositions) {
	numbers, width := blockstore.Positions(src)
	for i, n := range numbers {
		if n != i {
			return columnPositions{numbers, width}
		}
	}
	return p
}

// positions returns where the columns that are prepared stand in the files.
func (in *input) positions(p stream.Preparation) columnPositions {
	if p.Columns == nil {
		return in.position
	}
	numbers, width := blockstore.Positions(in.Counted.Source)
	taken := columnPositions{Width: width}
	for i, name := range in.Info().Columns {
		if i < len(numbers) && slices.Contains(p.Columns, name) {
			taken.Positions = append(taken.Positions, numbers[i])
		}
	}
	return taken
}

// check refuses positions that are not those of d columns.
func (p columnPositions) check(d int) error {
	if n := len(p.Positions); n > 0 && (n != d || slices.Min(p.Positions) < 0 || slices.Max(p.Positions) >= p.Width) {
		return fmt.Errorf("positions %v of %d columns, of which %d were chosen", p.Positions, p.Width, d)
	}
	return nil
}

// unnamed chooses the columns of a model by position in files that give them no names, for
// which there must be as many as in the files of the fit, or only those of the model.
func (t takenRows) unnamed(d dataFlags, files *blockstore.Files) (dataFlags, bool) {
	columns, _ := files.Columns()
	names := componentNames(columns)
	if len(t.names) == 0 || !slices.Equal(d.columns, t.names) || !onlyCount(names) {
		return d, false
	}
	d.columns = nil
	for i := range t.dimension {
		if len(t.position.Positions) > 0 && len(names) == t.position.Width {
			i = t.position.Positions[i]
		}
		d.columns = append(d.columns, strconv.Itoa(i))
	}
	return d, len(names) == t.dimension || len(names) == t.position.Width
}

// carried returns the kept columns that a file of transformed rows holds: those of --label and
// --keep. A libsvm file holds the label alone, and an .npy file none.
func (j *job) carried(path string, rows *stream.Prepared) []stream.Field {
	fields := rows.Info().Kept
	switch {
	case !j.data.keeps() || j.formatOf(path) == "npy":
		return nil
	case j.formatOf(path) != "libsvm":
		return fields
	case newAside("--label", j.data.label).file != "":
		return nil
	}
	return fields[:min(1, len(fields))]
}

// columnNames returns what a file of factors of the columns of a matrix carries along: their
// names.
func (a *app) columnNames(path string, names []string) ([]stream.Field, []string) {
	if a.numbersOnly(path) {
		return nil, nil
	}
	return []stream.Field{{Name: "column", Kind: stream.String}}, names
}

// numbersOnly reports whether a file has no place for columns of any kind beside a matrix.
func (a *app) numbersOnly(path string) bool {
	format := a.formatOf(path)
	return format == "npy" || format == "libsvm"
}
