package stream

import (
	"context"
	"errors"
)

// ask lets a runner do what states do not answer of the fold.
func (f *keptFold[A]) ask(ctx context.Context, runner Runner) error {
	if len(f.gaps()) == 0 {
		return nil
	}
	failed := runner.Fold(ctx, f.missing())
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if err := f.adopt(); err != nil {
		return errors.Join(failed, err)
	}
	if failed == nil || len(f.gaps()) == 0 {
		return failed // if states are missing all the same, the fold says so
	}
	return &runnerError{failed, f.missing()}
}

// runnerError reports that a runner failed, and what is missing for that.
type runnerError struct {
	err     error
	missing *MissingError
}

func (e *runnerError) Error() string   { return e.missing.Error() + ": " + e.err.Error() }
func (e *runnerError) Unwrap() []error { return []error{e.err, e.missing} }
