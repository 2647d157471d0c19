// Package paper3 reproduces the tables of paper 3 (Wu et al., "Solving Interpretable
// Kernel Dimension Reduction") with the two engines of package ism.
//
//	go run -C bench/papers . paper3                         everything, 10 folds
//	go run -C bench/papers . paper3 -only wine,cancer -folds 3
//
// Every data set has a table with labels and one without, and face one of Figure 1a.
package paper3

import (
	"context"
	"flag"
	"fmt"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/bench/papers/lab"
)

// seed is that of folds and fits.
const seed = 1

// Parse reads the flags and returns the program that they ask for.
func Parse(args []string) (func(context.Context) error, error) {
	count := 0
	var parts []lab.Part
	for _, p := range problems {
		parts = append(parts, lab.Part{Name: p.name, Run: func(ctx context.Context) ([]*report.Table, error) {
			d, other, err := p.read(ctx)
			if err != nil {
				return nil, err
			}
			return (&experiment{problem: p, folds: count, data: d, other: other}).tables(ctx)
		}})
	}
	return lab.Parse("paper3", args, parts,
		func(f *flag.FlagSet) { f.IntVar(&count, "folds", 10, "folds of the table with labels") },
		func() error {
			if count < 2 {
				return fmt.Errorf("-folds %d: 2 is the least", count)
			}
			return nil
		})
}

// experiment is the measurements of one data set.
type experiment struct {
	problem
	folds int
	data  *datasets.Labelled
	other []int // another division of the rows
}

// tables returns those of a data set.
func (e *experiment) tables(ctx context.Context) ([]*report.Table, error) {
	makers := []func(context.Context) (*report.Table, error){e.supervised, e.unsupervised}
	if e.other != nil {
		makers = append(makers, e.alternatives)
	}
	var all []*report.Table
	for _, table := range makers {
		t, err := table(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}
