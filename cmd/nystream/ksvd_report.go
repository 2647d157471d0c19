package main

import (
	"slices"

	"github.com/nystream/nystream/blockstore/graph"
	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/solvers/model"
)

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
func putGraph(r *show.Report, g *graph.Graph, edges *graphFlags) {
	if g == nil {
		return
	}
	r.Put("graph", &graphResult{Nodes: g.Adjacency.Rows, Edges: g.Edges, Entries: g.Adjacency.NNZ(), Duplicates: g.Duplicates,
		SelfLoops: g.SelfLoops, Weighted: g.Weighted, Options: edges.recipe()})
	r.Add("graph", "%s nodes, %s edges listed, %s of them from a node to itself, %s listed again",
		show.Count(int64(g.Adjacency.Rows)), show.Count(g.Edges), show.Count(g.SelfLoops), show.Count(g.Duplicates))
	if w := g.Guessed; w != nil {
		doubt := ""
		if w.Times != "" {
			doubt = "; these look like " + w.Times
		}
		r.Add("weights", "third column, %.10g to %.10g%s", w.Least, w.Most, doubt)
	}
}

func (c *ksvdTask) fitted(d *model.Description, r *show.Report) {
	f := c.fitting
	r.Put("solver", f.Method)
	r.Put("input", c.input()) // matrix, sources or graph
	r.Put("centred", f.Centered)
	r.Add("method", "%s%s", f.Method, map[bool]string{true: ", centred"}[f.Centered])
	putGraph(r, c.graph, &c.edges)
	r.Add("rank", "%d", d.Rank)
	r.Add("values", "%s", show.Values(d.Values))
	if f.Samples[0] > 0 {
		r.Put("samples", f.Samples[:]) // of rows, of columns
		r.Add("samples", "%s rows, %s columns", show.Count(int64(f.Samples[0])), show.Count(int64(f.Samples[1])))
	}
	if len(f.EstimatedResiduals) > 0 {
		r.Put("estimated_residuals", f.EstimatedResiduals) // of each triplet, relative to its value
		r.Put("not_converged", f.Doubtful())
		r.Add("residuals", "about %.2g to %.2g of each value, and %d of %d above %.2g", slices.Min(f.EstimatedResiduals),
			slices.Max(f.EstimatedResiduals), f.Doubtful(), f.Rank(), ksvd.Converged)
	}
	if d := f.Directions; d.Checked > 0 {
		r.Put("direction_error", d.Error) // from 0 to 2
		r.Put("directions_checked", d.Checked)
		r.Put("directions_missed", d.Missed)
		r.Add("directions", "error about %.2g (0 to 2), %d of the %d leading ones missed", d.Error, d.Missed, d.Checked)
	}
	if c.nystrom.Tolerance > 0 {
		r.Put("tolerance", c.nystrom.Tolerance) // of direction_error
	}
	r.Put("sums", f.Sums.String())
	if _, normalised := c.kernel.Normaliser(); normalised || f.Centered {
		r.Add("sums", "%s", f.Sums)
	}
	r.Put("compatibility", f.Compatibility.String())
	if c.input() == matrixInput {
		r.Add("compatibility", "%s", f.Compatibility)
	}
	if f.Method == "nystrom" {
		r.Put("scaling", c.nystrom.Scaling.String())
	}
}
