package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/solvers/nyblas"
)

// programs returns the commands of scripts, each a process of its own after exec.
func programs() map[string]func() {
	return map[string]func(){"nystream": mainOrWork, "generate": generate, "foreign": foreign, "typed": typed, "paint": paint}
}

// workVariable makes a worker of our command.
const workVariable = "SCRIPT_WORKER"

func mainOrWork() {
	if os.Getenv(workVariable) == "" {
		main()
	}
	work()
}

// A worker is a process that runs command lines of scripts, one after the other: a start
// of the command takes longer than most of them.
type worker struct {
	served   int // command lines
	process  *exec.Cmd
	calls    *json.Encoder
	end      io.Closer
	answers  *json.Decoder
	messages bytes.Buffer
}

// mostServed command lines are run by one worker: cobra keeps the flags of each, and the heap
// of many is slow to collect.
const mostServed = 30

// idle holds the workers that no script uses.
var idle = make(chan *worker, 64)

// session is the worker of one script, and the names of the environment of its command lines.
type session struct {
	worker *worker
	names  []string
}

// sessionKey finds the session of a script.
type sessionKey struct{}

// addSession gives a script a session.
func addSession(e *testscript.Env) {
	s := new(session)
	for _, pair := range e.Vars {
		name, _, _ := strings.Cut(pair, "=")
		s.names = append(s.names, name)
	}
	e.Values[sessionKey{}] = s
	e.Defer(func() {
		if s.worker != nil {
			idle <- s.worker
		}
	})
}

func sessionOf(ts *testscript.TestScript) *session { return ts.Value(sessionKey{}).(*session) }

// call is a command line, and where it runs.
type call struct {
	Words  []string
	Folder string
	Env    []string
	Input  string // a file, or "" for an empty standard input
}

// answer is what a command line printed, and its exit code.
type answer struct {
	Code     int
	Out, Err []byte
}

// runScripted is run PROGRAM ARGUMENT... [<FILE], which runs a command line in a worker.
func runScripted(ts *testscript.TestScript, neg bool, words []string) {
	if code := runInWorker(ts, words); (code != exitOK) != neg {
		ts.Fatalf("exit code %d", code)
	}
}

// exits CODE PROGRAM ARGUMENT... [<FILE] is run with another exit code.
func exits(ts *testscript.TestScript, neg bool, words []string) {
	if neg || len(words) < 2 {
		ts.Fatalf("usage: exits code command...")
	}
	if code := runInWorker(ts, words[1:]); code != atoi(words[0]) {
		ts.Fatalf("exit code %d, not %s", code, words[0])
	}
}

// runInWorker returns the exit code.
func runInWorker(ts *testscript.TestScript, words []string) int {
	s, c := sessionOf(ts), call{Words: words, Folder: ts.MkAbs(".")}
	for _, name := range s.names {
		c.Env = append(c.Env, name+"="+ts.Getenv(name))
	}
	if last := len(words) - 1; last >= 0 && strings.HasPrefix(words[last], "<") {
		c.Input, c.Words = ts.MkAbs(words[last][1:]), words[:last]
	}
	if s.worker == nil {
		w, err := someWorker()
		ts.Check(err)
		s.worker = w
	}
	a, err := s.worker.ask(c)
	if err == nil && s.worker.served == mostServed {
		err, s.worker = s.worker.stop(), nil
	}
	if err != nil {
		s.worker = nil
		ts.Fatalf("%v", err)
	}
	ts.Stdout().Write(a.Out)
	ts.Stderr().Write(a.Err)
	return a.Code
}

// someWorker returns an idle worker, or a new one.
func someWorker() (*worker, error) {
	select {
	case w := <-idle:
		return w, nil
	default:
	}
	w := &worker{process: exec.Command("nystream")}
	w.process.Env, w.process.Stderr = append(os.Environ(), workVariable+"=1"), &w.messages
	in, err := w.process.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := w.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	w.calls, w.end, w.answers = json.NewEncoder(in), in, json.NewDecoder(out)
	return w, w.process.Start()
}

// ask has a command line run. An error ends the worker.
func (w *worker) ask(c call) (a answer, err error) {
	w.served++
	if err = w.calls.Encode(c); err == nil {
		err = w.answers.Decode(&a)
	}
	if err != nil {
		err = errors.Join(err, w.stop(), errors.New(w.messages.String()))
	}
	return a, err
}

func (w *worker) stop() error {
	w.end.Close()
	return w.process.Wait()
}

// stopWorkers ends the idle workers, all of them once scripts are done.
func stopWorkers() {
	for len(idle) > 0 {
		(<-idle).stop()
	}
}

// work runs command lines from the standard input until it ends.
func work() {
	blas64.Use(nyblas.Implementation{})
	calls, answers := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var c call
		if err := calls.Decode(&c); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			panic(err)
		}
		must(answers.Encode(c.answer()))
	}
}

// answer runs a command line as a process of its own would: nothing of those before is left.
func (c call) answer() (a answer) {
	must(os.Chdir(c.Folder))
	os.Clearenv()
	for _, pair := range c.Env {
		name, value, _ := strings.Cut(pair, "=")
		must(os.Setenv(name, value))
	}
	if c.Words[0] == "nystream" {
		return c.command()
	}
	os.Args = c.Words
	programs()[c.Words[0]]() // ends the worker if it fails
	return a
}

// command runs our command.
func (c call) command() answer {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	in := io.Reader(strings.NewReader(""))
	if c.Input != "" {
		f, err := os.Open(c.Input)
		must(err)
		defer f.Close()
		in = f
	}
	setGarbage(looseGarbage)
	debug.SetMemoryLimit(math.MaxInt64)
	registerStores(ctx)
	var out, messages bytes.Buffer
	code := run(ctx, plainWords(c.Words[1:]), in, &out, &messages)
	return answer{Code: code, Out: out.Bytes(), Err: messages.Bytes()}
}
