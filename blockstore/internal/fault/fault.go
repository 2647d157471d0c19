// Package fault constructs the errors of data files. They are [stream.DataError]s with the file,
// the row (counted from 0), the column, the problem and a remedy. [Guard] converts a panic in a
// library to such an error.
package fault

import (
	"fmt"

	"github.com/nystream/nystream/stream"
)

// New returns an error without a path, which the caller adds by [File] or [Cell].
func New(format string, args ...any) *stream.DataError {
	return stream.NewDataError("", format, args...)
}

// File returns an error about a whole file.
func File(path, format string, args ...any) *stream.DataError {
	return stream.NewDataError(path, format, args...)
}

// Cell returns an error about one value.
func Cell(path string, row int64, column, format string, args ...any) *stream.DataError {
	return stream.NewValueError(path, row, column, format, args...)
}

// Output returns an error about a file that cannot be written.
func Output(path, format string, args ...any) *stream.DataError {
	return stream.NewDataError(path, format, args...).WithKind(stream.Unwritable)
}

// Guard runs f and converts a panic in it to an error about path. Readers of foreign formats run
// under it, since libraries panic on damaged files.
func Guard(path string, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = File(path, "%w", &ReaderError{p}).WithKind(stream.Damaged).WithRemedy("make or fetch it again")
		}
	}()
	return f()
}

// ReaderError reports that a reader panicked. Its message hides the panic value.
type ReaderError struct{ cause any }

// Error reports that the file is damaged.
func (*ReaderError) Error() string {
	return "the reader failed, because what the file says of its own layout is not so: it is damaged"
}

// Unwrap returns the panic value if it is an error.
func (d *ReaderError) Unwrap() error {
	if err, ok := d.cause.(error); ok {
		return err
	}
	return fmt.Errorf("%v", d.cause)
}

// Shorten truncates text quoted in a message.
func Shorten(text []byte) []byte {
	if len(text) > 40 {
		return append(text[:40:40], "..."...)
	}
	return text
}
