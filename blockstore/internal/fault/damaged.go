package fault

import (
	"context"
	"errors"
	"io/fs"

	"github.com/nystream/nystream/stream"
)

// Damaged reports damage to a file written by a program. If err has no remedy it adds one: to write
// the file again. It returns a read error unchanged.
func Damaged(err error) error {
	if IsReading(err) {
		return err
	}
	e := stream.AsDataError(err)
	if e.Remedy == "" {
		return e.WithKind(stream.Damaged).WithRemedy("make or fetch the file again")
	}
	return e
}

// IsReading reports whether err is a failed or cancelled read, not damage.
func IsReading(err error) bool {
	var path *fs.PathError
	var reading *readError
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.As(err, &path) || errors.As(err, &reading)
}

// readError is an error of a disk or a network.
type readError struct{ error }

func (e *readError) Unwrap() error { return e.error }

// Reading marks an error as a read error, which does not mean that the bytes are damaged.
func Reading(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	e := stream.AsDataError(err)
	e.Err = &readError{err}
	return e
}
