// Command stress runs the command nystream under adverse conditions:
//
//	go run ./bench/stress                    a sample of all scenarios, some 15 minutes
//	go run ./bench/stress kills -n 300       300 kills instead of the quick default
//	go run ./bench/stress faults -every 1    all cases instead of one in eight
//	go run ./bench/stress budgets -only zstd the cells of some data, methods or verbs
//
// The scenarios are
//
//	budgets  the smallest accepted budget of every method and verb is near its peak
//	kills    fits that are killed and resumed make the bytes of an undisturbed fit
//	faults   system calls fail, by strace: the same bytes, or an error and the old files
//	commits  kills while outputs are renamed, by strace: no model is mixed with other factors
//	stops    SIGINT ends a long fit within a second and leaves no files
//	engines  shell, make, Slurm, Dask, Spark and Beam make the bytes of one process
//
// One table shows cases, outcomes and failures. The exit code is 1 if any case fails.
package main

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nystream/nystream/bench/internal/program"
	"github.com/nystream/nystream/bench/internal/report"
)

// scenario is a kind of adverse condition, with its defaults.
type scenario struct {
	name string
	run  func(context.Context, *lab)
	n    int // number of signals in a quick run
	rows int // rows of its data
}

// scenarios run in this order. The peak memory of a process includes that of its parent when
// it starts, so budgets is first: this process is still small.
var scenarios = []scenario{
	{name: "budgets", run: limitBudgets},
	{name: "kills", run: kills, n: 36, rows: 400_000},
	{name: "faults", run: faults, rows: 40_000},
	{name: "commits", run: commits, rows: 2000},
	{name: "stops", run: stops, n: 20, rows: 40_000},
	{name: "engines", run: engines, rows: 30_000},
}

// options are the flags and the names of scenarios.
type options struct {
	scenarios []string
	only      []string
	folder    string
	n, rows   int
	every     int
	seed      uint64
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == writeFlag {
		program.Main("stress", func(args []string) (string, error) { return args[1], nil },
			func(_ context.Context, path string) error { return recovered(func() { writeFile(path) }) })
		return
	}
	program.Main("stress", parse, run)
}

func parse(args []string) (o options, err error) {
	var known []string
	for _, s := range scenarios {
		known = append(known, s.name)
	}
	f := program.Flags("stress", &o.folder)
	f.Usage = func() {
		fmt.Fprintf(f.Output(), "stress [SCENARIO...] [flags]: %s; all by default\n", strings.Join(known, ", "))
		f.PrintDefaults()
	}
	only := f.String("only", "", "words of the names of cases, separated by commas; all by default")
	f.IntVar(&o.n, "n", 0, "least number of kills or stops; 0 for a quick run")
	f.IntVar(&o.every, "every", 8, "one in so many cases of faults and commits; 1 for all, in all formats")
	f.IntVar(&o.rows, "rows", 0, "rows of the data, at least 1000; 0 for the default of each scenario")
	f.Uint64Var(&o.seed, "seed", 1, "seed of random moments and of the sample of cases")
	for len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		o.scenarios, args = append(o.scenarios, args[0]), args[1:]
	}
	if err := program.Parse(f, args); err != nil {
		return o, err
	}
	if len(o.scenarios) == 0 {
		o.scenarios = known
	}
	if o.n < 0 || o.every < 1 || o.rows != 0 && o.rows < 1000 {
		return o, fmt.Errorf("-n %d, -every %d, -rows %d: at least 0, 1 and 1000", o.n, o.every, o.rows)
	}
	o.only = program.List(*only)
	if o.folder, err = filepath.Abs(o.folder); err != nil {
		return o, err
	}
	return o, program.Known(o.scenarios, known)
}

// run runs the scenarios and prints one table.
func run(ctx context.Context, o options) error {
	root, err := program.Root(ctx)
	if err != nil {
		return err
	}
	command, err := program.Build(ctx, o.folder, filepath.Join(root, "cmd", "nystream"))
	if err != nil {
		return err
	}
	head := []string{"scenario", "cases", "outcomes", "failures", "minutes"}
	t := &report.Table{File: "stress", Title: "Stress", Head: head}
	failed := 0
	for _, s := range scenarios {
		if !slices.Contains(o.scenarios, s.name) {
			continue
		}
		l, began := newLab(o, s, root, command), time.Now()
		if err := recovered(func() { l.stress(ctx, s) }); err != nil {
			l.failures = append(l.failures, "it ends early: "+err.Error())
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		t.Add(s.name, l.cases, l.happened(), len(l.failures), time.Since(began).Minutes())
		for _, text := range slices.Concat(l.notes, l.failures) {
			t.Notes = append(t.Notes, s.name+": "+text)
		}
		failed += len(l.failures)
	}
	if err := t.Write(o.folder); err != nil {
		return err
	}
	if failed > 0 {
		return fmt.Errorf("%d cases fail", failed)
	}
	return nil
}

// newLab returns the lab of a scenario.
func newLab(o options, s scenario, root, command string) *lab {
	o.n, o.rows = cmp.Or(o.n, s.n), cmp.Or(o.rows, s.rows)
	return &lab{options: o, name: s.name, root: root, command: command, work: filepath.Join(o.folder, s.name),
		random: rand.New(rand.NewPCG(o.seed, 0)), outcomes: make(map[string]int)}
}

// stress runs a scenario in an empty folder, which it removes unless a case fails.
func (l *lab) stress(ctx context.Context, s scenario) {
	l.reset(nil)
	s.run(ctx, l)
	if len(l.failures) == 0 {
		check(os.RemoveAll(l.work))
	}
}
