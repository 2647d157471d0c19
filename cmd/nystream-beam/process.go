package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
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

// attempts is how often a part is tried whose process is killed: by the system for want of
// memory, or when a machine is taken back. What is an error is one the second time too.
const attempts = 3

// work runs nystream on a worker and returns what it prints.
func work(ctx context.Context, folder, path string, args []string) ([]byte, error) {
	path, err := command(path)
	if err != nil {
		return nil, err
	}
	for attempt := 1; ; attempt++ {
		cmd := process(ctx, path, args)
		var out, complaint bytes.Buffer
		cmd.Dir, cmd.Stdout, cmd.Stderr = folder, &out, &complaint
		err := cmd.Run()
		if err == nil {
			return out.Bytes(), nil
		}
		host, _ := os.Hostname() // only for the message
		err = fmt.Errorf("%s %s, on %s: %w: %s", path, args[0], host, err, strings.TrimSpace(complaint.String()))
		if attempt == attempts || !killed(err) || ctx.Err() != nil {
			return nil, err
		}
		count(ctx, "retried", 1)
	}
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

// place waits for one of so many places and returns what gives it back.
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
