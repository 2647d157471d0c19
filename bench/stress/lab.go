package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nystream/nystream/bench/internal/program"
)

// lab runs the command for one scenario and counts what happens.
type lab struct {
	options
	name, command string
	root          string // of the repository
	work          string // the folder in which the scenario runs
	random        *rand.Rand

	cases    int
	outcomes map[string]int
	failures []string
	notes    []string
}

// wanted reports whether -only selects a case.
func (l *lab) wanted(name string) bool {
	return len(l.only) == 0 || slices.ContainsFunc(l.only, func(word string) bool { return strings.Contains(name, word) })
}

// sampled reports whether -every selects a case.
func (l *lab) sampled() bool { return l.random.IntN(l.every) == 0 }

// try runs a case that -only selects and counts its outcome. An error of the case is a failure;
// try returns an error only when ctx ends.
func (l *lab) try(ctx context.Context, name string, do func() (outcome string, err error)) error {
	if !l.wanted(name) {
		return nil
	}
	outcome, err := do()
	if ctx.Err() == nil && (err != nil || outcome != "") {
		l.count(name, outcome, err)
	}
	return context.Cause(ctx)
}

// count counts a case by its outcome, or as a failure if err is not nil.
func (l *lab) count(name, outcome string, err error) {
	l.cases++
	if err != nil {
		outcome = "FAILED"
		l.failures = append(l.failures, fmt.Sprintf("%s: %v", name, err))
	} else {
		l.outcomes[outcome]++
	}
	if l.verbose || err != nil {
		fmt.Fprintf(os.Stderr, "%s: %s: %s %v\n", l.name, name, outcome, err)
	}
}

// note adds a sentence below the table.
func (l *lab) note(format string, args ...any) {
	l.notes = append(l.notes, fmt.Sprintf(format, args...))
}

// happened lists the outcomes with their numbers.
func (l *lab) happened() string {
	var words []string
	for _, outcome := range slices.Sorted(maps.Keys(l.outcomes)) {
		words = append(words, fmt.Sprintf("%d %s", l.outcomes[outcome], outcome))
	}
	return strings.Join(words, ", ")
}

// in returns a path in the folder of the scenario.
func (l *lab) in(name ...string) string { return filepath.Join(append([]string{l.work}, name...)...) }

// reset makes the folder of the scenario hold these files and nothing else.
func (l *lab) reset(files map[string][]byte) error {
	err := errors.Join(os.RemoveAll(l.work), os.MkdirAll(l.work, 0o777))
	for name, content := range files {
		err = errors.Join(err, os.WriteFile(l.in(name), content, 0o666))
	}
	return err
}

// read returns the files of these names in a folder.
func read(folder string, names ...string) (map[string][]byte, error) {
	files := make(map[string][]byte)
	for _, name := range names {
		content, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return nil, err
		}
		files[name] = content
	}
	return files, nil
}

// differing returns the name of a file in a folder that has not the wanted bytes, "" if all have.
func differing(folder string, want map[string][]byte) string {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got, err := os.ReadFile(filepath.Join(folder, name)); err != nil || !bytes.Equal(got, want[name]) {
			return name
		}
	}
	return ""
}

// data returns the path of a file of data, which is written once. The name says what is in it;
// see writeFile.
func (l *lab) data(ctx context.Context, name string) (string, error) {
	path := filepath.Join(l.folder, name)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	if out, err := exec.CommandContext(ctx, self, writeFlag, path).CombinedOutput(); err != nil {
		return "", fmt.Errorf("writing %s: %w\n%s", name, err, out)
	}
	return path, nil
}

// process is a program to run, by default in the folder of the scenario.
type process struct {
	args    []string // the program first
	folder  string
	env     []string      // besides those of this process
	stdin   string        // a file that is piped to it
	after   time.Duration // then disturb is called, unless the process has ended
	disturb func(*os.Process) error
}

// signalled returns the process with a signal after some time.
func (p process) signalled(s os.Signal, after time.Duration) process {
	p.after, p.disturb = after, func(running *os.Process) error { return running.Signal(s) }
	return p
}

// ended is what a process leaves.
type ended struct {
	code      int // -1 after a signal
	out       []byte
	text      string        // the standard error
	peak      int64         // bytes of memory
	took, cpu time.Duration // of wall clock, of processors
	disturbed bool
	stopping  time.Duration // from the disturbance to the end
}

// interrupted is the exit code after SIGINT.
const interrupted = 130

// patience is the longest time that a process may run.
const patience = 3 * time.Minute

// fields returns a run of the command by a line, in which X stands for a path.
func (l *lab) fields(line, x string) process {
	args := []string{l.command}
	for _, word := range strings.Fields(line) {
		if word == "X" {
			word = x
		}
		args = append(args, word)
	}
	return process{args: args}
}

// run runs a process. It returns an error if the process cannot start, does not end in time or
// panics, or if ctx ends.
func (l *lab) run(ctx context.Context, p process) (e ended, err error) {
	limited, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("no end after %v: %q", patience, p.args))
	defer cancel()
	var out, text bytes.Buffer
	cmd := exec.CommandContext(limited, p.args[0], p.args[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = p.folder, append(os.Environ(), p.env...), &out, &text
	cmd.WaitDelay = 5 * time.Second // for children that keep the pipes open
	if p.folder == "" {
		cmd.Dir = l.work
	}
	if p.stdin != "" {
		f, err := os.Open(p.stdin)
		if err != nil {
			return e, err
		}
		defer f.Close()
		cmd.Stdin = struct{ io.Reader }{f} // a pipe, not the file itself
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return e, err
	}
	over := make(chan error, 1)
	go func() { over <- cmd.Wait() }()
	var disturbed time.Time
	if p.disturb != nil {
		select {
		case err = <-over:
			over <- err
		case <-time.After(p.after):
			disturbed = time.Now()
			if err := p.disturb(cmd.Process); err != nil && !errors.Is(err, os.ErrProcessDone) {
				return e, errors.Join(err, cmd.Process.Kill(), <-over)
			}
		}
	}
	err = <-over
	state := cmd.ProcessState
	e = ended{code: state.ExitCode(), out: out.Bytes(), text: text.String(), peak: program.Peak(state),
		took: time.Since(began), cpu: state.UserTime() + state.SystemTime()}
	if !disturbed.IsZero() {
		e.disturbed, e.stopping = true, time.Since(disturbed)
	}
	_, exited := errors.AsType[*exec.ExitError](err)
	switch {
	case limited.Err() != nil:
		return e, context.Cause(limited)
	case err != nil && !exited:
		return e, err
	case strings.Contains(e.text, "goroutine ") && !pollerFailed(e.text):
		return e, fmt.Errorf("panic: %s", e.text)
	}
	return e, nil
}

// pollerFailed reports whether the Go runtime gave up because a write to its own poller failed.
func pollerFailed(text string) bool { return strings.Contains(text, "netpollBreak write failed") }

// succeed runs a process that must end with 0.
func (l *lab) succeed(ctx context.Context, p process) (ended, error) {
	e, err := l.run(ctx, p)
	if err == nil && e.code != 0 {
		err = fmt.Errorf("%q ends with %d: %s", p.args, e.code, e.text)
	}
	return e, err
}

// straced returns the process under strace, which tampers with the k-th system call of a kind in
// each thread; what is such as error=EIO.
func (p process) straced(call, what string, k int, options ...string) process {
	args := []string{"strace", "-f", "-qq", "-e", "trace=" + call, "-e", fmt.Sprintf("inject=%s:%s:when=%d", call, what, k)}
	p.args = slices.Concat(args, options, p.args)
	return p
}

// eachCall is the number up to which every call of a kind is a case; of later ones one in four is.
const eachCall = 24

// nextCall returns the number of the call that is a case after call k, of those that -every selects.
func (l *lab) nextCall(k int) int {
	steps := l.every
	if k == 0 {
		steps = 1 + l.random.IntN(l.every)
	}
	for range steps {
		if k++; k > eachCall {
			k += k / 4
		}
	}
	return k
}
