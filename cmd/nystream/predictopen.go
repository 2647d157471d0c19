package main

import (
	"context"
	"slices"

	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// open opens what is predicted, and finds the labels that predictions are compared with.
func (p *predictCommand) open(ctx context.Context, f *modelFile, m model.Transformer, paths []string) (rows *taken, err error) {
	graph, t := f.data.Graph != nil, p.truth
	switch {
	case graph && p.data.label != "" && p.labelsFile == "":
		return nil, flags.Usagef("--label names a column of --labels, which is missing: the model is of a graph")
	case !graph && p.labelsFile != "":
		return nil, flags.Usagef("--labels is for models of a graph; labels of rows are named by --label")
	case t != nil && graph:
		return p.openNodes(ctx, f, m, paths)
	case t != nil:
		if err := p.nameColumn(ctx, f, paths); err != nil {
			return nil, err
		}
	}
	rows, err = openTaken(ctx, f, &p.application, m, model.Left, paths)
	if err != nil || t == nil {
		return rows, err
	}
	t.source = rows.source.Info().Name
	if t.said.file == "" {
		t.place = slices.IndexFunc(rows.fields, func(f stream.Field) bool { return f.Name == t.said.columns[0] })
		return rows, nil
	}
	v, err := p.data.readAsideFile(ctx, p.app, t.said, rows.source.Info().Rows)
	if err == nil {
		t.read, err = t.of(v)
	}
	if err != nil {
		rows.close()
	}
	return rows, err
}

// nameColumn finds out which column of the data has the labels, if it is one of them.
func (p *predictCommand) nameColumn(ctx context.Context, f *modelFile, paths []string) error {
	t := p.truth
	if t.said.file != "" {
		if f.prepare.Nulls == prepare.NullsDrop {
			return flags.Usagef("%s: the model drops rows with nulls, which cannot be found in another file; put the labels into a column of the data", t.said.named())
		}
		p.data.label = ""
		return nil
	}
	if len(t.said.columns) != 1 {
		return flags.Usagef("%s: labels are in one column", t.said.named())
	}
	if !slices.Contains(paths, "-") {
		columns, _, err := p.app.session.Columns(ctx, paths, p.data.optionsOf(p.app, paths))
		if err == nil { // else opening tells why
			if t.said, err = t.said.inData(columns); err != nil {
				return err
			}
		}
	}
	p.data.label = t.said.columns[0]
	return nil
}

// openNodes opens a graph, and reads the labels of its nodes.
func (p *predictCommand) openNodes(ctx context.Context, f *modelFile, m model.Transformer, paths []string) (*taken, error) {
	t := p.truth
	nodes, values, err := readNodeLabels(ctx, p.app, p.labelsFile, p.data.label, p.data.Layout)
	if err != nil {
		return nil, err
	}
	t.said, t.source, p.data.label = values.aside, p.labelsFile, ""
	if p.graph.nodes == "" { // as for the fit
		p.graph.listed = nodes
	}
	labels, err := t.of(values)
	if err != nil {
		return nil, err
	}
	rows, err := openTaken(ctx, f, &p.application, m, model.Left, paths)
	if err != nil {
		return nil, err
	}
	var strange string
	if t.read, strange = nodeLabels(rows.graph, nodes, labels); strange != "" {
		p.app.note("%s has labels of nodes that are not in %s, such as %s", p.labelsFile, p.graph.nodes, strange)
	}
	return rows, nil
}
