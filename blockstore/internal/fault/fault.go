// Package fault makes the errors of data files. They name the file, the row
// (counted from 0) and the column, say what is wrong and what to do about it;
// [Guard] makes such an error of a panic in a library.
package fault

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/nystream/nystream/internal/quote"
)

// DataError reports that a file holds something that cannot be used, and where.
type DataError struct {
	Path   string // the file, as the user named it
	Row    int64  // absolute row of the file, counted from 0; -1 when unknown
	Column string // name of the column, "" when unknown
	Err    error  // what is wrong and what to do about it
}

// Error names the file, the row (counted from 0), the column and the cause.
func (e *DataError) Error() string {
	var inner *DataError
	if errors.As(e.Err, &inner) && inner.Path == e.Path && inner.Error() == e.Err.Error() {
		return inner.Error() // which names the file already
	}
	var b strings.Builder
	b.WriteString(e.Path)
	if e.Row >= 0 {
		b.WriteString(": row " + strconv.FormatInt(e.Row, 10) + " (counted from 0)")
	}
	if e.Column != "" {
		b.WriteString(": column " + quote.Name(e.Column))
	}
	return b.String() + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *DataError) Unwrap() error { return e.Err }

// File returns a DataError about a file as a whole.
func File(path, format string, args ...any) error {
	return &DataError{Path: path, Row: -1, Err: fmt.Errorf(format, args...)}
}

// Cell returns a DataError about one value.
func Cell(path string, row int64, column, format string, args ...any) error {
	return &DataError{Path: path, Row: row, Column: column, Err: fmt.Errorf(format, args...)}
}

// Guard runs f and turns a panic in it into an error that begins with what.
// Readers of foreign formats run under it: libraries panic on damaged files.
func Guard(what string, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: %w", what, &ReaderError{p})
		}
	}()
	return f()
}

// ReaderError reports that a reader panicked. Its text hides the panic from users.
type ReaderError struct{ cause any }

// Error tells the user that the file is damaged.
func (*ReaderError) Error() string {
	return "the reader failed, because what the file says of its own layout is not so: it is damaged; make or fetch it again"
}

// Unwrap returns what the reader panicked with.
func (d *ReaderError) Unwrap() error {
	if err, ok := d.cause.(error); ok {
		return err
	}
	return fmt.Errorf("%v", d.cause)
}

// Shorten cuts what is quoted in a message.
func Shorten(text []byte) []byte {
	if len(text) > 40 {
		return append(text[:40:40], "..."...)
	}
	return text
}
