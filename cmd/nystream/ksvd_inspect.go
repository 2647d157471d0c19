package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/show"
)

// ksvdModelResult is what inspect prints of a ksvd model as JSON.
type ksvdModelResult struct {
	ksvdMeta
	Dimension int           `json:"dimension"` // length of left rows
	Values    []show.Number `json:"values"`
	Arrays    []modelArray  `json:"arrays"`
	Bytes     int64         `json:"bytes"`
}

func (i *inspectCommand) ksvdModel(path string, file *blockstore.Archive) error {
	m, err := ksvdModelOf(path, file)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	r := &ksvdModelResult{ksvdMeta: m.meta, Dimension: m.dimension("left"), Values: show.Numbers(m.model.Values), Arrays: modelArrays(file), Bytes: info.Size()}
	if g := m.meta.Data.Graph; g != nil { // millions of names are no summary
		r.Data.Graph = &ksvdGraph{graphRecipe: g.graphRecipe}
	}
	return i.print(r, r.text(m))
}

func (r *ksvdModelResult) text(m *ksvdModel) *show.Text {
	t := &show.Text{Title: fmt.Sprintf("ksvd model of %s, %s × %s", r.Kernel, show.Count(r.Rows), show.Count(r.Header.Columns))}
	t.Add("method", "%s%s", r.Solver, map[bool]string{true: ", centred"}[r.Centred])
	t.Add("rank", "%d", r.Rank)
	t.Add("values", "%s", show.Values(m.model.Values))
	t.Add("sums", "%s", r.Sums)
	t.Add("seed", "%d", r.Seed)
	switch r.Data.Input {
	case graphInput:
		g := r.Data.Graph
		t.Add("of", "a graph of %s nodes; self-loops: %s; divided by degrees: %s", show.Count(int64(r.Dimension)), g.SelfLoops, g.Degrees)
	case sourcesInput:
		t.Add("of", "rows of two sources")
	default:
		t.Add("of", "the rows and columns of a matrix; compatibility: %s", r.Compatibility)
	}
	if r.Data.Input != graphInput {
		columns := "by position"
		if names := r.Data.Columns; len(names) > 0 {
			columns = strings.Join(names, ", ")
		}
		scaled := map[bool]string{true: "scaled", false: "not scaled"}[m.prepare.Shift != nil]
		t.Add("columns", "%d, %s", r.Dimension, columns)
		t.Add("rows", "nulls: %s; %s", r.Data.Nulls, scaled)
	}
	t.Add("size", "%s", show.Bytes(r.Bytes))
	for _, a := range r.Arrays {
		t.Add("  "+a.Name, "%s %v", a.Type, a.Shape)
	}
	return t
}
