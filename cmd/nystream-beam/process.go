package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// here runs a command in the place of this one.
func here(ctx context.Context, path string, args []string) error {
	cmd := process(ctx, path, args)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return cmd.Run()
}

// process returns a command that is interrupted when ctx ends.
func process(ctx context.Context, path string, args []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// killed reports whether a process was ended by a signal.
func killed(err error) bool {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled()
}

// places limits how many processes a worker runs at a time.
var places struct {
	sync.Mutex
	taken chan struct{}
}

// place waits until fewer than most processes run, and returns a function that ends its own turn.
func place(ctx context.Context, most int) (func(), error) {
	places.Lock()
	if places.taken == nil {
		places.taken = make(chan struct{}, max(1, most))
	}
	taken := places.taken
	places.Unlock()
	select {
	case taken <- struct{}{}:
		return func() { <-taken }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
