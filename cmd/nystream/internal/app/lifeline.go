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

// lifelineVariable is set to stdin by a program that starts this one and holds the other end of its standard input.
// That pipe is closed when the program ends, in whichever way; no data is read from it then.
const lifelineVariable = flags.EnvironmentPrefix + "LIFELINE"

// lifelineGrace is how long an interrupted run may take to remove its temporary files.
const lifelineGrace = 10 * time.Second

// WatchLifeline returns a context that is cancelled at the end of in, and an empty standard input, if in is a lifeline.
func WatchLifeline(ctx context.Context, in io.Reader) (context.Context, io.Reader) {
	if os.Getenv(lifelineVariable) != "stdin" {
		return ctx, in
	}
	ctx, cancel := context.WithCancelCause(ctx)
	gone := stopped{syscall.SIGHUP} // as of a terminal that is gone
	go func() {
		_, _ = io.Copy(io.Discard, in) // an error is an end, too
		cancel(gone)
		time.Sleep(lifelineGrace)
		os.Exit(gone.exitCode())
	}()
	return ctx, strings.NewReader("")
}
