package app

import (
	"context"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/nystream/nystream/cmd/nystream/internal/flags"
)

// lifelineVariable is set to stdin by a parent process that holds the other end of standard input. The pipe closes when
// the parent ends for any reason; no data is read from it.
const lifelineVariable = flags.EnvironmentPrefix + "LIFELINE"

// lifelineGrace is the time for an interrupted run to remove its temporary files.
const lifelineGrace = 10 * time.Second

// WatchLifeline returns in unchanged unless it is a lifeline. For a lifeline it returns a context that is cancelled at
// the end of in, and an empty standard input.
func WatchLifeline(ctx context.Context, in io.Reader) (context.Context, io.Reader) {
	if os.Getenv(lifelineVariable) != "stdin" {
		return ctx, in
	}
	ctx, cancel := context.WithCancelCause(ctx)
	gone := signalError{syscall.SIGHUP} // as when a terminal closes
	go func() {
		_, _ = io.Copy(io.Discard, in) // an error also means the end
		cancel(gone)
		time.Sleep(lifelineGrace)
		os.Exit(gone.exitCode())
	}()
	return ctx, strings.NewReader("")
}
