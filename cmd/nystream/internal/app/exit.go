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
	ExitInterrupted = 130 // as for SIGINT; other signals have their own codes, see signalError.exitCode
	exitPipe        = 141 // as for programs ended by SIGPIPE
)

// FromData turns an error of reading into a data error. It does not change data errors, io.EOF, interruptions, and
// errors of writing a temporary copy.
func FromData(err error) error {
	if err == nil || err == io.EOF || errors.Is(err, context.Canceled) || errors.As(err, new(*blockstore.SpoolError)) ||
		errors.As(err, new(*stream.DataError)) {
		return err
	}
	return stream.AsDataError(err)
}

// fail prints an error and returns its exit code.
func (a *App) fail(ctx context.Context, cmd *cobra.Command, err error) int {
	a.Progress.clear()
	if errors.Is(err, errReaderGone) {
		return exitPipe
	}
	code := a.exitCode(ctx, err)
	if ctx.Err() != nil {
		err = errors.New("interrupted; no output was written")
		if a.wroteToPipe {
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

// exitCodes maps kinds of data errors to exit codes.
var exitCodes = map[stream.ErrorKind]int{
	stream.Unusable:    ExitData,
	stream.BadValue:    ExitData,
	stream.Damaged:     ExitData,
	stream.Missing:     ExitData,
	stream.Changed:     ExitData,
	stream.Unreachable: ExitFailed,
	stream.Unwritable:  ExitFailed,
}

// exitCode classifies an error. Errors returned by cobra before a verb starts are usage errors.
func (a *App) exitCode(ctx context.Context, err error) int {
	var data *stream.DataError
	switch {
	case ctx.Err() != nil:
		if by := new(signalError); errors.As(context.Cause(ctx), by) {
			return by.exitCode()
		}
		return ExitInterrupted
	case errors.As(err, new(*flags.UsageError)) || !a.accepted:
		return ExitUsage
	case errors.As(err, new(*stream.OverBudgetError)) || errors.As(err, new(*blockstore.OverQuotaError)):
		return ExitBudget
	case errors.As(err, new(*blockstore.SpoolError)):
		return ExitFailed
	case errors.As(err, &data):
		return exitCodes[data.Kind]
	case errors.Is(err, fs.ErrNotExist):
		return ExitData
	}
	return ExitFailed
}
