package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/stream"
)

// Exit codes, as nystream help exit documents them.
const (
	ExitOK          = 0
	ExitFailed      = 1
	ExitUsage       = 2
	ExitData        = 3
	ExitBudget      = 4
	ExitInterrupted = 130 // as of SIGINT; other signals have codes of their own, see stopped
	exitPipe        = 141 // as of programs that SIGPIPE ends
)

// FromData makes a data error of an error of reading that is none, but not of the end of the data, an
// interruption, or a copy of the data that could not be written.
func FromData(err error) error {
	if err == nil || err == io.EOF || errors.Is(err, context.Canceled) || errors.As(err, new(*blockstore.SpoolError)) ||
		errors.As(err, new(*stream.DataError)) {
		return err
	}
	return stream.AsDataError(err)
}

// fail prints an error and gives the exit code for it.
func (a *App) fail(ctx context.Context, cmd *cobra.Command, err error) int {
	a.Progress.clear()
	if errors.Is(err, errNobodyReads) {
		return exitPipe
	}
	code := a.exitCode(ctx, err)
	if ctx.Err() != nil {
		err = errors.New("interrupted; no output was written")
		if a.sent {
			err = errors.New("interrupted; rows sent before cannot be taken back")
		}
		if a.Resumable != nil && a.Resumable() {
			err = fmt.Errorf("%w; progress is kept in %s: the same command resumes the fit", err, a.ResumeFrom)
		}
	}
	message := flags.Spell(cmd, err.Error())
	text := "nystream: " + message + "\n"
	if code == ExitUsage {
		for _, words := range a.presets {
			text += words + "\n"
			message += "; " + words
		}
		text += "see " + cmd.CommandPath() + " --help\n"
	}
	a.messages.write(LogLine{Level: "error", Message: message, ExitCode: code}, text)
	return code
}

// exitOf are the exit codes of the kinds of data errors.
var exitOf = map[stream.ErrorKind]int{
	stream.Unusable:    ExitData,
	stream.BadValue:    ExitData,
	stream.Damaged:     ExitData,
	stream.Missing:     ExitData,
	stream.Changed:     ExitData,
	stream.Unreachable: ExitFailed,
	stream.Unwritten:   ExitFailed,
}

// exitCode classifies an error. What cobra refuses before a verb begins is
// wrong usage.
func (a *App) exitCode(ctx context.Context, err error) int {
	var data *stream.DataError
	switch {
	case ctx.Err() != nil:
		if by := new(stopped); errors.As(context.Cause(ctx), by) {
			return by.exitCode()
		}
		return ExitInterrupted
	case errors.As(err, new(*flags.UsageError)) || !a.running:
		return ExitUsage
	case errors.As(err, new(*stream.OverBudgetError)) || errors.As(err, new(*blockstore.OverQuotaError)):
		return ExitBudget
	case errors.As(err, new(*blockstore.SpoolError)):
		return ExitFailed
	case errors.As(err, &data):
		return exitOf[data.Kind]
	case errors.Is(err, fs.ErrNotExist):
		return ExitData
	}
	return ExitFailed
}
