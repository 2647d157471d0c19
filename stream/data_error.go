package stream

import (
	"fmt"

	"github.com/nystream/nystream/internal/quote"
)

// DataError marks an error of a preparation that the rows are the reason of, not the treatment.
type DataError struct{ Err error }

// Error returns the text of the error.
func (e *DataError) Error() string { return e.Err.Error() }

// Unwrap returns the error.
func (e *DataError) Unwrap() error { return e.Err }

// BadValueError reports a value, or a row, that cannot be computed with.
type BadValueError struct {
	Source string
	Row    int64  // counted from 0
	Column string // "" for the whole row
	Reason string
}

func (e *BadValueError) Error() string {
	column := ""
	if e.Column != "" {
		column = ", column " + quote.Name(e.Column)
	}
	return fmt.Sprintf("%s: row %d (counted from 0)%s: %s", e.Source, e.Row, column, e.Reason)
}
