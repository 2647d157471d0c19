// Package paper3 reproduces the tables of paper 3 (Wu et al., "Solving Interpretable
// Kernel Dimension Reduction") with the two engines of package ism.
//
//	go run -C bench/papers . paper3                         everything, 10 folds
//	go run -C bench/papers . paper3 -only wine,cancer -folds 3
//
// Every data set has a table with labels and one without; face also has one for Figure 1a. Part flower is Figure 1a for
// an image, a table and figure1-flower.png; runtime is Figure 1b.
package paper3

import (
	"context"
	"flag"
	"fmt"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/bench/papers/lab"
	"github.com/nystream/nystream/bench/papers/scores"
)

// seed is the seed of folds and fits.
const seed = 1

// Parse parses the flags and returns the requested program.
func Parse(args []string) (*lab.Program, error) {
	count, rows := 0, 0
	var parts []lab.Part
	for _, p := range problems {
		parts = append(parts, lab.Part{Name: p.name, Run: func(ctx context.Context) ([]*report.Table, error) {
			d, other, err := p.read(ctx)
			if err != nil {
				return nil, err
			}
			d, other = atMost(d, other, rows)
			return (&experiment{problem: p, folds: count, data: d, other: other}).tables(ctx)
		}})
	}
	f := &flower{}
	parts = append(parts, lab.Part{Name: "flower", Run: f.run, Draw: f.draw},
		lab.Part{Name: "runtime", Run: func(ctx context.Context) ([]*report.Table, error) {
			if rows == 0 {
				return runtime(ctx, runtimeMost)
			}
			return runtime(ctx, max(rows, 2*runtimeFirst))
		}})
	return lab.Parse("paper3", args, parts,
		func(f *flag.FlagSet) {
			f.IntVar(&count, "folds", 10, "folds of the table with labels")
			f.IntVar(&rows, "rows", 0, "most rows of a data set, spread evenly over it; 0 for all")
		},
		func() error {
			if count < 2 || rows < 0 {
				return fmt.Errorf("-folds %d -rows %d: 2 and 0 are the least", count, rows)
			}
			return nil
		})
}

// atMost returns at most the given number of rows of a data set, evenly spaced, and their other division.
func atMost(d *datasets.Labelled, other []int, most int) (*datasets.Labelled, []int) {
	n := len(d.Labels)
	if most == 0 || n <= most {
		return d, other
	}
	rows := make([]int64, most)
	for i := range rows {
		rows[i] = int64(i * n / most)
	}
	some := &datasets.Labelled{X: lab.PickRows(d.X, rows), Classes: d.Classes, Labels: scores.Picked(d.Labels, rows)}
	if other != nil {
		other = scores.Picked(other, rows)
	}
	return some, other
}

// experiment measures one data set.
type experiment struct {
	problem
	folds int
	data  *datasets.Labelled
	other []int // another division of the rows
}

// tables returns the tables of the data set.
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
