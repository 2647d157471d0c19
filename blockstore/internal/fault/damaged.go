package fault

import (
	"context"
	"errors"
	"io/fs"

	"github.com/nystream/nystream/stream"
)

// Damaged returns what is wrong with the bytes of a file that a program wrote. If err has no remedy, the file is
// damaged and has to be made again. An error of reading stays as it is.
func Damaged(err error) error {
	if IsReading(err) {
		return err
	}
	e := stream.AsDataError(err)
	if e.Remedy == "" {
		return e.Of(stream.Damaged).Do("make or fetch the file again")
	}
	return e
}

// IsReading reports whether bytes could not be read, or reading was stopped.
func IsReading(err error) bool {
	var path *fs.PathError
	var reading *readError
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.As(err, &path) || errors.As(err, &reading)
}

// readError is an error of a disk or a network.
type readError struct{ error }

func (e *readError) Unwrap() error { return e.error }

// Reading marks an error of reading, which does not mean that the bytes are damaged.
func Reading(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	e := stream.AsDataError(err)
	e.Err = &readError{err}
	return e
}
