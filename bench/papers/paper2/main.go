// Package paper2 reproduces the tables of paper 2 (Tao et al., "Nonlinear SVD with
// asymmetric kernels") and measures the methods of package ksvd beside those of the
// paper.
//
//	go run -C bench/papers . paper2 -out DIR                       everything, on cora
//	go run -C bench/papers . paper2 -out DIR -only 1,2 -graph edges.csv -labels labels.csv
//
// Tables: 1 node classification, 2 graph reconstruction, 3 tables of the UCI repository,
// 6 SVD after a nonlinear map, 4 (with 5) time to a tolerance on the graph. Each is
// written to DIR as Markdown and CSV, and on standard output.
package paper2

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/nystream/nystream/bench/internal/program"
	"github.com/nystream/nystream/bench/internal/report"
	"github.com/nystream/nystream/bench/papers/graphs"
	"github.com/nystream/nystream/bench/papers/lab"
)

// options say what to measure.
type options struct {
	out           string
	only          []string
	edges, labels string
	seeds         int
	rank          int
	limit         float64 // CPU seconds
}

var parts = []string{"1", "2", "3", "6", "4"}

// Parse reads the flags and returns the program that they ask for.
func Parse(args []string) (func(context.Context) error, error) {
	return lab.Job(args, parseOptions, run)
}

func parseOptions(args []string) (*options, error) {
	o := &options{}
	f := program.Flags("paper2", &o.out)
	only := f.String("only", strings.Join(parts, ","), "tables to make")
	f.StringVar(&o.edges, "graph", "", "edge list of another graph than cora")
	f.StringVar(&o.labels, "labels", "", "classes of its nodes: node,label")
	f.IntVar(&o.seeds, "seeds", 10, "splits of Table 1; Tables 3 and 6 have twice as many")
	f.IntVar(&o.rank, "features", 1000, "most features of a side in Tables 1 and 2")
	f.Float64Var(&o.limit, "limit", 20, "most CPU seconds of a setting in Tables 4 and 5")
	if err := program.Parse(f, args); err != nil {
		return nil, err
	}
	o.only = program.List(*only)
	if err := program.Known(o.only, parts); err != nil {
		return nil, err
	}
	if o.seeds < 1 || o.rank < 1 {
		return nil, fmt.Errorf("-seeds %d -features %d: both must be at least 1", o.seeds, o.rank)
	}
	return o, nil
}

func (o *options) wants(words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(o.only, w) })
}

func run(ctx context.Context, o *options) error {
	if err := os.MkdirAll(o.out, 0o777); err != nil {
		return err
	}
	for i, table := range []func(context.Context, int) (*report.Table, error){table3, table6} {
		if !o.wants([]string{"3", "6"}[i]) {
			continue
		}
		t, err := table(ctx, 2*o.seeds)
		if err != nil {
			return err
		}
		if err := t.Write(o.out); err != nil {
			return err
		}
	}
	if !o.wants("1", "2", "4") {
		return nil
	}
	g, err := graphs.ReadClassed(ctx, o.edges, o.labels)
	if err != nil {
		return err
	}
	if o.wants("1", "2") {
		err = runFeatures(ctx, o, g)
	}
	if err == nil && o.wants("4") {
		err = runSpeed(ctx, o, g)
	}
	return err
}

// runFeatures makes Tables 1 and 2, which share their features.
func runFeatures(ctx context.Context, o *options, g *graphs.Classed) error {
	made := map[string][]*features{}
	for _, method := range graphMethods {
		for _, gamma := range bandwidthsOf(method) {
			f, err := newFeatures(ctx, g, method, gamma, o.rank)
			if err != nil {
				return fmt.Errorf("%s: %w", method, err)
			}
			made[method] = append(made[method], f)
		}
	}
	if o.wants("2") {
		t, err := table2(ctx, g, made)
		if err != nil {
			return err
		}
		if err := t.Write(o.out); err != nil {
			return err
		}
	}
	if !o.wants("1") {
		return nil
	}
	all, err := classify(ctx, g, made, o.seeds)
	if err != nil {
		return err
	}
	return errors.Join(table1(g, all).Write(o.out), pairs(g, all).Write(o.out))
}
