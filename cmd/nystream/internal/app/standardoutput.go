package app

import (
	"errors"
	"io"
	"slices"
	"syscall"
)

// rowsFormat is the format set by --output-format.
type rowsFormat struct {
	OutputFormat string
	Compression  string
	Digests      bool // digests of created files will be requested
	carriesRows  bool // standard output carries rows, so reports go to standard error
}

// standardOutputs are the names of standard output.
var standardOutputs = []string{"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}

func IsStandardOutput(path string) bool { return slices.Contains(standardOutputs, path) }

// OutputName returns the name of an output in reports.
func OutputName(path string) string {
	if IsStandardOutput(path) {
		return "standard output"
	}
	return path
}

// errReaderGone reports a write to a pipe whose reader has ended, as head does.
var errReaderGone = errors.New("nobody reads the output any more")

// StandardOutput detects that the reader of a pipe has ended, and records whether anything was written.
type StandardOutput struct {
	io.Writer
	wrote *bool
}

// Pipe returns the output to a pipe. What is written there cannot be undone.
func (a *App) Pipe(out io.Writer) *StandardOutput { return &StandardOutput{out, &a.wroteToPipe} }

func (o *StandardOutput) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	*o.wrote = *o.wrote || n > 0
	if errors.Is(err, syscall.EPIPE) {
		err = errReaderGone
	}
	return n, err
}
