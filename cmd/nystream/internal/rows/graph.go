package rows

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nystream/nystream/blockstore/graph"
	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/garbage"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/sparse"
)

// GraphFlags has the flags for reading a graph and transforming its edges.
type GraphFlags struct {
	Path, Nodes, weight string
	selfLoops, degrees  flags.Word
	undirected, simple  bool
	Listed              []string // the nodes, if they are not read from a file
}

// Words for graph.SelfLoops and sparse.DegreeScaling, in the order of their values.
var (
	SelfLoopWords = []string{"keep", "add", "drop"}
	DegreeWords   = []string{"none", "row", "symmetric", "in"}
)

func (g *GraphFlags) Add(s *flags.Set) {
	graph := func(f flags.Flag) flags.Flag {
		f.Group, f.For, f.Needs = flags.Data, flags.Graph, "graph"
		return f
	}
	s.Add(flags.Flag{Name: "graph", Arg: "file", Usage: "edges of a directed graph, instead of DATA", Group: flags.Data, Effect: flags.Locates, For: flags.Graph,
		Value: flags.String(&g.Path, ""), Complete: flags.GraphFiles})
	g.AddReading(s)
	s.Flag("nodes").Needs, s.Flag("weight").Needs = "graph", "graph"
	s.Add(
		graph(flags.Flag{Name: "self-loops", Arg: "word", Usage: "edges from a node to itself", Value: flags.Choice(&g.selfLoops, flags.Words(SelfLoopWords...))}),
		graph(flags.Flag{Name: "degrees", Arg: "word", Usage: "degrees by which weights are divided", Value: flags.Choice(&g.degrees, flags.Words(DegreeWords...))}),
		graph(flags.Flag{Name: "undirected", Usage: "add the reverse of every edge", Value: flags.Bool(&g.undirected, false)}),
		graph(flags.Flag{Name: "simple", Usage: "count a repeated edge once", Doc: "otherwise weights add up", Value: flags.Bool(&g.simple, false)}),
	)
}

// AddReading adds the flags that are common with transform.
func (g *GraphFlags) AddReading(s *flags.Set) {
	s.Add(
		flags.Flag{Name: "nodes", Arg: "file", Usage: "nodes that come first, with or without edges", Group: flags.Data, Effect: flags.Locates, For: flags.Graph,
			Value: flags.String(&g.Nodes, ""), Complete: flags.GraphFiles},
		flags.Flag{Name: "weight", Arg: "column", Usage: "column of edge weights, - for none", Doc: "the column weight, w or value if not given", Group: flags.Data, For: flags.Graph, Value: flags.String(&g.weight, "")},
	)
}

// Inputs returns the files named by the flags.
func (g *GraphFlags) Inputs() []string {
	var paths []string
	for _, p := range []string{g.Path, g.Nodes} {
		if p != "" {
			paths = append(paths, p)
		}
	}
	return paths
}

// Recipe returns the transformation of edges, in the words of a model.
func (g *GraphFlags) Recipe() GraphRecipe {
	return GraphRecipe{SelfLoops: g.selfLoops.String(), Degrees: g.degrees.String(), Undirected: g.undirected, Simple: g.simple}
}

// GraphRecipe is the transformation of edges to an adjacency matrix. Models store it.
type GraphRecipe struct {
	SelfLoops  string `json:"self_loops"`
	Degrees    string `json:"degrees"`
	Undirected bool   `json:"undirected,omitempty"`
	Simple     bool   `json:"simple,omitempty"`
}

// options adds a recipe, already validated, to reading options.
func (r GraphRecipe) options(o graph.Options) graph.Options {
	o.SelfLoops = graph.SelfLoops(slices.Index(SelfLoopWords, r.SelfLoops))
	o.Degrees = sparse.DegreeScaling(slices.Index(DegreeWords, r.Degrees))
	o.Undirected, o.Simple = r.Undirected, r.Simple
	return o
}

// ReadGraph reads a graph by the flags and a recipe.
func ReadGraph(ctx context.Context, a *app.App, path string, g *GraphFlags, r GraphRecipe, d *DataFlags) (*graph.Graph, error) {
	o := r.options(graph.Options{Session: a.Session.Internal(), Layout: d.Layout, Weight: g.weight, Reader: a.In, Limit: graphLimit(a)})
	if len(d.Columns) == 2 {
		o.Source, o.Target = strings.TrimSpace(d.Columns[0]), strings.TrimSpace(d.Columns[1])
	}
	if o.Nodes = g.Listed; g.Nodes != "" {
		var err error
		if o.Nodes, err = graph.ReadNodes(ctx, g.Nodes, "", graph.Options{Session: o.Session, Layout: d.Layout}); err != nil {
			return nil, app.FromData(err)
		}
	}
	if a.Memory > 0 {
		garbage.Tighten()
	}
	read, err := graph.Read(ctx, path, o)
	if over := new(stream.OverBudgetError); errors.As(err, &over) {
		return nil, fmt.Errorf("%s is too large to read: %w", path, &stream.OverBudgetError{Need: over.Need + model.RuntimeBytes, Limit: int64(a.Memory)})
	}
	if err != nil {
		return nil, app.FromData(err)
	}
	if read.Adjacency.Rows == 0 {
		return nil, stream.NewDataError(path, "it has no nodes")
	}
	return read, nil
}

// graphLimit returns the part of --memory available for reading a graph, 0 for no limit.
func graphLimit(a *app.App) int64 {
	if a.Memory == 0 {
		return 0
	}
	return max(1, int64(a.Memory)-model.RuntimeBytes)
}

// GraphNotes returns sentences for the user about a graph.
func GraphNotes(g *graph.Graph) (notes []string) {
	for _, note := range []string{g.MixedIDWarning, g.GuessedWeights.Warning()} {
		if note != "" {
			notes = append(notes, note)
		}
	}
	return notes
}

// NodeKeys provides the node ids of a graph as a column of a file.
type NodeKeys struct{ Graph *graph.Graph }

// Fields returns the column, unless the file has numbers only.
func (k NodeKeys) Fields(numbersOnly bool) []stream.Field {
	if numbersOnly {
		return nil
	}
	if k.Graph.IDs != nil {
		return []stream.Field{{Name: "node", Kind: stream.Int64}}
	}
	return []stream.Field{{Name: "node", Kind: stream.String}}
}

// Column returns the ids of n nodes from start on.
func (k NodeKeys) Column(start int64, n int) []stream.Column {
	if ids := k.Graph.IDs; ids != nil {
		return []stream.Column{{Kind: stream.Int64, Ints: ids[start : start+int64(n)]}}
	}
	return []stream.Column{{Kind: stream.String, Strings: k.Graph.Names[start : start+int64(n)]}}
}

// EdgeColumns is the message for a wrong number of columns of a graph.
const EdgeColumns = "--columns of a graph are two: those of the source and the target of an edge, such as --columns src,dst"

// graphResult is the report of a graph.
type graphResult struct {
	Nodes      int         `json:"nodes"`
	Edges      int64       `json:"edges"`   // listed in the file
	Entries    int64       `json:"entries"` // entries of the adjacency matrix
	Duplicates int64       `json:"duplicates"`
	SelfLoops  int64       `json:"self_loops"`
	Weighted   bool        `json:"weighted"`
	Options    GraphRecipe `json:"options"`
}

// PutGraph adds the report of a graph, if there is one.
func PutGraph(r *report.Report, g *graph.Graph, edges *GraphFlags) {
	if g == nil {
		return
	}
	result := &graphResult{Nodes: g.Adjacency.Rows, Edges: g.Edges, Entries: g.Adjacency.NNZ(), Duplicates: g.Duplicates,
		SelfLoops: g.SelfLoops, Weighted: g.Weighted, Options: edges.Recipe()}
	r.Show(report.KeyGraph, result, "graph", "%s nodes, %s edges listed, %s of them from a node to itself, %s listed again",
		report.Count(int64(g.Adjacency.Rows)), report.Count(g.Edges), report.Count(g.SelfLoops), report.Count(g.Duplicates))
	if w := g.GuessedWeights; w != nil {
		doubt := ""
		if w.TimeUnit != "" {
			doubt = "; these look like " + w.TimeUnit
		}
		r.Add("weights", "third column, %.10g to %.10g%s", w.Min, w.Max, doubt)
	}
}
