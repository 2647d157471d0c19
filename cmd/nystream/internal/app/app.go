package app

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

// App is what all verbs share: the streams of the process, the global flags, and
// the progress bar.
type App struct {
	rowsFormat
	In       io.Reader
	Out, Err io.Writer

	Threads int
	Memory  flags.Size
	Seed    uint64
	format  flags.Word
	quiet   bool
	// OneReader has a pass read by one reader: --memory is too little for more.
	OneReader bool
	config    string
	presets   []string // what set flags that are not on the command line
	stall     time.Duration

	Session *blockstore.Session // opens and creates all files

	logFormat flags.Word
	logEvery  time.Duration // between lines of progress, where there is no terminal
	messages  *messages

	CommandLine []string
	args        []string       // of the verb
	Cmd         *cobra.Command // whose flags the texts of libraries name
	Provenance  bool           // files tell how they were made
	Origin      *Made          // what they tell
	started     time.Time
	running     bool // the command line was accepted
	sent        bool // something was written to a pipe, and stays there
	Progress    *progress

	// Resumable reports, if not nil, whether a run that is interrupted has left states in
	// the folder resumeFrom.
	Resumable  func() bool
	ResumeFrom string
}

func New(ctx context.Context, in io.Reader, out, err io.Writer) *App {
	a := &App{In: &interruptible{ctx: ctx, in: in}, Err: err, Seed: 1, started: time.Now(), Session: new(blockstore.Session)}
	a.Out = a.Pipe(out)
	a.messages = &messages{out: err, json: a.logsJSON}
	return a
}

func (a *App) addGlobalFlags(root *cobra.Command) {
	global := func(f flags.Flag) flags.Flag {
		f.Group, f.Effect = flags.Global, flags.Process
		return f
	}
	s := flags.NewPersistent(root)
	s.Add(
		global(flags.Flag{Name: "memory", Arg: "size", Usage: "memory limit, such as 512MiB", Doc: "a fit that needs more is refused", Value: &a.Memory}),
		global(flags.Flag{Name: "threads", Arg: "number", Usage: "number of threads, all processors if 0", Doc: "they never change a result", Value: flags.Int(&a.Threads, 0)}),
		flags.Flag{Name: "seed", Arg: "number", Usage: "seed of all random choices", Doc: "also --random-state", Group: flags.Global, Value: flags.Uint64(&a.Seed, a.Seed)},
		global(flags.Flag{Name: "format", Arg: "word", Usage: "format of results", Value: flags.Choice(&a.format, flags.Words("text", "json"))}),
		global(flags.Flag{Name: "quiet", Usage: "no progress and no notes", Value: flags.Bool(&a.quiet, false)}),
		global(flags.Flag{Name: "config", Arg: "file", Usage: "settings, .toml; see nystream help config", Value: flags.String(&a.config, ""), Complete: flags.Completion{Extensions: []string{"toml"}}}),
		global(flags.Flag{Name: "stall", Arg: "time", Usage: "give up a read stalled this long", Value: flags.Duration(&a.stall, 30*time.Second)}),
		global(flags.Flag{Name: "log-format", Arg: "word", Usage: "format of errors, notes and progress", Value: flags.Choice(&a.logFormat, flags.Words("text", "json"), "", "a line of JSON each")}),
		global(flags.Flag{Name: "log-every", Arg: "time", Usage: "time between progress lines outside a terminal", Doc: "0 for every block", Value: flags.Duration(&a.logEvery, 30*time.Second)}),
		global(flags.Flag{Name: "provenance", Usage: "record command and version in outputs", Doc: "and the sources", Value: flags.Bool(&a.Provenance, true)}),
	)
}

// Begin takes flags from the environment and from the file of settings, and puts global ones
// into effect.
func (a *App) Begin(cmd *cobra.Command, args []string) error {
	saved := a.Cmd != nil && a.Cmd != cmd // a fit that a folder of states describes
	a.Cmd, a.args = cmd, args
	var err error
	effects := []flags.Effect{flags.Writes, flags.Process}
	if !saved {
		effects = append(effects, flags.Result, flags.Locates)
	}
	if a.presets, err = flags.TakePresets(cmd, effects...); err != nil {
		return err
	}
	if a.Threads < 0 {
		return flags.Usagef("--threads %d: must be 0 or more", a.Threads)
	}
	if a.stall <= 0 {
		return flags.Usagef("--stall %v: must be above 0, such as 5m", a.stall)
	}
	if a.Memory > 0 {
		debug.SetMemoryLimit(max(1, int64(a.Memory)-programBytes))
	}
	if a.logEvery < 0 {
		return flags.Usagef("--log-every %v: must be 0 or more, such as 30s", a.logEvery)
	}
	a.openSession(cmd)
	a.Progress.End() // merge begins twice
	if a.Progress = nil; !a.quiet {
		a.Progress = newProgress(a.messages, a.logEvery)
	}
	a.running = true
	for _, note := range flags.UnknownVariables(cmd.Root()) {
		a.Note("%s", note)
	}
	return nil
}

// programBytes is about what the program itself takes of --memory: code and
// tables, which the Go runtime's limit does not count.
const programBytes = 30 << 20

// Engine runs the passes.
func (a *App) Engine() stream.Engine {
	e := stream.Engine{Threads: a.Threads, ReaderBytes: int64(a.Memory) / 4, Stall: a.stall}
	if a.OneReader {
		e.ReaderBytes = 1
	}
	if a.Progress != nil {
		e.Progress = a.Progress.Report
	}
	return e
}

// CheckBudget refuses what does not fit into --memory. Where memory is promised,
// or much of it needed, garbage is collected more often.
func (a *App) CheckBudget(b *stream.Budget) error {
	if a.Memory > 0 || b.Total() > smallMemory {
		garbage.Tighten()
	}
	return b.Check(int64(a.Memory))
}

// smallMemory is the most that a plan may need for garbage to pile up.
const smallMemory = 64 << 20

// Collect frees what a reader held before another one holds as much, where --memory is a
// promise: on a busy machine the collector, which runs beside the program, comes too late.
func (a *App) Collect() {
	if a.Memory > 0 {
		runtime.GC()
	}
}

// Note prints a sentence for the user on the standard error.
func (a *App) Note(format string, args ...any) {
	if !a.quiet {
		a.Progress.clear()
		text := fmt.Sprintf(format, args...)
		a.messages.write(LogLine{Level: "note", Message: text}, "note: "+text+"\n")
	}
}

func (a *App) Notes(sentences []string) {
	for _, s := range flags.SpellAll(a.Cmd, sentences) {
		a.Note("%s", s)
	}
}

// JSON reports whether results are printed as JSON.
func (a *App) JSON() bool { return a.format == "json" }

func (a *App) seconds() float64 { return time.Since(a.started).Seconds() }

// logsJSON reports whether messages are JSON lines. Before the flags are in effect the
// variable of the environment counts, for errors of the command line.
func (a *App) logsJSON() bool {
	return a.logFormat == "json" || !a.running && strings.TrimSpace(os.Getenv(flags.EnvironmentPrefix+"LOG_FORMAT")) == "json"
}

// WritesRowsTo prepares for rows that go to path: if that is the standard output, reports go
// to the standard error, and with --quiet only as JSON.
func (a *App) WritesRowsTo(path string) { a.carriesRows = a.carriesRows || IsStandardOutput(path) }

// reportTo returns where reports go.
func (a *App) reportTo() io.Writer {
	switch {
	case !a.carriesRows:
		return a.Out
	case a.quiet && !a.JSON():
		return io.Discard
	}
	return a.Err
}
