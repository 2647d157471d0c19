package stream

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/nystream/nystream/internal/quote"
	"github.com/nystream/nystream/internal/words"
)

// NoRow is the row of a [DataError] about no row in particular.
const NoRow = -1

// ErrorKind is the kind of a [DataError].
type ErrorKind uint8

const (
	// Unusable data do not suit what is asked of them: too few rows, text among numbers, another format.
	Unusable ErrorKind = iota
	// BadValue is a value, or a row, that cannot be computed with or stored.
	BadValue
	// Damaged bytes are not what a program has written: a wrong checksum, a file cut short.
	Damaged
	// Missing data are not there. errors.Is finds fs.ErrNotExist.
	Missing
	// Changed data were written, replaced or removed during the run.
	Changed
	// Unreachable is a server that fails, or the way to it. The data may be healthy.
	Unreachable
	// Unwritten is an output that cannot be written.
	Unwritten
)

var errorWords = []string{"unusable", "bad value", "damaged", "missing", "changed", "unreachable", "unwritten"}

// String returns the kind in words.
func (k ErrorKind) String() string { return words.Of(errorWords, k) }

// DataError is the error of data that cannot be used, or of an output that cannot be written. It says what is
// wrong, where, and what to do.
type DataError struct {
	Path   string    // the file or the source as the user named it, "" if unknown
	Row    int64     // counted from 0, NoRow if unknown
	Column string    // its name, "" if unknown
	Line   int64     // of a file of text, counted from 1, 0 if unknown
	Kind   ErrorKind // what programs decide by
	What   string    // what is wrong; if "", the text of Err says it
	Remedy string    // what to do about it, or "" if nothing is known
	Err    error     // the cause, for errors.Is and errors.As; it may be nil
}

// NewDataError returns an error about a file or a source as a whole. The format is that of fmt.Errorf.
//
// An error that %w wraps becomes the cause. If it is a DataError too, the result has its kind and its remedy. It
// has its row, column and line as well, unless the cause names another path.
func NewDataError(path, format string, args ...any) *DataError {
	return NewValueError(path, NoRow, "", format, args...)
}

// NewValueError returns an error about one value, or about a whole row if column is "". The kind is BadValue if
// the row is known. It wraps causes as [NewDataError] does.
func NewValueError(path string, row int64, column, format string, args ...any) *DataError {
	e := &DataError{Path: path, Row: row, Column: column}
	if row >= 0 {
		e.Kind = BadValue
	}
	for i, arg := range args {
		if cause, ok := arg.(error); ok {
			args[i] = e.adopt(cause)
		}
	}
	said := fmt.Errorf(format, args...)
	e.What = said.Error()
	switch wraps := said.(type) {
	case interface{ Unwrap() error }:
		if cause, ok := wraps.Unwrap().(*adopted); ok {
			e.Err = cause.error
		}
	case interface{ Unwrap() []error }:
		var causes []error
		for _, cause := range wraps.Unwrap() {
			causes = append(causes, cause.(*adopted).error)
		}
		e.Err = errors.Join(causes...)
	}
	return e
}

// adopted is a cause without the place and the remedy that the error around it says.
type adopted struct {
	error
	text string
}

func (a *adopted) Error() string { return a.text }

// adopt takes over the kind, the remedy and the place of a cause.
func (e *DataError) adopt(cause error) *adopted {
	var inner *DataError
	if !errors.As(cause, &inner) {
		return &adopted{cause, cause.Error()}
	}
	if e.Kind == Unusable || inner.Kind > BadValue {
		e.Kind = inner.Kind
	}
	if error(inner) != cause {
		return &adopted{cause, cause.Error()}
	}
	e.Remedy = inner.Remedy
	if inner.Path != "" && inner.Path != e.Path {
		return &adopted{cause, inner.place() + inner.what()}
	}
	if e.Row < 0 {
		e.Row = inner.Row
	}
	if e.Column == "" {
		e.Column = inner.Column
	}
	if e.Line == 0 {
		e.Line = inner.Line
	}
	return &adopted{cause, inner.what()}
}

// AsDataError returns a new DataError that says what err says and has err as its cause. If err is no DataError,
// it knows neither place nor remedy, and its kind is that of a DataError that err wraps.
func AsDataError(err error) *DataError {
	if d, ok := err.(*DataError); ok {
		copied := *d
		copied.What, copied.Err = d.what(), err
		return &copied
	}
	e := &DataError{Row: NoRow, Err: err}
	var inner *DataError
	if errors.As(err, &inner) {
		e.Kind = inner.Kind
	}
	return e
}

// Of sets the kind and returns e.
func (e *DataError) Of(kind ErrorKind) *DataError {
	e.Kind = kind
	return e
}

// Do sets the remedy and returns e.
func (e *DataError) Do(format string, args ...any) *DataError {
	e.Remedy = fmt.Sprintf(format, args...)
	return e
}

// Also adds a remedy to the others and returns e.
func (e *DataError) Also(format string, args ...any) *DataError {
	if e.Remedy != "" {
		e.Remedy += "; "
	}
	e.Remedy += fmt.Sprintf(format, args...)
	return e
}

// Error returns "path: row 3 (counted from 0): column "x": line 5: what is wrong; what to do". What is unknown is
// left out.
func (e *DataError) Error() string {
	if e.Remedy == "" {
		return e.place() + e.what()
	}
	return e.place() + e.what() + "; " + e.Remedy
}

// place says where.
func (e *DataError) place() string {
	var b strings.Builder
	switch {
	case e.Path == "":
	case e.Kind == Unwritten:
		b.WriteString("cannot write " + e.Path + ": ")
	default:
		b.WriteString(e.Path + ": ")
	}
	if e.Row >= 0 {
		b.WriteString("row " + strconv.FormatInt(e.Row, 10) + " (counted from 0): ")
	}
	if e.Column != "" {
		b.WriteString("column " + quote.Name(e.Column) + ": ")
	}
	if e.Line > 0 {
		b.WriteString("line " + strconv.FormatInt(e.Line, 10) + ": ")
	}
	return b.String()
}

// what says what is wrong.
func (e *DataError) what() string {
	if e.What == "" && e.Err != nil {
		return e.Err.Error()
	}
	return e.What
}

// Unwrap returns the cause.
func (e *DataError) Unwrap() error { return e.Err }

// Is reports whether target is fs.ErrNotExist and the data are missing.
func (e *DataError) Is(target error) bool { return target == fs.ErrNotExist && e.Kind == Missing }
