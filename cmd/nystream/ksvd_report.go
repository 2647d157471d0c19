package main

import (
	"github.com/nystream/nystream/blockstore/graph"
	"github.com/nystream/nystream/cmd/nystream/internal/show"
)

func (c *ksvdTask) planned(r *planResult, _ *show.Text) { r.Kernel = c.kernel.String() }

// ksvdResult is what fit prints as JSON of ksvd.
type ksvdResult struct {
	*fitResult
	Solver        string       `json:"solver"`
	Input         string       `json:"input"` // matrix, sources or graph
	Sums          string       `json:"sums"`
	Centred       bool         `json:"centred"`
	Compatibility string       `json:"compatibility"`
	Scaling       string       `json:"scaling,omitempty"`
	Samples       []int        `json:"samples,omitempty"` // of rows, of columns
	Graph         *graphResult `json:"graph,omitempty"`
}

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

// graphResultOf returns what is said of a graph that flags say how to read, nil of none.
func graphResultOf(g *graph.Graph, edges *graphFlags) *graphResult {
	if g == nil {
		return nil
	}
	return &graphResult{Nodes: g.Adjacency.Rows, Edges: g.Edges, Entries: g.Adjacency.NNZ(), Duplicates: g.Duplicates, SelfLoops: g.SelfLoops,
		Weighted: g.Weighted, Options: edges.recipe()}
}

// text adds a line about the graph.
func (g *graphResult) text(t *show.Text) {
	t.Add("graph", "%s nodes, %s edges listed, %s of them from a node to itself, %s listed again", show.Count(int64(g.Nodes)), show.Count(g.Edges), show.Count(g.SelfLoops), show.Count(g.Duplicates))
}

func (c *ksvdTask) fitted(base *fitResult, t *show.Text) any {
	f := c.fitting
	r := &ksvdResult{fitResult: base, Solver: f.Method, Input: c.input(), Sums: f.Sums.String(), Centred: f.Centered,
		Compatibility: f.Compatibility.String(), Graph: graphResultOf(c.graph, &c.edges)}
	if f.Samples[0] > 0 {
		r.Samples = f.Samples[:]
	}
	if f.Method == "nystrom" {
		r.Scaling = c.nystrom.Scaling.String()
	}
	_, normalised := c.kernel.Normaliser()
	r.text(t, normalised)
	return r
}

// text adds lines about what other families do not have.
func (r *ksvdResult) text(t *show.Text, normalised bool) {
	t.Add("method", "%s%s", r.Solver, map[bool]string{true: ", centred"}[r.Centred])
	if r.Graph != nil {
		r.Graph.text(t)
	}
	t.Add("rank", "%d", r.Rank)
	t.Add("values", "%s", show.Values(show.Floats(r.Values)))
	if len(r.Samples) > 0 {
		t.Add("samples", "%s rows, %s columns", show.Count(int64(r.Samples[0])), show.Count(int64(r.Samples[1])))
	}
	if normalised || r.Centred {
		t.Add("sums", "%s", r.Sums)
	}
	if r.Input == matrixInput {
		t.Add("compatibility", "%s", r.Compatibility)
	}
}
