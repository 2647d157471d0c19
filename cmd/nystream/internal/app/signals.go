package app

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// stopped is the cause of a context that a signal has ended.
type stopped struct{ signal syscall.Signal }

func (s stopped) Error() string { return fmt.Sprintf("stopped by %v", s.signal) }

// exitCode returns what shells return of a program that the signal ends.
func (s stopped) exitCode() int { return 128 + int(s.signal) }

// HeedSignals returns a context that ends with the first of the signals that ask a program to end: from
// a terminal, from kill, and from a terminal that is gone. A second one ends the process at once.
func HeedSignals() (ctx context.Context, ignore func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	ignore = func() { signal.Stop(heard) }
	go func() {
		s := (<-heard).(syscall.Signal)
		ignore()
		cancel(stopped{s})
	}()
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // writing says so instead, and what is temporary is removed
	return ctx, ignore
}
