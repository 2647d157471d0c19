package stream

import (
	"errors"
	"fmt"
)

// Checks that a source delivers the rows that its Info promises, and their errors.

// ErrReadOnce reports that a source that can be read only once was opened again. The error begins
// with the name of the source. Store such a source first, for example with blockstore.Spool.
var ErrReadOnce = errors.New("can be read only once, and this needs to read it again: store it first (`Session.Spool`)")

// ErrUnknownRows reports that an operation needs the number of rows and the source does not know
// it. The error begins with the name of the source. Store such a source first, for example with
// blockstore.Spool.
var ErrUnknownRows = errors.New("the number of rows is not known; store the source first (`Session.Spool`)")

// CheckFirst returns an error if a reader of the source cannot begin at row first: after the last
// row or, as [ErrReadOnce], after the first row of a source that can be read only once.
func (i Info) CheckFirst(first int64) error {
	switch {
	case first < 0 || i.Rows >= 0 && first > i.Rows:
		return fmt.Errorf("%s: there is no row %d to begin with: it has %d rows", i.Name, first, i.Rows)
	case first > 0 && i.OnePass:
		return fmt.Errorf("%s %w", i.Name, ErrReadOnce)
	}
	return nil
}

// promiseError reports that a source yielded fewer rows than promised.
func promiseError(info Info, got int64) error {
	return fmt.Errorf("%s: promised %d rows and gave %d: the file changed or is damaged", info.Name, info.Rows, got)
}

// excessError reports that a source yields more rows than promised.
func excessError(info Info) error {
	return fmt.Errorf("%s: promised %d rows and gives more: the file changed or is damaged", info.Name, info.Rows)
}

// endedEarlyError returns the error of a source that ends before a row, counted from 0.
func endedEarlyError(name string, rows, row int64) error {
	const say = "%s: it ends after %d rows, and row %d (counted from 0) is missing: the file changed or is damaged"
	return fmt.Errorf(say, name, rows, row)
}
