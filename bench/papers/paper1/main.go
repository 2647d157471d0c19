// Package paper1 reproduces Table I and Figures 2, 3 and 4 of paper 1 (Xie et al. 2023) and
// measures our methods beside those of the paper: relative errors, the spectral one
// ‖A−Â‖₂/‖A‖₂ by Lanczos on exact tiles, mean and worst over seeds, and the Frobenius one.
//
//	go run -C bench/papers . paper1 -out DIR                      everything
//	go run -C bench/papers . paper1 -out DIR -only letter -c 100 -seeds 3
//	go run -C bench/papers . paper1 -out DIR -only uniform -growth 5000,20000,100000
//	go run -C bench/papers . paper1 -out DIR -only transport      Table I
//	go run -C bench/papers . paper1 -out DIR -file rows.parquet -kernel 'rbf(gamma=median)'
//
// Of Table I, optimal transport between the colours of pictures, DIR gets transport.md, and
// the pictures that each method makes as PNG files. Of the rest it gets results.csv, a row
// for each fit, floors.csv, table.md and plots. Fits whose rows are in results.csv are not
// measured again, so that a run that was cut goes on where it stopped, and one table may be
// made in parts.
package paper1

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/internal/program"
)

// options say what to measure.
type options struct {
	out          string
	data         []string
	kernels      []string // words of kernelsOf
	file, kernel string
	methods      []string // beginnings of names, empty for all
	ranks        []int
	seeds        int // 0: see problem.seeds
	sample       int // rows to measure errors on, 0: all
	growth       []int
	memory       int64 // bytes for the embeddings of a batch
}

// Parse reads the flags and returns the program that they ask for.
func Parse(args []string) (func(context.Context) error, error) {
	o, err := parseOptions(args)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) error { return run(ctx, o) }, nil
}

func parseOptions(args []string) (*options, error) {
	o := &options{}
	f := program.Flags("paper1", &o.out)
	all := append(datasets.Present(), uniform, tableI)
	only := f.String("only", "", "data sets, and "+tableI+" for Table I: "+strings.Join(all, ",")+" (default: all)")
	kernels := f.String("kernels", "rbf,csrbf", "kernels for the data sets")
	f.StringVar(&o.file, "file", "", "measure the rows of this file instead")
	f.StringVar(&o.kernel, "kernel", "rbf(gamma=median)", "kernel for -file")
	methods := f.String("methods", "", "methods, by the beginnings of their names (default: all)")
	ranks := f.String("c", "25,50,100,150,200,250", "ranks")
	f.IntVar(&o.seeds, "seeds", 0, fmt.Sprintf("seeds (0: %d, %d above rank %d or on more than %s rows, %d on more than %s; %d for slow methods)", fullSeeds, someSeeds, someRank, thousands(someRows), fewSeeds, thousands(manyRows), slowSeeds))
	f.IntVar(&o.sample, "sample", 0, "measure errors between so many sampled rows (0: all rows, 4096 for "+uniform+")")
	growth := f.String("growth", "5000,10000,20000,50000,100000,200000", "numbers of rows of "+uniform+", U[0,1]^20")
	memory := f.Int64("memory", 4, "GiB for the embeddings of models that are measured together")
	if err := program.Parse(f, args); err != nil {
		return nil, err
	}
	o.memory = *memory << 30
	o.data, o.kernels, o.methods = program.List(*only), program.List(*kernels), program.List(*methods)
	if len(o.data) == 0 && o.file == "" {
		o.data = all
	}
	var err error
	if o.ranks, err = program.Numbers(*ranks, 1); err == nil {
		o.growth, err = program.Numbers(*growth, 1)
	}
	return o, err
}

// chosen leaves the methods that were asked for.
func (o *options) chosen(all []method) []method {
	return slices.DeleteFunc(all, func(m method) bool { return !o.wants(m.name) })
}

// wants reports whether a method was asked for.
func (o *options) wants(name string) bool {
	begins := func(begin string) bool { return strings.HasPrefix(name, begin) }
	return len(o.methods) == 0 || slices.ContainsFunc(o.methods, begins)
}

// run measures what is missing, and writes the table and the plots of all there is.
func run(ctx context.Context, o *options) error {
	if err := os.MkdirAll(o.out, 0o777); err != nil {
		return err
	}
	if i := slices.Index(o.data, tableI); i >= 0 {
		if err := runTransport(ctx, o); err != nil {
			return err
		}
		if o.data = slices.Delete(slices.Clone(o.data), i, i+1); len(o.data) == 0 && o.file == "" {
			return nil
		}
	}
	found, err := openResults(filepath.Join(o.out, "results.csv"))
	if err != nil {
		return err
	}
	defer found.close()
	floors, err := openFloors(filepath.Join(o.out, "floors.csv"))
	if err != nil {
		return err
	}
	problems, err := problems(o)
	if err != nil {
		return err
	}
	for _, p := range problems {
		if err := p.run(ctx, o, found, floors); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	return writeReport(o.out, found.rows, floors)
}

// writeReport writes the table and the plots, and prints the summary.
func writeReport(dir string, rows []result, floors *floors) error {
	t := newTable(rows, floors)
	if err := os.WriteFile(filepath.Join(dir, "table.md"), []byte(t.markdown()), 0o666); err != nil {
		return err
	}
	fmt.Print(t.summary() + "\n" + t.errors() + t.calibration())
	return drawAll(dir, t)
}
