package app

import (
	"errors"
	"io"
	"slices"
	"syscall"
)

// rowsFormat is the format that --output-format names.
type rowsFormat struct {
	OutputFormat string
	Compression  string
	Digests      bool // the digests of files that are created will be asked for
	carriesRows  bool // the standard output does: reports go to the standard error
}

// standardOutputs are the names of the standard output.
var standardOutputs = []string{"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}

func IsStandardOutput(path string) bool { return slices.Contains(standardOutputs, path) }

// OutputName returns how reports call an output.
func OutputName(path string) string {
	if IsStandardOutput(path) {
		return "standard output"
	}
	return path
}

// errNobodyReads is the error of writing to a pipe whose reader has gone, as head does
// when it has seen enough.
var errNobodyReads = errors.New("nobody reads the output any more")

// StandardOutput tells when nobody reads what is written to it, and whether anything was.
type StandardOutput struct {
	io.Writer
	sent *bool
}

// Pipe returns the output to a pipe, which cannot be taken back.
func (a *App) Pipe(out io.Writer) *StandardOutput { return &StandardOutput{out, &a.sent} }

func (o *StandardOutput) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	*o.sent = *o.sent || n > 0
	if errors.Is(err, syscall.EPIPE) {
		err = errNobodyReads
	}
	return n, err
}
