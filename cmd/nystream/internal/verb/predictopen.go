package verb

import (
	"context"
	"slices"
	"strconv"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/cmd/nystream/internal/saved"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// open opens the input, and locates the labels for comparison.
func (p *predictCommand) open(ctx context.Context, f *saved.File, m model.Transformer, paths []string) (rows *modelInput, err error) {
	graph, t := f.Data.Graph != nil, p.truth
	switch {
	case graph && p.data.Label != "" && p.labelsFile == "":
		return nil, flags.Usagef("--label names a column of --labels, which is missing: the model is of a graph")
	case !graph && p.labelsFile != "":
		return nil, flags.Usagef("--labels is for models of a graph; labels of rows are named by --label")
	case t != nil && graph:
		return p.openNodes(ctx, f, m, paths)
	case t != nil:
		if err := p.findLabels(ctx, f, paths); err != nil {
			return nil, err
		}
		p.live = p.live && t.label.File == "" // labels in a file must match the number of rows
	}
	rows, err = openModelInput(ctx, f, &p.application, m, model.Left, paths)
	if err != nil || t == nil {
		return rows, err
	}
	t.source = rows.source.Info().Name
	if t.label.File == "" {
		t.column = slices.IndexFunc(rows.fields, func(f stream.Field) bool { return f.Name == t.label.Columns[0] })
		return rows, nil
	}
	v, err := p.data.ReadAnnotationFile(ctx, p.app, t.label, rows.source.Info().Rows)
	if err == nil {
		t.rowClasses, err = t.classesOf(v)
	}
	if err != nil {
		rows.Close()
	}
	return rows, err
}

// findLabels makes sure that a label column of the data is located when the data are opened.
func (p *predictCommand) findLabels(ctx context.Context, f *saved.File, paths []string) error {
	t := p.truth
	if t.label.File != "" {
		if f.Prepare.Nulls == prepare.NullsDrop {
			return flags.Usagef("%s: the model drops rows with nulls, which cannot be found in another file; put the labels into a column of the data", t.label.Text())
		}
		// The labels are not a column of the data.
		p.data.Label = ""
		return nil
	}
	if len(t.label.Columns) != 1 {
		return flags.Usagef("%s: labels are in one column", t.label.Text())
	}
	alone := p.data
	p.data.OnOpen = func(d *rows.DataFlags, files *blockstore.Files) (err error) {
		columns, _ := files.Columns()
		if _, bad := strconv.Atoi(d.Label); bad == nil && files.IndexBase() != blockstore.IndexBaseAuto && !slices.ContainsFunc(paths, rows.IsInputPipe) {
			// A libsvm file numbers its label after its own features, not after those of the model.
			if columns, _, err = p.app.Session.Columns(ctx, paths, alone.OptionsOf(p.app, paths)); err != nil {
				return app.FromData(err)
			}
		}
		t.label, err = t.label.ByName(columns)
		d.Label = t.label.Columns[0]
		return err
	}
	return nil
}

// openNodes opens a graph, and reads the labels of its nodes.
func (p *predictCommand) openNodes(ctx context.Context, f *saved.File, m model.Transformer, paths []string) (*modelInput, error) {
	t := p.truth
	nodes, values, err := rows.ReadNodeLabels(ctx, p.app, p.labelsFile, p.data.Label, p.data.Layout)
	if err != nil {
		return nil, err
	}
	t.label, t.source, p.data.Label = values.Annotation, p.labelsFile, ""
	if p.graph.Nodes == "" { // as in the fit
		p.graph.Listed = nodes
	}
	labels, err := t.classesOf(values)
	if err != nil {
		return nil, err
	}
	opened, err := openModelInput(ctx, f, &p.application, m, model.Left, paths)
	if err != nil {
		return nil, err
	}
	var unknown string
	if t.rowClasses, unknown = rows.NodeLabels(opened.graph, nodes, labels); unknown != "" {
		p.app.Note("%s has labels of nodes that are not in %s, such as %s", p.labelsFile, p.graph.Nodes, unknown)
	}
	return opened, nil
}
