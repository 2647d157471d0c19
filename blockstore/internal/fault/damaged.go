package fault

import (
	"context"
	"errors"
	"io/fs"
	"strings"
)

// Damaged adds what to do to what is wrong with the bytes of a file that a program wrote,
// unless err says that itself, behind a semicolon or as a question, or the bytes could not
// be read at all.
func Damaged(err error) error {
	if IsReading(err) || strings.Contains(err.Error(), "; ") || strings.HasSuffix(err.Error(), "?") {
		return err
	}
	return &remedied{err}
}

// IsReading reports whether bytes could not be read, or reading was stopped.
func IsReading(err error) bool {
	var path *fs.PathError
	var reading *readError
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.As(err, &path) || errors.As(err, &reading)
}

// remedied is what is wrong, with what to do about it.
type remedied struct{ cause error }

func (e *remedied) Error() string { return e.cause.Error() + "; make or fetch the file again" }
func (e *remedied) Unwrap() error { return e.cause }

// readError is an error of a disk or a network.
type readError struct{ error }

func (e *readError) Unwrap() error { return e.error }

// Reading marks an error of reading, which does not mean that the bytes are damaged.
func Reading(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &readError{err}
}
