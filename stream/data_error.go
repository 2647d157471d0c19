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

// NoRow is the Row of a [DataError] that concerns no particular row.
const NoRow = -1

// ErrorKind is the kind of a [DataError].
type ErrorKind uint8

const (
	// Unusable data do not fit the request: too few rows, text instead of numbers, another format.
	Unusable ErrorKind = iota
	// BadValue is a value or a row that cannot be used or stored.
	BadValue
	// Damaged data are corrupt: a wrong checksum, a truncated file.
	Damaged
	// Missing data do not exist; errors.Is matches fs.ErrNotExist.
	Missing
	// Changed data were written, replaced or removed during the run.
	Changed
	// Unreachable means that a server or the network failed. The data may be intact.
	Unreachable
	// Unwritable means that an output cannot be written.
	Unwritable
)

var errorWords = []string{"unusable", "bad value", "damaged", "missing", "changed", "unreachable", "unwritten"}

// String returns the kind as a word.
func (k ErrorKind) String() string { return words.Of(errorWords, k) }

// DataError reports data that cannot be used, or an output that cannot be written: the problem, its
// place and a remedy.
type DataError struct {
	Path   string    // the file or the source as the user named it, "" if unknown
	Row    int64     // counted from 0, NoRow if unknown
	Column string    // its name, "" if unknown
	Line   int64     // of a text file, counted from 1, 0 if unknown
	Kind   ErrorKind // for decisions of programs
	What   string    // what is wrong; if "", the text of Err says it
	Remedy string    // what to do about it, or "" if nothing is known
	Err    error     // the cause, for errors.Is and errors.As; may be nil
}

// NewDataError returns an error about a whole file or source. The format is that of fmt.Errorf.
//
// An error wrapped by %w becomes the cause. If it is a DataError too, the result takes over its
// kind and remedy. It takes over row, column and line as well, unless the cause names another path.
func NewDataError(path, format string, args ...any) *DataError {
	return NewValueError(path, NoRow, "", format, args...)
}

// NewValueError returns an error about one value, or about a whole row if column is "". The kind is
// BadValue if row is not NoRow. It wraps causes like [NewDataError].
func NewValueError(path string, row int64, column, format string, args ...any) *DataError {
	e := &DataError{Path: path, Row: row, Column: column}
	if row >= 0 {
		e.Kind = BadValue
	}
	for i, arg := range args {
		if cause, ok := arg.(error); ok {
			args[i] = e.adoptCause(cause)
		}
	}
	said := fmt.Errorf(format, args...)
	e.What = said.Error()
	switch wraps := said.(type) {
	case interface{ Unwrap() error }:
		if cause, ok := wraps.Unwrap().(*adoptedCause); ok {
			e.Err = cause.error
		}
	case interface{ Unwrap() []error }:
		var causes []error
		for _, cause := range wraps.Unwrap() {
			causes = append(causes, cause.(*adoptedCause).error)
		}
		e.Err = errors.Join(causes...)
	}
	return e
}

// adoptedCause is a cause whose text omits the place and remedy that the outer error reports.
type adoptedCause struct {
	error
	text string
}

func (a *adoptedCause) Error() string { return a.text }

// adoptCause takes over the kind, remedy and place of a cause.
func (e *DataError) adoptCause(cause error) *adoptedCause {
	var inner *DataError
	if !errors.As(cause, &inner) {
		return &adoptedCause{cause, cause.Error()}
	}
	if e.Kind == Unusable || inner.Kind > BadValue {
		e.Kind = inner.Kind
	}
	if error(inner) != cause {
		return &adoptedCause{cause, cause.Error()}
	}
	e.Remedy = inner.Remedy
	if inner.Path != "" && inner.Path != e.Path {
		return &adoptedCause{cause, inner.location() + inner.problem()}
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
	return &adoptedCause{cause, inner.problem()}
}

// AsDataError returns a new DataError with the message and the cause err. Unless err itself is a
// DataError it has no place and no remedy, and its kind is that of a DataError that err wraps.
func AsDataError(err error) *DataError {
	if d, ok := err.(*DataError); ok {
		copied := *d
		copied.What, copied.Err = d.problem(), err
		return &copied
	}
	e := &DataError{Row: NoRow, Err: err}
	var inner *DataError
	if errors.As(err, &inner) {
		e.Kind = inner.Kind
	}
	return e
}

// WithKind sets the kind and returns e.
func (e *DataError) WithKind(kind ErrorKind) *DataError {
	e.Kind = kind
	return e
}

// WithRemedy sets the remedy and returns e.
func (e *DataError) WithRemedy(format string, args ...any) *DataError {
	e.Remedy = fmt.Sprintf(format, args...)
	return e
}

// AddRemedy appends a remedy and returns e.
func (e *DataError) AddRemedy(format string, args ...any) *DataError {
	if e.Remedy != "" {
		e.Remedy += "; "
	}
	e.Remedy += fmt.Sprintf(format, args...)
	return e
}

// Error returns "path: row 3 (counted from 0): column "x": line 5: problem; remedy", without the
// unknown parts.
func (e *DataError) Error() string {
	if e.Remedy == "" {
		return e.location() + e.problem()
	}
	return e.location() + e.problem() + "; " + e.Remedy
}

// location returns the place of the error, as a prefix of the message.
func (e *DataError) location() string {
	var b strings.Builder
	switch {
	case e.Path == "":
	case e.Kind == Unwritable:
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

// problem returns the message without place and remedy.
func (e *DataError) problem() string {
	if e.What == "" && e.Err != nil {
		return e.Err.Error()
	}
	return e.What
}

// Unwrap returns the cause.
func (e *DataError) Unwrap() error { return e.Err }

// Is reports whether target is fs.ErrNotExist and the data are Missing.
func (e *DataError) Is(target error) bool { return target == fs.ErrNotExist && e.Kind == Missing }
