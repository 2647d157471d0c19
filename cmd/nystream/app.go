package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/garbage"
	"github.com/nystream/nystream/stream"
)

// app is what all verbs share: the streams of the process, the global flags, and
// the progress bar.
type app struct {
	rowsFormat
	in       io.Reader
	out, err io.Writer

	threads int
	memory  flags.Size
	seed    uint64
	format  flags.Word
	quiet   bool
	// oneReader has a pass read by one reader: --memory is too little for more.
	oneReader bool
	config    string
	presets   []string // what set flags that are not on the command line
	stall     time.Duration

	session *blockstore.Session // opens and creates all files

	logFormat flags.Word
	logEvery  time.Duration // between lines of progress, where there is no terminal
	messages  *messages

	commandLine []string
	args        []string       // of the verb
	cmd         *cobra.Command // whose flags the texts of libraries name
	provenance  bool           // files tell how they were made
	origin      *made          // what they tell
	started     time.Time
	running     bool // the command line was accepted
	progress    *progress

	// resumable reports, if not nil, whether a run that is interrupted has left states in
	// the folder resumeFrom.
	resumable  func() bool
	resumeFrom string
}

func newApp(ctx context.Context, in io.Reader, out, err io.Writer) *app {
	a := &app{in: &interruptible{ctx: ctx, in: in}, out: &standardOutput{out}, err: err, seed: 1, started: time.Now(), session: new(blockstore.Session)}
	a.messages = &messages{out: err, json: a.logsJSON}
	return a
}

func (a *app) addGlobalFlags(root *cobra.Command) {
	global := func(f flags.Flag) flags.Flag {
		f.Group, f.Effect = flags.Global, flags.Process
		return f
	}
	s := flags.NewPersistent(root)
	s.Add(
		global(flags.Flag{Name: "memory", Arg: "size", Usage: "most memory, such as 512MiB", Doc: "a fit that needs more is refused", Value: &a.memory}),
		global(flags.Flag{Name: "threads", Arg: "number", Usage: "threads, all processors if 0", Doc: "they never change a result", Value: flags.Int(&a.threads, 0)}),
		flags.Flag{Name: "seed", Arg: "number", Usage: "seed of all random choices", Doc: "also --random-state", Group: flags.Global, Value: flags.Uint64(&a.seed, a.seed)},
		global(flags.Flag{Name: "format", Arg: "word", Usage: "format of results", Value: flags.Choice(&a.format, flags.Words("text", "json"))}),
		global(flags.Flag{Name: "quiet", Usage: "print neither progress nor notes", Value: flags.Bool(&a.quiet, false)}),
		global(flags.Flag{Name: "config", Arg: "file", Usage: "settings, .toml; see nystream help config", Value: flags.String(&a.config, ""), Complete: flags.Completion{Extensions: []string{"toml"}}}),
		global(flags.Flag{Name: "stall", Arg: "time", Usage: "give up a read stalled this long", Value: flags.Duration(&a.stall, 30*time.Second)}),
		global(flags.Flag{Name: "log-format", Arg: "word", Usage: "format of errors, notes and progress", Value: flags.Choice(&a.logFormat, flags.Words("text", "json"), "", "a line of JSON each")}),
		global(flags.Flag{Name: "log-every", Arg: "time", Usage: "time between lines of progress outside a terminal", Doc: "0 for every block", Value: flags.Duration(&a.logEvery, 30*time.Second)}),
		global(flags.Flag{Name: "provenance", Usage: "record command and version in outputs", Doc: "and the sources", Value: flags.Bool(&a.provenance, true)}),
	)
}

// begin takes flags from the environment and from the file of settings, and puts global ones
// into effect.
func (a *app) begin(cmd *cobra.Command, args []string) error {
	saved := a.cmd != nil && a.cmd != cmd // a fit that a folder of states describes
	a.cmd, a.args = cmd, args
	var err error
	effects := []flags.Effect{flags.Writes, flags.Process}
	if !saved {
		effects = append(effects, flags.Result, flags.Locates)
	}
	if a.presets, err = flags.TakePresets(cmd, effects...); err != nil {
		return err
	}
	if a.threads < 0 {
		return flags.Usagef("--threads %d: must be 0 or more", a.threads)
	}
	if a.stall <= 0 {
		return flags.Usagef("--stall %v: must be above 0, such as 5m", a.stall)
	}
	if a.memory > 0 {
		debug.SetMemoryLimit(max(1, int64(a.memory)-programBytes))
	}
	if a.logEvery < 0 {
		return flags.Usagef("--log-every %v: must be 0 or more, such as 30s", a.logEvery)
	}
	a.openSession(cmd)
	a.progress.end() // merge begins twice
	if a.progress = nil; !a.quiet {
		a.progress = newProgress(a.messages, a.logEvery)
	}
	a.running = true
	for _, note := range flags.UnknownVariables(cmd.Root()) {
		a.note("%s", note)
	}
	return nil
}

// programBytes is about what the program itself takes of --memory: code and
// tables, which the Go runtime's limit does not count.
const programBytes = 30 << 20

// engine runs the passes.
func (a *app) engine() stream.Engine {
	e := stream.Engine{Threads: a.threads, ReaderBytes: int64(a.memory) / 4, Stall: a.stall}
	if a.oneReader {
		e.ReaderBytes = 1
	}
	if a.progress != nil {
		e.Progress = a.progress.report
	}
	return e
}

// checkBudget refuses what does not fit into --memory. Where memory is promised,
// or much of it needed, garbage is collected more often.
func (a *app) checkBudget(b *stream.Budget) error {
	if a.memory > 0 || b.Total() > smallMemory {
		garbage.Tighten()
	}
	return b.Check(int64(a.memory))
}

// smallMemory is the most that a plan may need for garbage to pile up.
const smallMemory = 64 << 20

// collect frees what a reader held before another one holds as much, where --memory is a
// promise: on a busy machine the collector, which runs beside the program, comes too late.
func (a *app) collect() {
	if a.memory > 0 {
		runtime.GC()
	}
}

// note prints a sentence for the user on the standard error.
func (a *app) note(format string, args ...any) {
	if !a.quiet {
		a.progress.clear()
		text := fmt.Sprintf(format, args...)
		a.messages.write(logLine{Level: "note", Message: text}, "note: "+text+"\n")
	}
}

func (a *app) notes(sentences []string) {
	for _, s := range flags.SpellAll(a.cmd, sentences) {
		a.note("%s", s)
	}
}

// json reports whether results are printed as JSON.
func (a *app) json() bool { return a.format == "json" }

func (a *app) seconds() float64 { return time.Since(a.started).Seconds() }

// logsJSON reports whether messages are JSON lines. Before the flags are in effect the
// variable of the environment counts, for errors of the command line.
func (a *app) logsJSON() bool {
	return a.logFormat == "json" || !a.running && strings.TrimSpace(os.Getenv(flags.EnvironmentPrefix+"LOG_FORMAT")) == "json"
}

// writesRowsTo prepares for rows that go to path: if that is the standard output, reports go
// to the standard error, and with --quiet only as JSON.
func (a *app) writesRowsTo(path string) { a.carriesRows = a.carriesRows || isStandardOutput(path) }

// reportTo returns where reports go.
func (a *app) reportTo() io.Writer {
	switch {
	case !a.carriesRows:
		return a.out
	case a.quiet && !a.json():
		return io.Discard
	}
	return a.err
}
