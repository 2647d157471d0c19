// Engines makes the same fits in parts by every engine that this machine has: a shell, GNU
// make, Slurm, Dask, Spark and Apache Beam, by the recipes of the command and by its
// --runner. It compares models and factors with those of one process, byte by byte, and then
// lets one worker fail in several ways: the model has to be right, or the fit refused with
// words that name what was wrong.
//
//	go run ./bench/engines                                          all that are there
//	go run ./bench/engines -only shell.sh,slurm.sh -parts 5
//	go run ./bench/engines -overhead -rows 10000000                 time, CPU, memory beside one process
//
// Slurm runs as a cluster of this machine alone, started for the purpose, and so does Dask.
package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/nystream/nystream/bench/internal/program"
	"github.com/nystream/nystream/bench/internal/report"
)

func main() {
	os.Setenv("NYSTREAM_PROVENANCE", "false") // bytes of fits of other files are compared
	program.Main("engines", parse, run)
}

type options struct {
	out      string
	only     []string
	parts    int
	overhead bool
	rows     int
	columns  int
}

func parse(args []string) (o options, err error) {
	var only string
	f := program.Flags("engines", &o.out)
	f.StringVar(&only, "only", "", "engines, "+strings.Join(engineNames(), ", ")+"; all if not given")
	f.IntVar(&o.parts, "parts", 3, "parts of each pass")
	f.BoolVar(&o.overhead, "overhead", false, "measure a fit of more rows by one process, by xargs and by Beam")
	f.IntVar(&o.rows, "rows", 1_000_000, "rows of the fit that -overhead measures")
	f.IntVar(&o.columns, "columns", 20, "their columns")
	if err = program.Parse(f, args); err != nil {
		return o, err
	}
	if o.only = program.List(only); len(o.only) == 0 {
		o.only = engineNames()
	}
	if o.parts < 2 || o.rows < 1 {
		return o, fmt.Errorf("-parts %d and -rows %d: at least 2 and 1", o.parts, o.rows)
	}
	return o, program.Known(o.only, engineNames())
}

func run(ctx context.Context, o options) error {
	l, err := newLab(ctx, o.out, o.parts)
	if err != nil {
		return err
	}
	if o.overhead {
		return l.overhead(ctx, o)
	}
	var there []engine
	for _, e := range engines {
		if !slices.Contains(o.only, e.name) {
			continue
		}
		if why := e.missing(); why != "" {
			fmt.Printf("%s is not run: %s\n", e.name, why)
			continue
		}
		there = append(there, e)
	}
	return l.compare(ctx, there)
}

// compare prints what the engines make of all fits, and of one when a worker fails.
func (l *lab) compare(ctx context.Context, there []engine) error {
	same := &report.Table{File: "engines", Title: "Bytes of the model, and of the factors, beside those of one process",
		Notes: []string{fmt.Sprintf("%d parts of each pass. A dash: the recipe counts the rounds beforehand, and the data decide them; --runner asks round after round.", l.parts)},
		Head:  []string{"fit", "digest"}}
	fails := &report.Table{File: "faults", Title: "The worker of part 2 fails", Head: []string{"fault"}}
	columns := make([]map[string]string, len(there))
	var wrong []string
	for i, e := range there {
		began := time.Now()
		results, err := l.try(ctx, e, fits, faults)
		if err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
		fmt.Printf("%s: %d trials in %.0f s\n", e.name, len(results), time.Since(began).Seconds())
		same.Head, fails.Head, columns[i] = append(same.Head, e.name), append(fails.Head, e.name), make(map[string]string)
		for _, r := range results {
			columns[i][r.of] = r.words
			if r.err != nil {
				columns[i][r.of] = "WRONG"
				wrong = append(wrong, fmt.Sprintf("%s, %s: %v", e.name, r.of, r.err))
			}
		}
	}
	fmt.Println()
	for _, f := range fits {
		want, err := l.reference(ctx, f)
		if err != nil {
			return err
		}
		addRow(same, f.name, columns, want[:8])
	}
	for _, f := range faults {
		addRow(fails, f.name, columns)
	}
	for _, t := range []*report.Table{same, fails} {
		if err := t.Write(l.folder); err != nil {
			return err
		}
	}
	if len(wrong) > 0 {
		return fmt.Errorf("%d are wrong:\n%s", len(wrong), strings.Join(wrong, "\n"))
	}
	return nil
}

// addRow adds what all engines made of one fit or fault.
func addRow(t *report.Table, of string, columns []map[string]string, more ...any) {
	cells := append([]any{of}, more...)
	for _, c := range columns {
		cells = append(cells, c[of])
	}
	t.Add(cells...)
}
