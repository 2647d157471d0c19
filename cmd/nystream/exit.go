package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/stream"
)

// Exit codes, as documented in the help of the root command.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitData        = 3
	exitBudget      = 4
	exitInterrupted = 130
	exitPipe        = 141 // as of programs that SIGPIPE ends
)

// usageError reports that the command line asks for something that cannot be.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }

func (e *usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

// fromData makes a data error of an error of reading that is none, but not of the end of the data, an
// interruption, or a copy of the data that could not be written.
func fromData(err error) error {
	if err == nil || err == io.EOF || errors.Is(err, context.Canceled) || errors.As(err, new(*blockstore.SpoolError)) ||
		errors.As(err, new(*stream.DataError)) {
		return err
	}
	return stream.AsDataError(err)
}

// fail prints an error and gives the exit code for it.
func (a *app) fail(ctx context.Context, cmd *cobra.Command, err error) int {
	a.progress.clear()
	if errors.Is(err, errNobodyReads) {
		return exitPipe
	}
	code := a.exitCode(ctx, err)
	if code == exitInterrupted {
		err = errors.New("interrupted; no output was written")
		if a.resumable != nil && a.resumable() {
			err = fmt.Errorf("%w; what was done is kept in %s: the same command goes on from there", err, a.resumeFrom)
		}
	}
	message := flagWords(cmd, err.Error())
	text := "nystream: " + message + "\n"
	if code == exitUsage {
		for _, words := range a.presets {
			text += words + "\n"
			message += "; " + words
		}
		text += "see " + cmd.CommandPath() + " --help\n"
	}
	a.messages.write(logLine{Level: "error", Message: message, ExitCode: code}, text)
	return code
}

// exitOf are the exit codes of the kinds of data errors.
var exitOf = map[stream.ErrorKind]int{
	stream.Unusable:    exitData,
	stream.BadValue:    exitData,
	stream.Damaged:     exitData,
	stream.Missing:     exitData,
	stream.Changed:     exitData,
	stream.Unreachable: exitFailed,
	stream.Unwritten:   exitFailed,
}

// exitCode classifies an error. What cobra refuses before a verb begins is
// wrong usage.
func (a *app) exitCode(ctx context.Context, err error) int {
	var data *stream.DataError
	switch {
	case ctx.Err() != nil:
		return exitInterrupted
	case errors.As(err, new(*usageError)) || !a.running:
		return exitUsage
	case errors.As(err, new(*stream.OverBudgetError)) || errors.As(err, new(*blockstore.OverQuotaError)):
		return exitBudget
	case errors.As(err, new(*blockstore.SpoolError)):
		return exitFailed
	case errors.As(err, &data):
		return exitOf[data.Kind]
	case errors.Is(err, fs.ErrNotExist):
		return exitData
	}
	return exitFailed
}

// explainFlag returns an error that tells in plain words what is wrong with the value of a flag, and
// adds what may have been meant to the error of an unknown flag.
func explainFlag(cmd *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		return fmt.Errorf("--%s %q %w", invalid.GetFlag().Name, invalid.GetValue(), plainCause(errors.Unwrap(err)))
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || unknown.GetSpecifiedShortnames() != "" {
		return err
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	name := unknown.GetSpecifiedName()
	return fmt.Errorf("%w for %s%s", err, cmd.CommandPath(), didYouMeanFlag(name, names))
}

// plainCause returns why a value was refused, without the words of strconv.
func plainCause(err error) error {
	var number *strconv.NumError
	switch {
	case !errors.As(err, &number):
		return err
	case errors.Is(err, strconv.ErrRange):
		return errors.New("is too large")
	case number.Func == "ParseBool":
		return errors.New("is neither true nor false")
	case number.Func == "ParseUint" && strings.HasPrefix(number.Num, "-"):
		return errors.New("must be 0 or more")
	}
	return errors.New("is not a whole number")
}

// sameFlag lets flags be called as in scikit-learn.
func sameFlag(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	switch name {
	case "components", "n-components", "n_components":
		name = "rank"
	case "random-state", "random_state":
		name = "seed"
	}
	return pflag.NormalizedName(name)
}
