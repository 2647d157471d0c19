package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/stream"
)

// method is a command line of fit, but for its files.
type method struct {
	name  string
	flags []string
	two   bool // the rows are on both sides
}

var methods = []method{
	{name: "s3spsd", flags: []string{"--kernel", "rbf(gamma=0.5)", "--rank", "60"}},
	{name: "landmark", flags: []string{"--kernel", "rbf(gamma=median)", "--rank", "60", "--scale", "standard"}},
	{name: "ssrsvd", flags: []string{"--kernel", "laplace(gamma=0.2)", "--rank", "40"}},
	{name: "nystrom", flags: []string{"--kernel", "matern52(length=median)", "--rank", "200", "--nulls", "drop"}},
	{name: "ksvd", flags: []string{"--kernel", "rbf(gamma=0.5)", "--rank", "40", "--method", "ssrsvd"}, two: true},
	{name: "ism", flags: []string{"--label", "x9", "--engine", "linear", "--landmarks", "50", "--iterations", "4"}},
}

func methodNames() (names []string) {
	for _, m := range methods {
		names = append(names, m.name)
	}
	return names
}

// tally counts.
type tally struct {
	kills   int
	resumed int // starts that went on from a state
	states  int // states that were read after kills
	models  int // fits that came to their end
	same    int // of them, those with the bytes of an undisturbed fit
}

func (t *tally) add(u tally) {
	t.kills += u.kills
	t.resumed += u.resumed
	t.states += u.states
	t.models += u.models
	t.same += u.same
}

// interrupted is the exit code of a program that SIGINT has ended.
const interrupted = 130

// victim is a fit that is killed.
type victim struct {
	*options
	tally
	method, format string
	random         *rand.Rand
	alone          time.Duration // what it takes undisturbed
}

// run kills at least so many times.
func (v *victim) run(ctx context.Context, kills int) error {
	want, err := v.undisturbed(ctx)
	if err != nil {
		return err
	}
	for v.kills < kills {
		model, err := v.killed(ctx)
		if err != nil {
			return err
		}
		v.models++
		if bytes.Equal(model, want) {
			v.same++
		}
	}
	return nil
}

// undisturbed returns the model of a fit without states.
func (v *victim) undisturbed(ctx context.Context) ([]byte, error) {
	path := filepath.Join(v.folder, "alone.npz")
	began := time.Now()
	if out, err := v.fit(ctx, path).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	v.alone = time.Since(began)
	return os.ReadFile(path)
}

// fit returns the command.
func (v *victim) fit(ctx context.Context, output string, more ...string) *exec.Cmd {
	data := v.path(v.format)
	args := []string{"fit", v.method, data, "-o", output, "--format", "json"}
	for _, m := range methods {
		if m.name == v.method {
			args = append(args, m.flags...)
			if m.two {
				args = append(args, "--right", data)
			}
		}
	}
	return exec.CommandContext(ctx, v.command, append(args, more...)...)
}

// killed starts a fit, kills it at random moments, and starts it again until it ends.
// It returns the model.
func (v *victim) killed(ctx context.Context) ([]byte, error) {
	states, output := filepath.Join(v.folder, "states"), filepath.Join(v.folder, "killed.npz")
	for _, path := range []string{states, output} {
		if err := os.RemoveAll(path); err != nil {
			return nil, err
		}
	}
	for {
		done, err := v.once(ctx, states, output)
		if err != nil {
			return nil, err
		}
		if err := v.checkStates(states); err != nil {
			return nil, err
		}
		if done {
			break
		}
	}
	left, err := blockstore.States(states).Names()
	if err != nil || len(left) > 0 {
		return nil, errors.Join(err, fmt.Errorf("states are left: %v", left))
	}
	return os.ReadFile(output)
}

// once starts the fit, and kills it unless it ends before. done reports whether it did.
func (v *victim) once(ctx context.Context, states, output string) (done bool, err error) {
	var messages bytes.Buffer
	cmd := v.fit(ctx, output, "--checkpoint", states, "--checkpoint-every", v.every)
	cmd.Stderr = &messages
	if err := cmd.Start(); err != nil {
		return false, err
	}
	var signal os.Signal = os.Kill
	if v.interrupt {
		signal = os.Interrupt
	}
	kill := time.AfterFunc(time.Duration(v.random.Float64()*float64(v.alone)), func() { cmd.Process.Signal(signal) })
	err = cmd.Wait()
	kill.Stop()
	if text := messages.String(); strings.Contains(text, "resumed at row") || strings.Contains(text, "was done before") {
		v.resumed++
	}
	var exit *exec.ExitError
	switch {
	case err == nil:
		return true, nil
	case ctx.Err() != nil:
		return false, context.Cause(ctx)
	case errors.As(err, &exit) && (exit.ExitCode() < 0 || v.interrupt && exit.ExitCode() == interrupted): // -1: by a signal
		v.kills++
		return false, nil
	}
	return false, fmt.Errorf("%w: %s", err, &messages)
}

// checkStates reads all states, and wants no model that is not whole.
func (v *victim) checkStates(states string) error {
	all, err := stream.ListStates(blockstore.States(states))
	v.states += len(all)
	for _, s := range all {
		err = errors.Join(err, s.Err)
	}
	if err != nil {
		return fmt.Errorf("after a kill: %w", err)
	}
	return nil
}
