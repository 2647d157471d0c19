package main

import (
	"context"
	"errors"
	"os"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/stream"
)

// fitting is a fit on its way from files to a model, with a plan P of what it costs.
type fitting[P any] interface {
	open(ctx context.Context, args []string) error
	openNotes() []string // sentences for the user about what was opened
	plan() (P, error)
	memory(P) *stream.Budget
	reportPlan(P) error
	fitModel(ctx context.Context) error
	write(ctx context.Context) error // nothing of it stays when something fails
	fitNotes() []string
	report() error
	close()
}

// runFit does what a command line of fit, or of plan fit, asks for.
func runFit[P any](ctx context.Context, a *app, j fitting[P], args []string, planning bool) error {
	defer j.close()
	if err := j.open(ctx, args); err != nil {
		return err
	}
	a.notes(j.openNotes())
	plan, err := j.plan()
	if err != nil {
		return err
	}
	if planning {
		return j.reportPlan(plan)
	}
	if err := a.checkBudget(j.memory(plan)); err != nil {
		return err
	}
	if err := j.fitModel(ctx); err != nil {
		return err
	}
	if err := j.write(ctx); err != nil {
		return err
	}
	a.notes(j.fitNotes())
	return j.report()
}

// pathWriter is a writer that knows its file.
type pathWriter struct {
	blockstore.Writer
	path string
}

// writeAll commits the files that writers have filled, and last of all writes the
// model. Nothing stays when something fails.
func writeAll(ctx context.Context, factors func(context.Context) ([]pathWriter, error), model func() error) error {
	writers, err := factors(ctx)
	defer func() {
		for _, w := range writers {
			w.Abort() // does nothing after Commit
		}
	}()
	if err != nil {
		return err
	}
	var done []string
	for _, w := range writers {
		if err := w.Commit(); err != nil {
			return errors.Join(err, removeAll(done))
		}
		done = append(done, w.path)
	}
	err = context.Cause(ctx)
	if err == nil {
		err = model()
	}
	if err != nil {
		return errors.Join(err, removeAll(done))
	}
	return nil
}

func removeAll(paths []string) (err error) {
	for _, p := range paths {
		err = errors.Join(err, os.Remove(p))
	}
	return err
}

// contradiction is something that a command line must not ask for, and what to say
// then.
type contradiction struct {
	wrong bool
	say   string
}

// refuse is a usage error about the first contradiction, if there is one.
func refuse(asked []contradiction) error {
	for _, ask := range asked {
		if ask.wrong {
			return usagef("%s", ask.say)
		}
	}
	return nil
}
