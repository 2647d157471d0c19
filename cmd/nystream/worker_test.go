package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/solvers/nyblas"
)

// programs returns the programs of scripts, which exec starts as processes.
func programs() map[string]func() {
	return map[string]func(){"nystream": mainOrWork, "generate": generate, "foreign": foreign, "typed": typed}
}

// workVariable is set in the environment of a worker.
const workVariable = "SCRIPT_WORKER"

// mainOrWork runs main, or serves calls if the process is a worker.
func mainOrWork() {
	if os.Getenv(workVariable) == "" {
		main()
	}
	work()
}

// A worker is a process that runs command lines of scripts one by one, since starting a process takes longer than most
// of them.
type worker struct {
	process  *exec.Cmd
	calls    *json.Encoder
	end      io.Closer
	answers  *json.Decoder
	messages bytes.Buffer
}

// idle holds the workers between scripts.
var idle = make(chan *worker, 64)

// A session holds the state with which a script runs its command lines.
type session struct {
	worker *worker  // nil before the first command line
	names  []string // environment variables that are passed on
}

// sessionKey is the key of the session in the values of a script.
type sessionKey struct{}

// addSession gives the script a session.
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

// A call is a command line and its surroundings.
type call struct {
	Words  []string
	Folder string
	Env    []string
	Input  string // file of the standard input, "" for none
}

// An answer is the result of a call.
type answer struct {
	Code     int
	Out, Err []byte
}

// runScripted implements run PROGRAM ARGUMENT... [<FILE]: it runs a command line in a worker.
func runScripted(ts *testscript.TestScript, neg bool, words []string) {
	if code := runInWorker(ts, words); (code != app.ExitOK) != neg {
		ts.Fatalf("exit code %d", code)
	}
}

// exits implements exits CODE PROGRAM ARGUMENT... [<FILE]: run with the expected exit code.
func exits(ts *testscript.TestScript, neg bool, words []string) {
	if neg || len(words) < 2 {
		ts.Fatalf("usage: exits code command...")
	}
	if code := runInWorker(ts, words[1:]); code != atoi(words[0]) {
		ts.Fatalf("exit code %d, not %s", code, words[0])
	}
}

// checkNarrow fails if a report in text has a line of more than 80 columns that has a space to break it at.
func checkNarrow(words []string, out []byte) error {
	if len(words) < 2 || !slices.Contains([]string{"fit", "merge", "plan", "predict", "transform", "verify", "inspect", "convert"}, words[1]) ||
		slices.Contains(words, "-") || bytes.HasPrefix(out, []byte("{")) {
		return nil
	}
	for line := range strings.Lines(string(out)) {
		if n := utf8.RuneCountInString(line) - 1; n > 80 && len(strings.Fields(line)) > 1 {
			return fmt.Errorf("%q: a line of %d columns: %s", words, n, line)
		}
	}
	return nil
}

// runInWorker runs a command line and returns its exit code.
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
	if err != nil {
		s.worker = nil
		ts.Fatalf("%v", err)
	}
	ts.Check(checkDocs(c.Words, a.Out))
	ts.Check(checkNarrow(c.Words, a.Out))
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

// ask runs a command line. After an error the worker has ended.
func (w *worker) ask(c call) (a answer, err error) {
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

// stopWorkers ends the idle workers. It runs after the last script.
func stopWorkers() {
	for len(idle) > 0 {
		(<-idle).stop()
	}
}

// work serves calls until the standard input ends.
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

// answer runs a command line in the folder and the environment of its script.
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
	programs()[c.Words[0]]() // a failure ends the worker
	return a
}

// command runs nystream as main does.
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
	var out, messages bytes.Buffer
	code := run(ctx, app.PlainWords(c.Words[1:]), in, &out, &messages)
	return answer{Code: code, Out: out.Bytes(), Err: messages.Bytes()}
}
