package main

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/stream"
)

// runKSVD embeds rows with a ksvd model.
func (t *transformCommand) runKSVD(ctx context.Context, args []string, file *blockstore.Archive) error {
	m, err := ksvdModelOf(args[0], file)
	if err != nil {
		return err
	}
	if m.meta.Data.Input == graphInput {
		return t.runGraph(ctx, m, args)
	}
	if t.graph.nodes+t.graph.weight != "" {
		return usagef("--nodes and --weight are for models of a graph, and this one is of rows")
	}
	side := t.side.value
	in, rows, err := m.taken(side).open(ctx, t.app, t.data, args[1:], readOnce)
	if err != nil {
		return err
	}
	defer in.close()
	if side == "right" && m.meta.Data.Input == matrixInput && m.prepare.Shift != nil {
		t.note("the columns that the model was fitted on were scaled; those of %s are taken as they are", rows.Info().Name)
	}
	var source stream.Source = rows
	if !m.meta.mapped(side) { // else the kernel sees other rows
		source = checkedRows{rows, m.model.Kernel}
	}
	w, err := t.embedKSVD(ctx, m, source, rows.Info().Kept, nodeKeys{}, in)
	if w != nil {
		defer w.Abort() // does nothing after Commit
	}
	if err != nil {
		return err
	}
	if err := w.Commit(); err != nil {
		return err
	}
	return t.report(&transformResult{Model: args[0], Rows: w.rows, Columns: m.model.Rank(), Kept: len(rows.Info().Kept),
		RowsDropped: rows.Dropped(), Passes: map[string]int{"data": in.Passes()}, Output: t.output})
}

// runGraph embeds the nodes of a graph.
func (t *transformCommand) runGraph(ctx context.Context, m *ksvdModel, args []string) error {
	d := &t.data
	switch {
	case len(args) > 2:
		return usagef("%d files: the edges of a graph are in one", len(args)-1)
	case d.keeps() || d.spools() || d.format != "":
		return usagef("--label, --keep, --spool and --input-format are for rows, and this model is of a graph")
	case len(d.columns) != 0 && len(d.columns) != 2:
		return usagef("--columns of a graph are two: those of the source and the target of an edge, such as --columns src,dst")
	}
	g, err := t.readGraph(ctx, args[1], &t.graph, m.meta.Data.Graph.graphRecipe, d)
	if err != nil {
		return err
	}
	rows, strange, err := m.nodeRows(g, t.side.value)
	if err != nil {
		return fromData(fmt.Errorf("%s: %w", args[1], err))
	}
	if t.notes(graphNotes(g)); strange > 0 {
		t.note("%s of %s entries of the adjacency matrix are between nodes of which the model knows none, and count for nothing", show.Count(strange), show.Count(g.Adjacency.NNZ()))
	}
	keys := nodeKeys{g}
	fields := keys.fields(t.output)
	w, err := t.embedKSVD(ctx, m, stream.NewSparseRows(args[1], rows, nil), fields, keys, nil)
	if w != nil {
		defer w.Abort() // does nothing after Commit
	}
	if err != nil {
		return err
	}
	if err := w.Commit(); err != nil {
		return err
	}
	return t.report(&transformResult{Model: args[0], Rows: w.rows, Columns: m.model.Rank(), Kept: len(fields),
		Passes: map[string]int{"data": 1}, Output: t.output})
}

// embedKSVD writes the embedding of rows, uncommitted. Kept columns come with the
// rows, or are keys.
func (t *transformCommand) embedKSVD(ctx context.Context, m *ksvdModel, rows stream.Source, kept []stream.Field, keys nodeKeys, in *input) (*embedding, error) {
	side, e := t.side.value, t.engine()
	plan := m.model.TransformPlan(e, sideOf(side), rows)
	if in != nil {
		readerBudget(&plan.Memory, in)
	}
	n := rows.Info().Rows
	writerBudget(&plan.Memory, t.output, n, m.model.Rank())
	if err := t.checkBudget(&plan.Memory); err != nil {
		return nil, err
	}
	w, err := blockstore.Create(t.output, blockstore.Schema{Columns: factorNames(side, m.model.Rank()), Kept: kept, Rows: n})
	if err != nil {
		return nil, err
	}
	out := &embedding{Writer: w}
	return out, m.model.Transform(ctx, e, sideOf(side), rows, keys.graph == nil && len(kept) > 0, func(b *stream.Block, u blas64.General) error {
		out.rows += int64(u.Rows)
		columns := b.Kept
		if keys.graph != nil && len(kept) > 0 {
			columns = keys.column(b.Start, u.Rows)
		}
		return w.Write(&stream.Batch{X: u, Kept: columns}, u.Rows)
	})
}

// nodeRows are the nodes of g as rows over the nodes that the model knows: edges
// to these for the left side, from these for the right. strange is the number of
// entries that are left out.
func (m *ksvdModel) nodeRows(g *blockstore.Graph, side string) (rows *stream.CSR, strange int64, err error) {
	a := g.Adjacency
	if side == "right" {
		a = a.Transpose()
	}
	place, same := m.places(g)
	if same {
		return a, 0, nil
	}
	rows, err = stream.NewCSR(a.Rows, m.dimension(side), func(yield func(stream.Entry) bool) {
		strange = 0
		for entry := range a.Entries() {
			at := place[entry.Col]
			if at < 0 {
				strange++
			} else if !yield(stream.Entry{Row: entry.Row, Col: at, Value: entry.Value}) {
				return
			}
		}
	})
	return rows, strange, err
}

// places are the numbers that the model has for the nodes of a graph, -1 for those
// that it does not know. same says that they are the same nodes in the same order.
func (m *ksvdModel) places(g *blockstore.Graph) (place []int32, same bool) {
	names := m.meta.Data.Graph.Names
	if slices.Equal(g.IDs, m.ids) && slices.Equal(g.Names, names) {
		return nil, true
	}
	known := make(map[string]int32, len(names)+len(m.ids))
	for i, name := range names {
		known[name] = int32(i)
	}
	for i, id := range m.ids {
		known[fmt.Sprint(id)] = int32(i)
	}
	place = make([]int32, g.Adjacency.Rows)
	for i := range place {
		at, ok := known[g.Name(i)]
		if !ok {
			at = -1
		}
		place[i] = at
	}
	return place, false
}
