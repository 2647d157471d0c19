package main

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/stream"
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

// choose selects the columns of a model in files, unless the command line selects some: by name, or by
// position if the model or the files have no names. byPosition reports that the model has names and the files do not.
func (t takenRows) choose(d dataFlags, files *blockstore.Files) (_ dataFlags, byPosition bool) {
	if len(d.columns) > 0 || t.dimension == 0 {
		return d, false
	}
	columns, _ := files.Columns()
	names, nameless, known := componentNames(columns), files.Nameless(), len(t.names) > 0
	switch {
	case nameless > 0 && holdsSome(names[nameless:], t.names) && holdsAll(names, t.names):
		d.columns = t.names
		return d, false
	case known && nameless > 0 && nameless < len(names): // a label has a name, and may count in Width
		d.columns = t.numbers(-1, nameless)
	case nameless > 0:
		d.columns = t.numbers(nameless, nameless)
	case known:
		d.columns = t.names
	case slices.Equal(names, t.madeUp()):
	case holdsAll(names, t.madeUp()):
		d.columns = t.madeUp()
	default:
		d.columns = t.numbers(len(names), len(names))
	}
	return d, nameless > 0 && known
}

// numbers returns the column numbers of a model in files with as many columns as the files of the fit, or with
// only the columns of the model. It returns nil for other files.
func (t takenRows) numbers(all, nameless int) []string {
	switch n := len(t.position.Positions); {
	case n > 0 && all == t.position.Width:
		return itemsOf(t.position.Positions)
	case nameless == t.dimension:
		return numbered("", t.dimension)
	}
	return nil
}

// itemsOf formats column numbers as items of `columns`.
func itemsOf(numbers []int) (words []string) {
	for _, n := range numbers {
		words = append(words, strconv.Itoa(n))
	}
	return words
}

// madeUp returns made-up names x0, x1, … by position, for columns of a model without names.
func (t takenRows) madeUp() []string {
	names := stream.NumberedColumns(t.dimension)
	for i, at := range t.position.Positions {
		names[i] = "x" + strconv.Itoa(at)
	}
	return names
}

// holdsAll reports whether list holds all names.
func holdsAll(list, names []string) bool {
	known := make(map[string]bool, len(list))
	for _, name := range list {
		known[name] = true
	}
	return !slices.ContainsFunc(names, func(name string) bool { return !known[name] })
}

// holdsSome reports whether list holds one of names.
func holdsSome(list, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(list, name) })
}

// carried returns the kept columns that a file of transformed rows holds: those of --label and
// --keep. A libsvm file holds the label alone, and an .npy file none.
func carried(j *job, path string, rows *prepare.Source) []stream.Field {
	fields := rows.Info().Kept
	switch {
	case !j.data.keeps() || formatOf(j.app, path) == "npy":
		return nil
	case formatOf(j.app, path) != "libsvm":
		return fields
	case newAside("--label", j.data.label).file != "":
		return nil
	}
	return fields[:min(1, len(fields))]
}

// columnNames returns what a file of factors of the columns of a matrix carries along: their
// names.
func columnNames(a *app, path string, names []string) ([]stream.Field, []string) {
	if numbersOnly(a, path) {
		return nil, nil
	}
	return []stream.Field{{Name: "column", Kind: stream.String}}, names
}

// numbersOnly reports whether a file has no place for columns of any kind beside a matrix.
func numbersOnly(a *app, path string) bool {
	format := formatOf(a, path)
	return format == "npy" || format == "libsvm"
}
