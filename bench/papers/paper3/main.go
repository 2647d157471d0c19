// Package paper3 reproduces the tables of paper 3 (Wu et al., "Solving Interpretable
// Kernel Dimension Reduction") and measures the two engines of package ism beside gradient
// ascent on the Stiefel manifold, the paper's SM.
//
//	go run -C bench/papers . paper3                         everything, 10 folds
//	go run -C bench/papers . paper3 -only wine,cancer -folds 3
//
// Every data set has a table with labels and one without, and face one of Figure 1a.
package paper3

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/internal/program"
	"github.com/nystream/nystream/bench/papers/lab"
)

// seed is that of folds and fits.
const seed = 1

// options say what to measure.
type options struct {
	out           string
	only          []string
	folds         int
	baselineFolds int // of these, those that SM runs on
}

// Parse reads the flags and returns the program that they ask for.
func Parse(args []string) (func(context.Context) error, error) {
	return lab.Job(args, parseOptions, run)
}

func parseOptions(args []string) (*options, error) {
	var names []string
	for _, p := range problems {
		names = append(names, p.name)
	}
	o := &options{}
	f := program.Flags("paper3", &o.out)
	only := f.String("only", strings.Join(names, ","), "data sets")
	f.IntVar(&o.folds, "folds", 10, "folds of the table with labels")
	f.IntVar(&o.baselineFolds, "baseline-folds", 2, "folds that SM runs on; 0 for none")
	if err := program.Parse(f, args); err != nil {
		return nil, err
	}
	o.only = program.List(*only)
	if o.folds < 2 || o.baselineFolds < 0 || o.baselineFolds > o.folds {
		return nil, fmt.Errorf("-folds %d, -baseline-folds %d: at least 2, and at most so many", o.folds, o.baselineFolds)
	}
	return o, program.Known(o.only, names)
}

func run(ctx context.Context, o *options) error {
	if err := os.MkdirAll(o.out, 0o777); err != nil {
		return err
	}
	cache, err := lab.OpenCache(o.out)
	if err != nil {
		return err
	}
	defer cache.Close()
	for _, p := range problems {
		if !slices.Contains(o.only, p.name) {
			continue
		}
		d, other, err := p.read(ctx)
		if err == nil {
			err = (&experiment{options: o, problem: p, data: d, other: other, cache: cache}).tables(ctx)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// experiment is the measurements of one data set.
type experiment struct {
	*options
	problem
	data  *datasets.Labelled
	other []int // another division of the rows
	cache *lab.Cache
}

// tables prints and saves those of a data set.
func (e *experiment) tables(ctx context.Context) error {
	with, err := e.supervised(ctx)
	if err != nil {
		return err
	}
	if err := with.Write(e.out); err != nil {
		return err
	}
	without, err := e.unsupervised(ctx)
	if err != nil {
		return err
	}
	if err := without.Write(e.out); err != nil || e.other == nil {
		return err
	}
	other, err := e.alternatives(ctx)
	if err != nil {
		return err
	}
	return other.Write(e.out)
}

// cached is [lab.Cached] for a kernel and a method of the experiment.
func cached[T any](e *experiment, kernel, method string, measure func() (T, error)) (T, error) {
	key := fmt.Sprintf("%s: %s: %s, %d and %d folds", e.problem.name, kernel, method, e.folds, e.baselineFolds)
	return lab.Cached(e.cache, key, measure)
}
