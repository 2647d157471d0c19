package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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

// lab runs the command for one scenario and counts outcomes. On failure its methods end the case, or the scenario
// outside a case, like those of testing.T.
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

// failure is the panic value of check.
type failure struct{ err error }

// check ends the case unless err is nil.
func check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// failf ends the case.
func failf(format string, args ...any) { check(fmt.Errorf(format, args...)) }

// recovered returns the error that ended do, nil if there was none.
func recovered(do func()) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case failure:
			err = p.err
		default:
			panic(p)
		}
	}()
	do()
	return nil
}

// wanted reports whether -only selects a case.
func (l *lab) wanted(name string) bool {
	return len(l.only) == 0 || slices.ContainsFunc(l.only, func(word string) bool { return strings.Contains(name, word) })
}

// wantsSome reports whether -only selects a case whose name starts with these words.
func (l *lab) wantsSome(words string) bool {
	begins := func(word string) bool { return strings.HasPrefix(word, words+" ") }
	return l.wanted(words) || slices.ContainsFunc(l.only, begins)
}

// try runs a case selected by -only and counts its outcome; "" is not counted.
func (l *lab) try(ctx context.Context, name string, do func() (outcome string)) {
	if !l.wanted(name) {
		return
	}
	var outcome string
	err := recovered(func() { outcome = do() })
	check(context.Cause(ctx))
	switch {
	case err != nil:
		l.cases++
		l.failures = append(l.failures, fmt.Sprintf("%s: %v", name, err))
	case outcome != "":
		l.cases++
		l.outcomes[outcome]++
	}
}

// note adds a sentence below the table.
func (l *lab) note(format string, args ...any) {
	l.notes = append(l.notes, fmt.Sprintf(format, args...))
}

// happened lists the outcomes with their counts.
func (l *lab) happened() string {
	var words []string
	for _, outcome := range slices.Sorted(maps.Keys(l.outcomes)) {
		words = append(words, fmt.Sprintf("%d %s", l.outcomes[outcome], outcome))
	}
	return strings.Join(words, ", ")
}

// in returns a path in the folder of the scenario.
func (l *lab) in(name ...string) string { return filepath.Join(append([]string{l.work}, name...)...) }

// reset replaces the contents of the scenario's folder by the given files.
func (l *lab) reset(files map[string][]byte) {
	check(errors.Join(os.RemoveAll(l.work), os.MkdirAll(l.work, 0o777)))
	for name, content := range files {
		check(os.WriteFile(l.in(name), content, 0o666))
	}
}

// read returns the files with the given names in a folder.
func read(folder string, names ...string) map[string][]byte {
	files := make(map[string][]byte)
	for _, name := range names {
		content, err := os.ReadFile(filepath.Join(folder, name))
		check(err)
		files[name] = content
	}
	return files
}

// differing returns the name of a file in a folder with unexpected bytes, "" if there is none.
func differing(folder string, want map[string][]byte) string {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got, err := os.ReadFile(filepath.Join(folder, name)); err != nil || !bytes.Equal(got, want[name]) {
			return name
		}
	}
	return ""
}

// data returns the path of a data file, which is written once. The name describes the contents; see writeFile.
func (l *lab) data(ctx context.Context, name string) string {
	path := filepath.Join(l.folder, name)
	if _, err := os.Stat(path); err != nil {
		self, err := os.Executable()
		check(err)
		l.succeed(ctx, process{args: []string{self, writeFlag, path}})
	}
	return path
}

// process is a program to run, by default in the folder of the scenario.
type process struct {
	args    []string // the program first
	folder  string
	env     []string                // in addition to that of this process
	disturb func(*os.Process) error // called while it runs
	after   time.Duration           // delay of disturb
}

// fields returns a run of the command. X in line stands for the path x.
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

// signalled returns the process with a signal after a delay.
func (p process) signalled(s os.Signal, after time.Duration) process {
	p.after, p.disturb = after, func(running *os.Process) error { return running.Signal(s) }
	return p
}

// straced returns the process under strace, which tampers with the k-th system call of a kind in each thread; what is,
// for example, error=EIO.
func (p process) straced(call, what string, k int, options ...string) process {
	inject := fmt.Sprintf("inject=%s:%s:when=%d", call, what, k)
	p.args = slices.Concat([]string{"strace", "-f", "-qq", "-e", "trace=" + call, "-e", inject}, options, p.args)
	return p
}

// processResult is how a process ended, and what it printed and used.
type processResult struct {
	code      int // -1 after a signal
	out       []byte
	text      string // standard error
	peak      int64  // peak memory in bytes
	took      time.Duration
	disturbed bool
	stopping  time.Duration // time from the disturbance to the end
}

const (
	interrupted = 130             // exit code after SIGINT
	patience    = 3 * time.Minute // time limit of a process
)

// run runs a process. It fails the case if the process cannot start, does not end in time or panics.
func (l *lab) run(ctx context.Context, p process) (e processResult) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("no end after %v: %q", patience, p.args))
	defer cancel()
	var out, text bytes.Buffer
	cmd := exec.CommandContext(ctx, p.args[0], p.args[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = p.folder, append(os.Environ(), p.env...), &out, &text
	cmd.WaitDelay = 5 * time.Second // for children that keep pipes open
	if p.folder == "" {
		cmd.Dir = l.work
	}
	began := time.Now()
	check(cmd.Start())
	over := make(chan error, 1)
	go func() { over <- cmd.Wait() }()
	if p.disturb != nil {
		select {
		case err := <-over:
			over <- err
		case <-time.After(p.after):
			disturbed := time.Now()
			err := p.disturb(cmd.Process)
			e.disturbed = err == nil
			defer func() { e.stopping = time.Since(disturbed) }()
			if err != nil && !errors.Is(err, os.ErrProcessDone) {
				check(errors.Join(err, cmd.Process.Kill(), <-over))
			}
		}
	}
	err := <-over
	state := cmd.ProcessState
	e.code, e.out, e.text, e.peak = state.ExitCode(), out.Bytes(), text.String(), program.Peak(state)
	e.took = time.Since(began)
	check(context.Cause(ctx))
	if _, exited := errors.AsType[*exec.ExitError](err); !exited {
		check(err)
	}
	if strings.Contains(e.text, "goroutine ") && !pollerFailed(e.text) {
		failf("panic: %s", e.text)
	}
	return e
}

// pollerFailed reports whether the Go runtime aborted because a write to its own poller failed.
func pollerFailed(text string) bool { return strings.Contains(text, "netpollBreak write failed") }

// succeed runs a process that must exit with 0.
func (l *lab) succeed(ctx context.Context, p process) processResult {
	e := l.run(ctx, p)
	if e.code != 0 {
		failf("%q ends with %d: %s", p.args, e.code, e.text)
	}
	return e
}

// eachCall is the number of first system calls of a kind that are all cases; of later ones, one in four is.
const eachCall = 24

// eachOf tries the calls of a kind selected by -every, until one does not occur.
func (l *lab) eachOf(ctx context.Context, name string, do func(k int) (outcome string, occurs bool)) {
	occurs := true
	for k, n := 1, l.random.IntN(l.every); occurs; k, n = k+1, n+1 {
		if k > eachCall {
			k += k / 4
		}
		if (n+1)%l.every != 0 {
			continue
		}
		occurs = false
		l.try(ctx, fmt.Sprintf("%s %d", name, k), func() (outcome string) {
			outcome, occurs = do(k)
			return outcome
		})
	}
}
