// Package paper1 reproduces Table I and the figures of errors of paper 1 (Xie et al. 2023) and compares our methods
// with those of the paper. Errors are relative: the spectral one, ‖A−Â‖₂/‖A‖₂ by Lanczos on exact tiles, and the
// Frobenius one.
//
//	go run -C bench/papers . paper1                                  everything
//	go run -C bench/papers . paper1 -only letter -c 100 -seeds 3
//	go run -C bench/papers . paper1 -only uniform -growth 5000,20000,100000
//	go run -C bench/papers . paper1 -only transport                  Table I
//
// Pictures in the folder of -out: figure2-DATA.png and figure3-DATA.png, errors of the two kernels
// by the rank; figure4.png, seconds by the rows; and figure1-SOURCE-TARGET.png, transferred colours.
package paper1

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/internal/program"
	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/bench/papers/lab"
)

// options select the measurements.
type options struct {
	out     string
	data    []string
	kernels []string // words accepted by kernelOf
	methods []string // prefixes of names, empty for all
	ranks   []int
	seeds   int
	growth  []int // numbers of uniform rows
	rows    int   // limit of the rows of a data set, and of pixels of a side; 0 for none
}

// Parse parses the flags and returns the requested program.
func Parse(args []string) (*lab.Program, error) {
	o, err := parseOptions(args)
	if err != nil {
		return nil, err
	}
	return &lab.Program{Parts: partNames(), Run: func(ctx context.Context) error { return run(ctx, o) }}, nil
}

// partNames returns the names of all parts.
func partNames() []string { return append(datasets.Names(), uniform, tableI) }

func parseOptions(args []string) (*options, error) {
	o := &options{}
	f := program.Flags("paper1", &o.out)
	present := append(datasets.Present(), uniform, tableI)
	only := f.String("only", strings.Join(present, ","), "data sets, and "+tableI+" for Table I")
	kernels := f.String("kernels", "rbf,csrbf", "kernels of the data sets")
	methods := f.String("methods", "", "methods, by the beginnings of their names (default all)")
	ranks := f.String("c", "25,50,100,150,200,250", "ranks")
	f.IntVar(&o.seeds, "seeds", 3, "seeds of each fit")
	growth := f.String("growth", "5000,10000,20000,50000,100000,200000", "numbers of rows of "+uniform)
	f.IntVar(&o.rows, "rows", 0, "most rows of a data set, and pixels of a picture; 0 for those of the paper")
	if err := program.Parse(f, args); err != nil {
		return nil, err
	}
	o.data, o.kernels, o.methods = program.List(*only), program.List(*kernels), program.List(*methods)
	if o.seeds < 1 || o.rows < 0 {
		return nil, fmt.Errorf("-seeds %d -rows %d: they must be at least 1 and 0", o.seeds, o.rows)
	}
	if err := cmp.Or(program.Known(o.data, partNames()), program.Known(o.kernels, []string{"rbf", "csrbf"})); err != nil {
		return nil, err
	}
	var err error
	if o.ranks, err = numbers(*ranks); err == nil {
		o.growth, err = numbers(*growth)
	}
	return o, err
}

// numbers parses a comma-separated list of positive numbers.
func numbers(list string) (all []int, err error) {
	for _, word := range program.List(list) {
		v, err := strconv.Atoi(word)
		if err != nil || v < 1 {
			return nil, fmt.Errorf("%q is not a positive number", word)
		}
		all = append(all, v)
	}
	return all, nil
}

// wants reports whether a method is requested.
func (o *options) wants(name string) bool {
	begins := func(begin string) bool { return strings.HasPrefix(name, begin) }
	return len(o.methods) == 0 || slices.ContainsFunc(o.methods, begins)
}

// run measures, prints and saves the tables.
func run(ctx context.Context, o *options) error {
	if err := os.MkdirAll(o.out, 0o777); err != nil {
		return err
	}
	var tables []*report.Table
	if slices.Contains(o.data, tableI) {
		var err error
		if tables, err = transportTables(ctx, o); err != nil {
			return err
		}
	}
	var all []*matrix
	for _, p := range problems(o) {
		m, err := p.measure(ctx, o)
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		all = append(all, m)
	}
	for _, t := range append(tables, errorTables(all)...) {
		if err := t.Write(o.out); err != nil {
			return err
		}
	}
	for name, c := range charts(all) {
		if err := lab.SavePNG(o.out, name, c.image()); err != nil {
			return err
		}
	}
	return nil
}

func progress(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
}
