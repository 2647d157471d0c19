package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/nystream/nystream/blockstore"
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
	memory  byteSize
	seed    uint64
	format  word
	quiet   bool
	// oneReader has a pass read by one reader: --memory is too little for more.
	oneReader bool
	config    string
	presets   []string // what set flags that are not on the command line
	stall     time.Duration

	session *blockstore.Session // opens and creates all files

	logFormat word
	logEvery  time.Duration // between lines of progress, where there is no terminal
	messages  *messages

	commandLine []string
	cmd         *cobra.Command // whose flags the texts of libraries name
	completions []func()       // register how flags are completed
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
	flags := root.PersistentFlags()
	flags.IntVar(&a.threads, "threads", 0, "`number` of threads, which never changes a result; 0 for all processors")
	flags.Var(&a.memory, "memory", "most memory, such as 512MiB; a fit that needs more is refused")
	flags.Uint64Var(&a.seed, "seed", a.seed, "seed of all random choices (also --random-state)")
	addChoiceTo(flags, &a.format, "format", "how results are printed", words("text", "json"))
	addChoiceTo(flags, &a.logFormat, "log-format", "format of errors, notes and progress", words("text", "json"), "", "a line of JSON each")
	flags.DurationVar(&a.logEvery, "log-every", 30*time.Second, "`time` between lines of progress outside a terminal; 0 for every block")
	flags.StringVar(&a.config, "config", "", "`file` of settings, .toml; see nystream help config")
	mustRegister(root.MarkPersistentFlagFilename("config", "toml"))
	flags.DurationVar(&a.stall, "stall", 30*time.Second, "longest `time` without progress of a read, such as 5m")
	flags.BoolVar(&a.provenance, "provenance", true, "record version, command line and sources in what is written")
	flags.BoolVar(&a.quiet, "quiet", false, "print neither progress nor notes")
}

// begin takes flags from the environment and from the file of settings, and puts global ones
// into effect.
func (a *app) begin(cmd *cobra.Command, _ []string) error {
	a.cmd = cmd
	if err := a.takePresets(cmd); err != nil {
		return err
	}
	if a.threads < 0 {
		return usagef("--threads %d: must be 0 or more", a.threads)
	}
	if a.stall <= 0 {
		return usagef("--stall %v: must be above 0, such as 5m", a.stall)
	}
	if a.memory > 0 {
		debug.SetMemoryLimit(max(1, int64(a.memory)-programBytes))
	}
	if a.logEvery < 0 {
		return usagef("--log-every %v: must be 0 or more, such as 30s", a.logEvery)
	}
	a.openSession(cmd)
	a.progress.end() // merge begins twice
	if a.progress = nil; !a.quiet {
		a.progress = newProgress(a.messages, a.logEvery)
	}
	a.running = true
	a.noteUnknownVariables()
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
	for _, s := range a.sentences(sentences) {
		a.note("%s", s)
	}
}

// json reports whether results are printed as JSON.
func (a *app) json() bool { return a.format == "json" }

func (a *app) seconds() float64 { return time.Since(a.started).Seconds() }

// byteSize is a flag for a number of bytes.
type byteSize int64

// Set reads sizes such as 512MiB, 2GB, 1000000.
func (s *byteSize) Set(text string) error {
	v, err := humanize.ParseBytes(text)
	if err != nil || v > 1<<62 {
		return fmt.Errorf("is not a size; write it as 512MiB, 2GB or a number of bytes")
	}
	*s = byteSize(v)
	return nil
}

func (s *byteSize) String() string {
	if *s == 0 {
		return ""
	}
	return humanize.IBytes(uint64(*s))
}

// Type names the value in help texts.
func (s *byteSize) Type() string { return "size" }

// exact returns the size to the byte, in one word.
func (s *byteSize) exact() string { return strconv.FormatInt(int64(*s), 10) }
