package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nystream/nystream/blockstore/graph"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/garbage"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/sparse"
)

// graphFlags say how a graph is read, and what becomes of its edges.
type graphFlags struct {
	path, nodes, weight string
	selfLoops, degrees  flags.Word
	undirected, simple  bool
	listed              []string // the nodes, where they are not read from the file of nodes
}

// The words for graph.SelfLoops and sparse.DegreeScaling, in the order of
// their values.
var (
	selfLoopWords = []string{"keep", "add", "drop"}
	degreeWords   = []string{"none", "row", "symmetric", "in"}
)

func (g *graphFlags) add(s *flags.Set) {
	graph := func(f flags.Flag) flags.Flag {
		f.Group, f.For, f.Needs = flags.Data, flags.Graph, "graph"
		return f
	}
	s.Add(flags.Flag{Name: "graph", Arg: "file", Usage: "edges of a directed graph, instead of DATA", Group: flags.Data, Effect: flags.Locates, For: flags.Graph,
		Value: flags.String(&g.path, ""), Complete: flags.GraphFiles})
	g.addReading(s)
	s.Flag("nodes").Needs, s.Flag("weight").Needs = "graph", "graph"
	s.Add(
		graph(flags.Flag{Name: "self-loops", Arg: "word", Usage: "edges from a node to itself", Value: flags.Choice(&g.selfLoops, flags.Words(selfLoopWords...))}),
		graph(flags.Flag{Name: "degrees", Arg: "word", Usage: "degrees that divide the weights", Value: flags.Choice(&g.degrees, flags.Words(degreeWords...))}),
		graph(flags.Flag{Name: "undirected", Usage: "add to every edge the edge back", Value: flags.Bool(&g.undirected, false)}),
		graph(flags.Flag{Name: "simple", Usage: "count a repeated edge once", Doc: "otherwise weights add up", Value: flags.Bool(&g.simple, false)}),
	)
}

// addReading adds the flags that transform has too.
func (g *graphFlags) addReading(s *flags.Set) {
	s.Add(
		flags.Flag{Name: "nodes", Arg: "file", Usage: "nodes that come first, with or without edges", Group: flags.Data, Effect: flags.Locates, For: flags.Graph,
			Value: flags.String(&g.nodes, ""), Complete: flags.GraphFiles},
		flags.Flag{Name: "weight", Arg: "column", Usage: "edge weights, - for none", Doc: "weight, w or value if not given", Group: flags.Data, For: flags.Graph, Value: flags.String(&g.weight, "")},
	)
}

// inputs returns the files that the flags name.
func (g *graphFlags) inputs() []string {
	var paths []string
	for _, p := range []string{g.path, g.nodes} {
		if p != "" {
			paths = append(paths, p)
		}
	}
	return paths
}

// recipe returns what is done to the edges of a file, in the words of a model.
func (g *graphFlags) recipe() graphRecipe {
	return graphRecipe{SelfLoops: g.selfLoops.String(), Degrees: g.degrees.String(), Undirected: g.undirected, Simple: g.simple}
}

// graphRecipe is how edges become an adjacency matrix. A model keeps it.
type graphRecipe struct {
	SelfLoops  string `json:"self_loops"`
	Degrees    string `json:"degrees"`
	Undirected bool   `json:"undirected,omitempty"`
	Simple     bool   `json:"simple,omitempty"`
}

// options adds a recipe, whose words have been checked, to options of reading.
func (r graphRecipe) options(o graph.Options) graph.Options {
	o.SelfLoops = graph.SelfLoops(slices.Index(selfLoopWords, r.SelfLoops))
	o.Degrees = sparse.DegreeScaling(slices.Index(degreeWords, r.Degrees))
	o.Undirected, o.Simple = r.Undirected, r.Simple
	return o
}

// readGraph reads a graph as the flags and a recipe say.
func readGraph(ctx context.Context, a *app, path string, g *graphFlags, r graphRecipe, d *dataFlags) (*graph.Graph, error) {
	o := r.options(graph.Options{Session: a.session.Internal(), Layout: d.Layout, Weight: g.weight, Stdin: a.in, Limit: graphLimit(a)})
	if len(d.columns) == 2 {
		o.Source, o.Target = strings.TrimSpace(d.columns[0]), strings.TrimSpace(d.columns[1])
	}
	if o.Nodes = g.listed; g.nodes != "" {
		var err error
		if o.Nodes, err = graph.ReadNodes(ctx, g.nodes, "", graph.Options{Session: o.Session, Layout: d.Layout}); err != nil {
			return nil, fromData(err)
		}
	}
	if a.memory > 0 {
		garbage.Tighten()
	}
	read, err := graph.Read(ctx, path, o)
	if over := new(stream.OverBudgetError); errors.As(err, &over) {
		return nil, fmt.Errorf("%s is too large to read: %w", path, &stream.OverBudgetError{Need: over.Need + model.RuntimeBytes, Limit: int64(a.memory)})
	}
	if err != nil {
		return nil, fromData(err)
	}
	if read.Adjacency.Rows == 0 {
		return nil, stream.NewDataError(path, "it has no nodes")
	}
	return read, nil
}

// graphLimit returns what reading a graph may take of --memory, 0 for any.
func graphLimit(a *app) int64 {
	if a.memory == 0 {
		return 0
	}
	return max(1, int64(a.memory)-model.RuntimeBytes)
}

// graphNotes returns sentences for the user about a graph.
func graphNotes(g *graph.Graph) (notes []string) {
	for _, note := range []string{g.Mixed, g.Guessed.Doubt()} {
		if note != "" {
			notes = append(notes, note)
		}
	}
	return notes
}

// nodeKeys are the ids of the nodes of a graph as a column of a file.
type nodeKeys struct{ graph *graph.Graph }

// fields returns the column, unless the file has no place for one.
func (k nodeKeys) fields(numbersOnly bool) []stream.Field {
	if numbersOnly {
		return nil
	}
	if k.graph.IDs != nil {
		return []stream.Field{{Name: "node", Kind: stream.Int64}}
	}
	return []stream.Field{{Name: "node", Kind: stream.String}}
}

// column returns the ids of n nodes from the given one on.
func (k nodeKeys) column(start int64, n int) []stream.Column {
	if ids := k.graph.IDs; ids != nil {
		return []stream.Column{{Kind: stream.Int64, Ints: ids[start : start+int64(n)]}}
	}
	return []stream.Column{{Kind: stream.String, Strings: k.graph.Names[start : start+int64(n)]}}
}

// graphData says how edges become the rows that a model takes. The ids of the nodes are
// in the array node_ids of the model, or if they are text in Names.
type graphData struct {
	graphRecipe
	Names []string `json:"names,omitempty"`
}

// decodeNodes reads what is known of the nodes of a graph with so many.
func (f *modelFile) decodeNodes(a *model.Archive, nodes int) error {
	g := f.data.Graph
	if !slices.Contains(selfLoopWords, g.SelfLoops) || !slices.Contains(degreeWords, g.Degrees) {
		return fmt.Errorf("meta.json: data.graph has self_loops %q and degrees %q", g.SelfLoops, g.Degrees)
	}
	if n := len(g.Names); n > 0 && n != nodes {
		return fmt.Errorf("meta.json: the names of %d nodes for a graph of %d", n, nodes)
	}
	if len(g.Names) == 0 {
		f.ids = a.Ints("node_ids", nodes)
	}
	return a.Err()
}

// edgeColumns is what to say of another number of columns of a graph.
const edgeColumns = "--columns of a graph are two: those of the source and the target of an edge, such as --columns src,dst"

// openNodes opens the nodes of a graph, which a side of the model is applied to.
func openNodes(ctx context.Context, f *modelFile, t *application, side model.Side, paths []string) (*taken, error) {
	g, err := readEdges(ctx, f, t.app, &t.graph, &t.data, paths)
	if err != nil {
		return nil, err
	}
	nodes, err := nodesOf(f, t.app, g, side, paths[0])
	if err != nil {
		return nil, err
	}
	if !f.model.Describe().TwoSided { // a node is its edges both ways
		if nodes.Into, _, err = g.Over(g.Adjacency.Transpose(), f.ids, f.data.Graph.Names); err != nil {
			return nil, stream.NewDataError(paths[0], "%w", err)
		}
	}
	keys := nodeKeys{g}
	out := &taken{graph: g, source: nodes, fields: keys.fields(numbersOnly(t.app, t.output)), dropped: func() int64 { return 0 }}
	if len(out.fields) > 0 {
		out.kept = func(b *stream.Block, n int) []stream.Column { return keys.column(b.Start, n) }
	}
	return out, nil
}

// readEdges reads a graph that the model is applied to.
func readEdges(ctx context.Context, f *modelFile, a *app, edges *graphFlags, d *dataFlags, paths []string) (*graph.Graph, error) {
	switch {
	case len(paths) > 1:
		return nil, flags.Usagef("%d files: the edges of a graph are in one", len(paths))
	case len(d.columns) != 0 && len(d.columns) != 2:
		return nil, flags.Usagef(edgeColumns)
	}
	g, err := readGraph(ctx, a, paths[0], edges, f.data.Graph.graphRecipe, d)
	if err == nil {
		a.notes(graphNotes(g))
	}
	return g, err
}

// nodesOf returns the nodes of a graph that was read from path as rows of a side of the model.
func nodesOf(f *modelFile, a *app, g *graph.Graph, side model.Side, path string) (*sparse.Rows, error) {
	edges := g.Adjacency
	if side == model.Right {
		edges = edges.Transpose()
	}
	rows, strange, err := g.Over(edges, f.ids, f.data.Graph.Names)
	if err != nil {
		return nil, stream.NewDataError(path, "%w", err)
	}
	if strange > 0 && f.model.Describe().TwoSided {
		a.note("%s of %s entries of the adjacency matrix are between nodes of which the model knows none, and count for nothing", report.Count(strange), report.Count(g.Adjacency.NNZ()))
	}
	return sparse.NewRows(path, rows, nil), nil
}
