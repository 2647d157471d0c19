package paper2

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/bench/internal/datasets"
	"github.com/nystream/nystream/blockstore/graph"
	"github.com/nystream/nystream/stream"
)

// classedGraph is a directed graph whose nodes have classes.
type classedGraph struct {
	name string
	// adjacency is A + I: without the loops the figures of Table 1 cannot be had.
	adjacency *stream.CSR
	labels    []int // 0 to classes−1, in the order of the nodes; nil if not known
	classes   int
}

// cora returns the citation graph in the folder of data sets.
func cora(ctx context.Context) (*classedGraph, error) {
	dir := datasets.Dir()
	return readGraph(ctx, "cora", filepath.Join(dir, "cora.edges.csv"), filepath.Join(dir, "cora.labels.csv"))
}

// readGraph reads an edge list and, unless labels is empty, the classes of its nodes.
func readGraph(ctx context.Context, name, edges, labels string) (*classedGraph, error) {
	var nodes, classes []string
	var err error
	if labels != "" {
		if nodes, classes, err = datasets.Labels(ctx, labels); err != nil {
			return nil, err
		}
	}
	read, err := graph.Read(ctx, edges, graph.Options{Nodes: nodes, Simple: true, Weight: "-"})
	if err != nil {
		return nil, err
	}
	if n := read.Adjacency.Rows; labels != "" && n > len(nodes) {
		return nil, fmt.Errorf("%s: node %s of %s has no label; there are %d such nodes", labels, read.Name(len(nodes)), edges, n-len(nodes))
	}
	g := &classedGraph{name: name, adjacency: withLoops(read.Adjacency)}
	if labels != "" {
		g.labels, g.classes = datasets.Numbered(classes)
	}
	return g, nil
}

// withLoops returns A + I for an adjacency matrix without weights: a loop that is there
// already stays one loop.
func withLoops(a *stream.CSR) *stream.CSR {
	loops := a.AddIdentity()
	loops.Value = nil
	return loops
}

// nameOf returns the name of a file without folder and extension.
func nameOf(path string) string {
	base := filepath.Base(path)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// nodes returns the number of nodes.
func (g *classedGraph) nodes() int { return g.adjacency.Rows }

// dense returns A + I in full, 8 bytes for each pair of nodes.
func (g *classedGraph) dense() blas64.General {
	a := stream.NewMatrix(g.nodes(), g.nodes())
	for e := range g.adjacency.Entries() {
		a.Data[int(e.Row)*a.Stride+int(e.Col)] = e.Value
	}
	return a
}

// identity returns I, n×n.
func identity(n int) blas64.General {
	a := stream.NewMatrix(n, n)
	for i := range n {
		a.Data[i*a.Stride+i] = 1
	}
	return a
}
