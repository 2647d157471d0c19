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

// App holds the state common to all verbs: standard streams, global flags, and the progress bar.
type App struct {
	rowsFormat
	In       io.Reader
	Out, Err io.Writer

	Threads int
	Memory  flags.Size
	Seed    uint64
	format  flags.Word
	quiet   bool
	// OneReader limits each pass to one reader, because --memory is too small for more.
	OneReader bool
	config    string
	presets   []string // the origins of flags that are not on the command line
	stall     time.Duration

	Session *blockstore.Session // opens and creates all files

	logFormat flags.Word
	logEvery  time.Duration // interval between progress lines without a terminal
	messages  *messages

	CommandLine      []string
	args             []string       // of the verb
	Cmd              *cobra.Command // the verb, whose flags messages of libraries refer to
	RecordProvenance bool           // output files record how they were made
	Provenance       *Provenance    // the record
	started          time.Time
	accepted         bool // the command line was accepted
	wroteToPipe      bool // something was written to a pipe, and stays there
	Progress         *progress

	// Resumable, if not nil, reports whether an interrupted run has left states in the folder resumeFrom.
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
		global(flags.Flag{Name: "provenance", Usage: "record command and version in outputs", Doc: "and the sources", Value: flags.Bool(&a.RecordProvenance, true)}),
	)
}

// Begin reads flags from the environment and the settings file, and applies global ones.
func (a *App) Begin(cmd *cobra.Command, args []string) error {
	saved := a.Cmd != nil && a.Cmd != cmd // the fit of a folder of states
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
	a.Progress.End() // merge calls Begin twice
	if a.Progress = nil; !a.quiet {
		a.Progress = newProgress(a.messages, a.logEvery)
	}
	a.accepted = true
	for _, note := range flags.UnknownVariables(cmd.Root()) {
		a.Note("%s", note)
	}
	return nil
}

// programBytes is the approximate part of --memory used by the program's code and tables, which the Go runtime's limit
// does not count.
const programBytes = 30 << 20

// Engine returns the engine for passes.
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

// CheckBudget fails if the budget exceeds --memory. If memory is limited, or much of it is needed, it makes the garbage
// collector run more often.
func (a *App) CheckBudget(b *stream.Budget) error {
	if a.Memory > 0 || b.Total() > smallMemory {
		garbage.Tighten()
	}
	return b.Check(int64(a.Memory))
}

// smallMemory is the largest budget for which the garbage collector may be lazy.
const smallMemory = 64 << 20

// Collect frees the memory of a finished reader before another one allocates as much, if --memory is set. On a busy
// machine the concurrent collector would be too late.
func (a *App) Collect() {
	if a.Memory > 0 {
		runtime.GC()
	}
}

// Note prints a sentence for the user to standard error.
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

// logsJSON reports whether messages are JSON lines. For errors in the command line itself, the environment variable
// decides.
func (a *App) logsJSON() bool {
	return a.logFormat == "json" || !a.accepted && strings.TrimSpace(os.Getenv(flags.EnvironmentPrefix+"LOG_FORMAT")) == "json"
}

// WritesRowsTo prepares for writing rows to path. If that is standard output, reports go to standard error, with
// --quiet only as JSON.
func (a *App) WritesRowsTo(path string) { a.carriesRows = a.carriesRows || IsStandardOutput(path) }

// reportTo returns the destination of reports.
func (a *App) reportTo() io.Writer {
	switch {
	case !a.carriesRows:
		return a.Out
	case a.quiet && !a.JSON():
		return io.Discard
	}
	return a.Err
}
