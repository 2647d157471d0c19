// Package paper4 reproduces tables of paper 4 (He et al., "Learning with asymmetric
// kernels: least squares and feature interpretation") with package askls.
//
//	go run -C bench/papers . paper4 -out DIR
//	go run -C bench/papers . paper4 -out DIR -only cora -graph edges.csv -labels labels.csv
//	go run -C bench/papers . paper4 -out DIR -only uci -sets heart,pima
//
// Parts: cora is Table III, classes of the nodes of a directed graph; uci is Table IV,
// tables with the kernels SNE and T beside RBF. Each is written to DIR as Markdown and CSV.
package paper4

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/nystream/nystream/bench/internal/program"
	"github.com/nystream/nystream/bench/papers/lab"
)

// options say what to measure.
type options struct {
	out           string
	only          []string
	sets          []string
	edges, labels string
	repeats       int
}

var parts = []string{"cora", "uci"}

// Parse reads the flags and returns the program that they ask for.
func Parse(args []string) (func(context.Context) error, error) {
	return lab.Job(args, parseOptions, run)
}

func parseOptions(args []string) (*options, error) {
	o := &options{}
	f := program.Flags("paper4", &o.out)
	only := f.String("only", strings.Join(parts, ","), "parts to run")
	sets := f.String("sets", strings.Join(tableNames(), ","), "tables of part uci")
	f.StringVar(&o.edges, "graph", "", "edge list of another graph than cora")
	f.StringVar(&o.labels, "labels", "", "classes of its nodes: node,label")
	f.IntVar(&o.repeats, "repeats", 5, "random splits")
	if err := program.Parse(f, args); err != nil {
		return nil, err
	}
	o.only, o.sets = program.List(*only), program.List(*sets)
	if err := program.Known(o.only, parts); err != nil {
		return nil, err
	}
	if err := program.Known(o.sets, tableNames()); err != nil {
		return nil, err
	}
	if o.repeats < 1 {
		return nil, fmt.Errorf("-repeats %d: at least 1 is needed", o.repeats)
	}
	return o, nil
}

func run(ctx context.Context, o *options) error {
	if err := os.MkdirAll(o.out, 0o777); err != nil {
		return err
	}
	for i, part := range []func(context.Context, *options) error{runGraph, runTables} {
		if slices.Contains(o.only, parts[i]) {
			if err := part(ctx, o); err != nil {
				return err
			}
		}
	}
	return nil
}
