package verb

import (
	"context"

	"github.com/nystream/nystream/blockstore/graph"
	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/cmd/nystream/internal/saved"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/sparse"
)

// openNodes opens the nodes of a graph as the input of a side of the model.
func openNodes(ctx context.Context, f *saved.File, t *application, side model.Side, paths []string) (*modelInput, error) {
	g, err := readEdges(ctx, f, t.app, &t.graph, &t.data, paths)
	if err != nil {
		return nil, err
	}
	nodes, err := nodesOf(f, t.app, g, side, paths[0])
	if err != nil {
		return nil, err
	}
	if !f.Model.Describe().TwoSided { // a node has its edges in both directions
		if nodes.Into, _, err = g.Reindex(g.Adjacency.Transpose(), f.IDs, f.Data.Graph.Names); err != nil {
			return nil, stream.NewDataError(paths[0], "%w", err)
		}
	}
	keys := rows.NodeKeys{Graph: g}
	out := &modelInput{graph: g, source: nodes, fields: keys.Fields(rows.NumbersOnly(t.app, t.output)), dropped: func() int64 { return 0 }}
	if len(out.fields) > 0 {
		out.kept = func(b *stream.Block, n int) []stream.Column { return keys.Column(b.Start, n) }
	}
	return out, nil
}

// readEdges reads the graph to which the model is applied.
func readEdges(ctx context.Context, f *saved.File, a *app.App, edges *rows.GraphFlags, d *rows.DataFlags, paths []string) (*graph.Graph, error) {
	switch {
	case len(paths) > 1:
		return nil, flags.Usagef("%d files: the edges of a graph are in one", len(paths))
	case len(d.Columns) != 0 && len(d.Columns) != 2:
		return nil, flags.Usagef(rows.EdgeColumns)
	}
	g, err := rows.ReadGraph(ctx, a, paths[0], edges, f.Data.Graph.GraphRecipe, d)
	if err == nil {
		a.Notes(rows.GraphNotes(g))
	}
	return g, err
}

// nodesOf returns the nodes of a graph, read from path, as rows of a side of the model.
func nodesOf(f *saved.File, a *app.App, g *graph.Graph, side model.Side, path string) (*sparse.Rows, error) {
	edges := g.Adjacency
	if side == model.Right {
		edges = edges.Transpose()
	}
	rows, unknown, err := g.Reindex(edges, f.IDs, f.Data.Graph.Names)
	if err != nil {
		return nil, stream.NewDataError(path, "%w", err)
	}
	if unknown > 0 && f.Model.Describe().TwoSided {
		a.Note("%s of %s entries of the adjacency matrix join two nodes that the model does not know, and are ignored", report.Count(unknown), report.Count(g.Adjacency.NNZ()))
	}
	return sparse.NewRows(path, rows, nil), nil
}
