// Package fault makes the errors of data files. They are [stream.DataError]s: they name the
// file, the row (counted from 0) and the column, say what is wrong and what to do about it.
// [Guard] makes such an error of a panic in a library.
package fault

import (
	"fmt"

	"github.com/nystream/nystream/stream"
)

// New returns an error without a path. The caller adds the path by [File] or [Cell].
func New(format string, args ...any) *stream.DataError {
	return stream.NewDataError("", format, args...)
}

// File returns an error about a file as a whole.
func File(path, format string, args ...any) *stream.DataError {
	return stream.NewDataError(path, format, args...)
}

// Cell returns an error about one value.
func Cell(path string, row int64, column, format string, args ...any) *stream.DataError {
	return stream.NewValueError(path, row, column, format, args...)
}

// Output returns an error about a file that cannot be written.
func Output(path, format string, args ...any) *stream.DataError {
	return stream.NewDataError(path, format, args...).Of(stream.Unwritten)
}

// Guard runs f and turns a panic in it into an error about path. Readers of foreign formats
// run under it: libraries panic on damaged files.
func Guard(path string, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = File(path, "%w", &ReaderError{p}).Of(stream.Damaged).Do("make or fetch it again")
		}
	}()
	return f()
}

// ReaderError reports that a reader panicked. Its text hides the panic from users.
type ReaderError struct{ cause any }

// Error tells the user that the file is damaged.
func (*ReaderError) Error() string {
	return "the reader failed, because what the file says of its own layout is not so: it is damaged"
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
