package app

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// signalError is the cancellation cause for a signal.
type signalError struct{ signal syscall.Signal }

func (s signalError) Error() string { return fmt.Sprintf("stopped by %v", s.signal) }

// exitCode returns the exit status that shells report for a program ended by the signal.
func (s signalError) exitCode() int { return 128 + int(s.signal) }

// HeedSignals returns a context that ends with the first signal that asks a program to stop: an interrupt, kill, or a
// closed terminal. A second one ends the process at once.
func HeedSignals() (ctx context.Context, ignore func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	ignore = func() { signal.Stop(heard) }
	go func() {
		s := (<-heard).(syscall.Signal)
		ignore()
		cancel(signalError{s})
	}()
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // writes return an error instead
	return ctx, ignore
}
