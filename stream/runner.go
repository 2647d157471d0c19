package stream

import (
	"context"
	"errors"
)

// ask lets a runner fold the blocks that states do not cover.
func (f *checkpointedFold[A]) ask(ctx context.Context, runner Runner) error {
	if len(f.gaps()) == 0 {
		return nil
	}
	failed := runner.Fold(ctx, f.missingError())
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if err := f.loadStates(); err != nil {
		return errors.Join(failed, err)
	}
	if failed == nil || len(f.gaps()) == 0 {
		return failed // if blocks are still missing, fold reports them
	}
	return &runnerError{failed, f.missingError()}
}

// runnerError reports that a runner failed, and which blocks are missing.
type runnerError struct {
	err     error
	missing *MissingError
}

func (e *runnerError) Error() string   { return e.missing.Error() + ": " + e.err.Error() }
func (e *runnerError) Unwrap() []error { return []error{e.err, e.missing} }
