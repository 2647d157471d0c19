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

// A worker is a process that runs the command lines of one script, one after the other:
// a start of the command takes longer than most of them.
type worker struct {
	names    []string // of its environment
	process  *exec.Cmd
	calls    *json.Encoder
	end      io.Closer
	answers  *json.Decoder
	messages bytes.Buffer
}

// workerKey finds the worker of a script.
type workerKey struct{}

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

// runScripted PROGRAM ARGUMENT... [<FILE] runs a command line in the worker of the script.
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
	w := ts.Value(workerKey{}).(*worker)
	c := call{Words: words, Folder: ts.MkAbs(".")}
	for _, name := range w.names {
		c.Env = append(c.Env, name+"="+ts.Getenv(name))
	}
	if last := len(words) - 1; last >= 0 && strings.HasPrefix(words[last], "<") {
		c.Input, c.Words = ts.MkAbs(words[last][1:]), words[:last]
	}
	a, err := w.ask(c)
	if err != nil {
		ts.Fatalf("%v", err)
	}
	ts.Stdout().Write(a.Out)
	ts.Stderr().Write(a.Err)
	return a.Code
}

// ask has a command line run. The first one starts the process.
func (w *worker) ask(c call) (a answer, err error) {
	if w.process == nil {
		err = w.start(c.Env)
	}
	if err == nil {
		err = w.calls.Encode(c)
	}
	if err == nil {
		err = w.answers.Decode(&a)
	}
	if err != nil {
		err = errors.Join(err, w.stop(), errors.New(w.messages.String()))
	}
	return a, err
}

// addWorker gives a script its worker.
func addWorker(e *testscript.Env) {
	w := new(worker)
	for _, pair := range e.Vars {
		name, _, _ := strings.Cut(pair, "=")
		w.names = append(w.names, name)
	}
	e.Values[workerKey{}] = w
	e.Defer(func() { w.stop() })
}

func (w *worker) start(env []string) error {
	w.process = exec.Command("nystream")
	w.process.Env, w.process.Stderr = append(env, workVariable+"=1"), &w.messages
	in, err := w.process.StdinPipe()
	if err != nil {
		return err
	}
	out, err := w.process.StdoutPipe()
	if err != nil {
		return err
	}
	w.calls, w.end, w.answers = json.NewEncoder(in), in, json.NewDecoder(out)
	return w.process.Start()
}

// stop ends the process, which waits for a call.
func (w *worker) stop() error {
	if w.process == nil || w.process.Process == nil {
		return nil
	}
	w.end.Close()
	return w.process.Wait()
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
