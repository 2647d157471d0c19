// Package paper2 reproduces the tables of paper 2 (Tao et al., "Nonlinear SVD with
// asymmetric kernels") and measures the methods of package ksvd beside those of the
// paper.
//
//	go run -C bench/papers . paper2 -out DIR                       everything, on cora
//	go run -C bench/papers . paper2 -out DIR -only 1,2 -graph edges.csv -labels labels.csv
//	go run -C bench/papers . paper2 -out DIR -only 4s -nodes 5000
//
// Tables: 1 node classification, 2 graph reconstruction, 3 tables of the UCI
// repository, 5.2 divergences between rows and columns, 6 SVD after a nonlinear map,
// 4 (with 5) time to a tolerance on the graph, 4s the same on a synthetic one; figures: f1 samples against γ, f2 score against
// samples, f3 embedding. Each is written to DIR as soon as it is there, tables as
// Markdown and CSV and on standard output, figures as SVG: a run that was broken off
// goes on with -only and what is missing.
package paper2

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/bench/internal/program"
	"github.com/nystream/nystream/bench/internal/report"
)

// options say what to measure.
type options struct {
	out           string
	only          []string
	edges, labels string
	seeds         int
	folds         int
	rank          int
	tiles         bool
	nodes         int     // of the synthetic graph
	limit         float64 // CPU seconds
}

var parts = []string{"1", "2", "3", "6", "5.2", "4", "4s", "f1", "f2", "f3"}

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
	f := program.Flags("paper2", &o.out)
	only := f.String("only", strings.Join(parts, ","), "tables and figures")
	f.StringVar(&o.edges, "graph", "", "edge list of another graph than cora")
	f.StringVar(&o.labels, "labels", "", "classes of its nodes, for Table 1 and the figures: node,label")
	f.IntVar(&o.seeds, "seeds", 10, "splits of Table 1 and Figure 2; Tables 3 and 6 and Section 5.2 have twice as many")
	f.IntVar(&o.folds, "folds", 3, "folds of cross-validation in Table 1")
	f.IntVar(&o.rank, "features", 1000, "features of a side in Tables 1 and 2, at most")
	f.IntVar(&o.nodes, "nodes", syntheticNodes, "nodes of the synthetic graph in Tables 4 and 5")
	f.BoolVar(&o.tiles, "tsvd", false, "Tables 4 and 5: the truncated SVD on tiles for large graphs too, minutes of CPU")
	f.Float64Var(&o.limit, "limit", 20, "Tables 4 and 5: a solver stops doubling after a fit of so many CPU seconds")
	if err := program.Parse(f, args); err != nil {
		return nil, err
	}
	o.only = program.List(*only)
	if err := program.Known(o.only, parts); err != nil {
		return nil, err
	}
	if o.seeds < 1 || o.folds < 2 || o.rank < 1 || o.nodes < 2*speedRank {
		return nil, fmt.Errorf("%d seeds, %d folds, %d features and %d nodes: the least are 1, 2, 1 and %d", o.seeds, o.folds, o.rank, o.nodes, 2*speedRank)
	}
	return o, nil
}

func (o *options) wants(words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(o.only, w) })
}

// graph returns the graph to work on.
func (o *options) graph(ctx context.Context) (*classedGraph, error) {
	if o.edges == "" {
		return cora(ctx)
	}
	return readGraph(ctx, nameOf(o.edges), o.edges, o.labels)
}

// mostNodes is how large a graph the dense decompositions of Tables 1 and 2 take.
const mostNodes = 12_000

func run(ctx context.Context, o *options) error {
	if err := os.MkdirAll(o.out, 0o777); err != nil {
		return err
	}
	if err := runTables(ctx, o); err != nil {
		return err
	}
	if !o.wants("1", "2", "4", "4s", "f1", "f2", "f3") {
		return nil
	}
	g, err := o.graph(ctx)
	if err != nil {
		return err
	}
	for _, step := range []func(context.Context, *options, *classedGraph) error{runFeatures, runSpeed, runFigures} {
		if err := step(ctx, o, g); err != nil {
			return fmt.Errorf("%s: %w", g.name, err)
		}
	}
	return nil
}

// runTables makes Tables 3 and 6 and that of Section 5.2, which need no graph.
func runTables(ctx context.Context, o *options) error {
	tables := map[string]func(context.Context, []string, int) (*report.Table, error){"3": table3, "6": table6, "5.2": section52}
	for _, word := range parts {
		if f := tables[word]; f != nil && o.wants(word) {
			t, err := f(ctx, datasets.SupervisedNames(), 2*o.seeds)
			if err != nil {
				return fmt.Errorf("table %s: %w", word, err)
			}
			if err := t.Write(o.out); err != nil {
				return err
			}
		}
	}
	return nil
}

// runFeatures makes Tables 1 and 2, which share their features.
func runFeatures(ctx context.Context, o *options, g *classedGraph) error {
	if !o.wants("1", "2") {
		return nil
	}
	if g.nodes() > mostNodes {
		return fmt.Errorf("%d nodes: Tables 1 and 2 decompose dense matrices of at most %d", g.nodes(), mostNodes)
	}
	made := map[string][]*features{}
	for _, method := range graphMethods {
		all, err := allFeatures(ctx, g, method, bandwidths, o.rank)
		if err != nil {
			return err
		}
		made[method] = all
		fmt.Fprintf(os.Stderr, "%s: %s: decomposed\n", g.name, method)
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
	if g.labels == nil {
		return fmt.Errorf("table 1 needs the classes of the nodes: -labels")
	}
	c := classification{splits: o.seeds, folds: o.folds}
	scores, err := c.run(ctx, g, made)
	if err != nil {
		return err
	}
	if err := table1(g, c, scores).Write(o.out); err != nil {
		return err
	}
	return pairs(g, c, scores).Write(o.out)
}

// runSpeed makes Tables 4 and 5 for the graph and for the synthetic one.
func runSpeed(ctx context.Context, o *options, g *classedGraph) error {
	if o.wants("4") {
		if err := o.speedTables(ctx, g, 1); err != nil {
			return err
		}
	}
	if !o.wants("4s") {
		return nil
	}
	large, err := synthetic(o.nodes, int64(o.nodes)*syntheticEdges/syntheticNodes)
	if err != nil {
		return err
	}
	return o.speedTables(ctx, large, syntheticWidth)
}

// speedTables are Tables 4 and 5 of a graph, centred and as it is.
func (o *options) speedTables(ctx context.Context, g *classedGraph, width float64) error {
	tables := []*report.Table{speedTable(4, g.name, tolerances[0]), speedTable(5, g.name, tolerances[1])}
	for _, centred := range []bool{true, false} {
		p := newSpeedProblem(g, width, centred)
		all := solvers()
		if o.tiles || p.adjacency.Rows <= smallGraph {
			all = append(all, solver{nameTSVD, "", byTiles, p.adjacency.Rows})
		}
		m, err := speed(ctx, p, all, doubling{measures[0], tolerances[1], o.limit})
		if err != nil {
			return err
		}
		if err := m.settle(ctx, speedSeeds, o.limit); err != nil {
			return err
		}
		if err := m.table().Write(o.out); err != nil {
			return err
		}
		for i, t := range tables {
			m.addSpeed(t, tolerances[i])
		}
	}
	for _, t := range tables {
		if err := t.Write(o.out); err != nil {
			return err
		}
	}
	return nil
}

// tolerances are ε of Tables 4 and 5.
var tolerances = []float64{0.1, 0.01}

// smallGraph is up to how many nodes Tables 4 and 5 have the truncated SVD on tiles
// without being asked.
const smallGraph = 5000

// speedSeeds is how often the settings that the tables report are run.
const speedSeeds = 10

func newSpeedProblem(g *classedGraph, width float64, centred bool) *speedProblem {
	p := &speedProblem{graph: g.name, name: g.name, adjacency: g.adjacency, gamma: bandwidth(g.adjacency, width), centred: centred}
	if !centred {
		p.name += "-not-centred"
	}
	return p
}

func runFigures(ctx context.Context, o *options, g *classedGraph) error {
	figures := map[string]func(context.Context, *options, *classedGraph) error{"f1": figure1, "f2": figure2, "f3": figure3}
	for _, word := range parts {
		if f := figures[word]; f != nil && o.wants(word) {
			if err := f(ctx, o, g); err != nil {
				return err
			}
		}
	}
	return nil
}
