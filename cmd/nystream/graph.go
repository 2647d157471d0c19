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

// edgeColumns is what to say of another number of columns of a graph.
const edgeColumns = "--columns of a graph are two: those of the source and the target of an edge, such as --columns src,dst"

// graphResult is what is said of a graph.
type graphResult struct {
	Nodes      int         `json:"nodes"`
	Edges      int64       `json:"edges"`   // that the file lists
	Entries    int64       `json:"entries"` // of the adjacency matrix
	Duplicates int64       `json:"duplicates"`
	SelfLoops  int64       `json:"self_loops"`
	Weighted   bool        `json:"weighted"`
	Options    graphRecipe `json:"options"`
}

// putGraph adds what is known of a graph, if there is one.
func putGraph(r *report.Report, g *graph.Graph, edges *graphFlags) {
	if g == nil {
		return
	}
	result := &graphResult{Nodes: g.Adjacency.Rows, Edges: g.Edges, Entries: g.Adjacency.NNZ(), Duplicates: g.Duplicates,
		SelfLoops: g.SelfLoops, Weighted: g.Weighted, Options: edges.recipe()}
	r.Show(report.KeyGraph, result, "graph", "%s nodes, %s edges listed, %s of them from a node to itself, %s listed again",
		report.Count(int64(g.Adjacency.Rows)), report.Count(g.Edges), report.Count(g.SelfLoops), report.Count(g.Duplicates))
	if w := g.Guessed; w != nil {
		doubt := ""
		if w.Times != "" {
			doubt = "; these look like " + w.Times
		}
		r.Add("weights", "third column, %.10g to %.10g%s", w.Least, w.Most, doubt)
	}
}
