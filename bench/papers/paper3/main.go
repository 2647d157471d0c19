// Package paper3 reproduces the tables of paper 3 (Wu et al., "Solving Interpretable
// Kernel Dimension Reduction") and measures the two engines of package ism beside the
// slow methods of the paper.
//
//	go run -C bench/papers . paper3 -out DIR                         everything, 10 folds
//	go run -C bench/papers . paper3 -out DIR -only wine,cancer -folds 3
//	go run -C bench/papers . paper3 -out DIR -only generated -rows 100000,1000000
//
// Parts: the data sets wine, cancer, face and mnist, for Tables 4 and 5; flower, and
// with face, for Figure 1a; 1b, time against rows; generated, rows with a known subspace, through the program
// nystream. Tables are printed and written to DIR as Markdown and CSV, figures as SVG.
package paper3

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/internal/program"
	"github.com/nystream/nystream/stream"
)

// options say what to measure.
type options struct {
	out           string
	only, kernels []string
	folds         int
	repeats       int // of the division into folds
	baselineFolds int
	classes       bool // the supervised half
	clusters      bool // the unsupervised half
	rows          []int
	dim           int            // q; 0 for that of each data set
	scale         stream.Scaling // of the columns, in the supervised half
	scaleWord     string
	seed          uint64
}

var parts = []string{"wine", "cancer", "face", "mnist", "flower", "1b", "generated"}

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
	f := program.Flags("paper3", &o.out)
	only := f.String("only", strings.Join(parts, ","), "data sets")
	kernels := f.String("kernels", strings.Join(kernelNames(), ";"), "kernels of Tables 4 and 5, with ; between")
	f.IntVar(&o.folds, "folds", 10, "folds of the supervised half")
	f.IntVar(&o.repeats, "repeats", 1, "divisions into folds, with seeds one after the other")
	f.IntVar(&o.baselineFolds, "baseline-folds", 2, "of these, the folds that the slow methods run on; 0 for none")
	f.BoolVar(&o.classes, "classes", true, "the supervised half")
	f.BoolVar(&o.clusters, "clusters", true, "the unsupervised half")
	rows := f.String("rows", "100000,1000000", "rows of the generated data")
	f.IntVar(&o.dim, "dim", 0, "q of the supervised half; 0 for that of the tables")
	f.StringVar(&o.scaleWord, "scale", "standard", "of the columns in the supervised half: standard, or none, for columns with one unit, such as pixels")
	f.Uint64Var(&o.seed, "seed", 1, "seed of folds and fits")
	if err := program.Parse(f, args); err != nil {
		return nil, err
	}
	o.only, o.kernels = program.List(*only), strings.Split(*kernels, ";")
	if err := cmp.Or(program.Known(o.only, parts), program.Known(o.kernels, kernelNames())); err != nil {
		return nil, err
	}
	var err error
	if o.rows, err = program.Numbers(*rows, 100); err != nil {
		return nil, fmt.Errorf("-rows: %w", err)
	}
	scales := map[string]stream.Scaling{"standard": stream.ScaleStandard, "none": stream.ScaleNone}
	var known bool
	o.scale, known = scales[o.scaleWord]
	switch {
	case !known:
		return nil, fmt.Errorf("-scale %q: there are standard and none", o.scaleWord)
	case o.dim < 0:
		return nil, fmt.Errorf("-dim %d: 1 is the least, and 0 stands for that of the tables", o.dim)
	case o.repeats < 1:
		return nil, fmt.Errorf("%d repeats: 1 is the least", o.repeats)
	case o.folds < 2 || o.baselineFolds < 0 || o.baselineFolds > o.folds:
		return nil, fmt.Errorf("%d folds, and %d for the slow methods: 2 are the least, and these are among them", o.folds, o.baselineFolds)
	}
	return o, nil
}

func (o *options) wants(word string) bool { return slices.Contains(o.only, word) }

func run(ctx context.Context, o *options) error {
	if err := os.MkdirAll(o.out, 0o777); err != nil {
		return err
	}
	for _, p := range problems {
		if !o.wants(p.name) {
			continue
		}
		d, err := datasets.LoadLabelled(ctx, p.name)
		if err != nil {
			return err
		}
		if err := o.tables(ctx, p, d); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		if d.Other != nil {
			if err := alternativeTable(ctx, o, d); err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
		}
	}
	if o.wants("flower") {
		if err := flower(ctx, o); err != nil {
			return fmt.Errorf("flower: %w", err)
		}
	}
	if o.wants("1b") {
		if err := growth(ctx, o); err != nil {
			return fmt.Errorf("figure 1b: %w", err)
		}
	}
	if o.wants("generated") {
		if err := generated(ctx, o); err != nil {
			return fmt.Errorf("generated: %w", err)
		}
	}
	return nil
}

// tables makes Tables 4 and 5 for a data set.
func (o *options) tables(ctx context.Context, p problem, d *datasets.Labelled) error {
	if o.classes {
		if err := o.supervisedHalf(ctx, p, d); err != nil {
			return err
		}
	}
	if !o.clusters {
		return nil
	}
	return o.unsupervisedHalf(ctx, p, d)
}

func (o *options) supervisedHalf(ctx context.Context, p problem, d *datasets.Labelled) error {
	if o.dim > 0 {
		p.dim = o.dim
	}
	t := supervisedTable(p, d, o)
	for _, k := range kernels {
		if !slices.Contains(o.kernels, k.name) {
			continue
		}
		if err := o.supervised(ctx, t, p, d, k); err != nil {
			return fmt.Errorf("%s: %w", k.name, err)
		}
	}
	if err := o.unreduced(ctx, t, p, d); err != nil {
		return err
	}
	return t.Write(o.out)
}

func (o *options) unsupervisedHalf(ctx context.Context, p problem, d *datasets.Labelled) error {
	t := unsupervisedTable(p, d)
	for _, k := range kernels {
		if !slices.Contains(o.kernels, k.name) || k.supervisedOnly {
			continue
		}
		if err := o.unsupervised(ctx, t, p, d, k); err != nil {
			return fmt.Errorf("%s: %w", k.name, err)
		}
	}
	if p.name == "cancer" && slices.Contains(o.kernels, "polynomial") {
		if err := polynomialTable(ctx, o, p, d); err != nil {
			return err
		}
	}
	return t.Write(o.out)
}
