package saved

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/internal/quote"
	"github.com/nystream/nystream/stream"
)

// Dates lists the columns of a model derived from dates and times.
type Dates struct {
	// As is number, or calendar for columns such as day.year.
	As      string   `json:"as"`
	Columns []string `json:"columns"` // names in the files
}

// DatesOf returns the date and time columns of in, nil if there are none.
func DatesOf(in *rows.Input) *Dates {
	var d *Dates
	found := in.Files.Dates()
	for _, at := range slices.Sorted(maps.Keys(found)) {
		of := found[at]
		if of.Empty {
			continue
		}
		if d == nil {
			d = &Dates{As: blockstore.DatesNumber.String()}
		}
		if of.As == blockstore.DatesCalendar {
			d.As = of.As.String()
		}
		if !slices.Contains(d.Columns, of.Column) {
			d.Columns = append(d.Columns, of.Column)
		}
	}
	return d
}

// check fails for values that no model has.
func (d *Dates) check() error {
	if d != nil && (len(d.Columns) == 0 || d.As != blockstore.DatesNumber.String() && d.As != blockstore.DatesCalendar.String()) {
		return fmt.Errorf("meta.json: data.dates: %d columns as %q", len(d.Columns), d.As)
	}
	return nil
}

// Word returns the option for reading dates and times.
func (d *Dates) Word() blockstore.Dates {
	switch {
	case d == nil:
		return blockstore.DatesNone
	case d.As == blockstore.DatesCalendar.String():
		return blockstore.DatesCalendar
	}
	return blockstore.DatesNumber
}

// holds reports whether a column of rows is derived from dates and times.
func (d *Dates) holds(name string) bool {
	if d == nil {
		return false
	}
	return slices.Contains(d.Columns, name) || slices.ContainsFunc(d.Columns, func(of string) bool {
		return d.As == blockstore.DatesCalendar.String() && strings.HasPrefix(name, of+".")
	})
}

// Check fails for rows with dates in columns where the model has numbers, or vice versa. names are the columns of the
// model.
func (d *Dates) Check(in *rows.Input, names []string) error {
	found := in.Files.Dates()
	for at, name := range names {
		of, isDate := found[at]
		switch {
		case isDate == d.holds(name) || of.Empty:
		case isDate:
			return stream.NewDataError(in.Info().Name, "column %s holds dates or times, and the model was fitted on numbers", quote.Name(of.Column)).
				WithRemedy("fit anew, or give it the numbers of the fit")
		default:
			return stream.NewDataError(in.Info().Name, "column %s holds numbers, and the model was fitted on dates or times", quote.Name(in.Info().Columns[at])).
				WithRemedy("give it dates, in text as 2024-02-29 or 2024-02-29T12:34:56")
		}
	}
	return nil
}
