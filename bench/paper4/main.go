// Command paper4 reproduces tables of paper 4 (He et al., "Learning with asymmetric
// kernels: least squares and feature interpretation") with package askls.
//
//	go run ./bench/paper4 -out DIR                everything
//	go run ./bench/paper4 -out DIR -only cora
//	go run ./bench/paper4 -out DIR -only cora -graph edges.csv -labels labels.csv
//	go run ./bench/paper4 -out DIR -only uci
//
// Parts: cora is Table III, classes of the nodes of a directed graph; uci is Table IV,
// tables with the kernels SNE and T beside RBF. Each is written to DIR as soon as it is
// there, as Markdown and CSV, and on standard output.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/solvers/nyblas"
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

func main() {
	blas64.Use(nyblas.Implementation{}) // as the command does
	o, err := parseOptions(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "paper4:", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err = run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "paper4:", err)
		os.Exit(1)
	}
}

func parseOptions(args []string) (*options, error) {
	o := &options{}
	f := flag.NewFlagSet("paper4", flag.ContinueOnError)
	f.StringVar(&o.out, "out", filepath.Join(os.TempDir(), "nystream-paper4"), "directory for the results")
	only := f.String("only", strings.Join(parts, ","), "parts to do")
	sets := f.String("sets", strings.Join(tableNames(), ","), "tables of part uci")
	f.StringVar(&o.edges, "graph", "", "edge list of another graph than cora")
	f.StringVar(&o.labels, "labels", "", "classes of its nodes: node,label")
	f.IntVar(&o.repeats, "repeats", 5, "random splits")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	o.only, o.sets = strings.Split(*only, ","), strings.Split(*sets, ",")
	for words, known := range map[*[]string][]string{&o.only: parts, &o.sets: tableNames()} {
		for _, word := range *words {
			if !slices.Contains(known, word) {
				return nil, fmt.Errorf("%q: there are %s", word, strings.Join(known, ", "))
			}
		}
	}
	switch {
	case f.NArg() > 0:
		return nil, fmt.Errorf("%q: paper4 takes flags only", f.Args())
	case o.repeats < 1:
		return nil, fmt.Errorf("%d repeats: there must be at least 1", o.repeats)
	case (o.edges == "") != (o.labels == ""):
		return nil, fmt.Errorf("-graph and -labels go together")
	}
	return o, nil
}

func run(ctx context.Context, o *options) error {
	if err := os.MkdirAll(o.out, 0o777); err != nil {
		return err
	}
	if slices.Contains(o.only, "cora") {
		if err := runGraph(ctx, o); err != nil {
			return err
		}
	}
	if slices.Contains(o.only, "uci") {
		return runTables(ctx, o)
	}
	return nil
}
