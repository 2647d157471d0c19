package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// stopLimit is how long a run may take to end after an interrupt.
const stopLimit = time.Second

// stops are command lines of long runs, X standing for the file of the rows and D for the
// folder: large decompositions, passes, exact passes, and what waits for others.
var stops = []string{
	"fit landmark X --kernel rbf(gamma=3) --rank 1500",
	"fit rff X --kernel rbf(gamma=3) --rank 2000",
	"fit nystrom X --kernel rbf(gamma=3) --rank 2000",
	"fit s3spsd X --kernel rbf(gamma=3) --rank 600",
	"fit ssrsvd X --kernel rbf(gamma=3) --rank 400",
	"fit rpcholesky X --kernel rbf(gamma=3) --rank 800",
	"fit subspace X --kernel rbf(gamma=3) --rank 100",
	"fit ksvd X --right X --method nystrom --kernel rbf(gamma=3) --rank 500",
	"fit operator X --lag 1 --kind koopman --kernel rbf(gamma=3) --rank 20 --engine landmark --landmarks 1500",
	"fit landmark D/pipe --kernel rbf(gamma=3) --rank 20",
}

// runStops interrupts each of the command lines at some moments, at least as often in all
// as asked for, and prints how long it takes to end.
func runStops(ctx context.Context, o *options) error {
	pipe := filepath.Join(o.folder, "pipe")
	if err := makePipe(pipe); err != nil {
		return err
	}
	defer os.Remove(pipe)
	random := rand.New(rand.NewPCG(o.seed, 1))
	var took []time.Duration
	late := 0
	fmt.Printf("%-76s %9s %9s\n", "command", "after", "to stop")
	for len(took) < o.total {
		for _, line := range stops {
			after := 500*time.Millisecond + time.Duration(random.Int64N(int64(4*time.Second)))
			d, ended, err := o.stop(ctx, line, after)
			if err != nil {
				return fmt.Errorf("%s: %w", line, err)
			}
			if ended { // by itself: another moment
				continue
			}
			took = append(took, d)
			if d > stopLimit {
				late++
			}
			fmt.Printf("%-76.76s %8.2fs %8.3fs\n", line, after.Seconds(), d.Seconds())
		}
	}
	slices.Sort(took)
	fmt.Printf("%d interrupts: median %.3fs, longest %.3fs\n", len(took), took[len(took)/2].Seconds(), took[len(took)-1].Seconds())
	if late > 0 {
		return fmt.Errorf("%d of %d took more than %v", late, len(took), stopLimit)
	}
	return nil
}

// stop starts a run, interrupts it, and returns how long it takes to end; ended reports
// that it ended before.
func (o *options) stop(ctx context.Context, line string, after time.Duration) (d time.Duration, ended bool, err error) {
	output := filepath.Join(o.folder, "stopped.npz")
	replace := strings.NewReplacer("X", o.path(o.formats[0]), "D", o.folder)
	args := strings.Fields(line)
	for i, a := range args {
		if a == "X" || strings.HasPrefix(a, "D/") {
			args[i] = replace.Replace(a)
		}
	}
	var says strings.Builder
	cmd := exec.CommandContext(ctx, o.command, append(args, "-o", output, "--quiet")...)
	cmd.Stderr = &says
	if err := cmd.Start(); err != nil {
		return 0, false, err
	}
	over := make(chan error, 1)
	go func() { over <- cmd.Wait() }()
	select {
	case err := <-over:
		os.Remove(output)
		if err != nil {
			err = fmt.Errorf("%w: %s", err, says.String())
		}
		return 0, true, err
	case <-time.After(after):
	}
	began := time.Now()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		return 0, false, err
	}
	err = <-over
	d = time.Since(began)
	if err == nil { // it had all but ended
		return 0, true, os.Remove(output)
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != interrupted {
		return d, false, fmt.Errorf("%w: %s", err, says.String())
	}
	if left, _ := filepath.Glob(filepath.Join(o.folder, "*stopped*")); len(left) > 0 {
		return d, false, fmt.Errorf("%q are left", left)
	}
	return d, false, nil
}
