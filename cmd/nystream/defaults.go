package main

import (
	"context"
	"errors"
	"slices"

	"github.com/nystream/nystream/cmd/nystream/internal/chart"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream/prepare"
)

// inputs returns the files of asides.
func (j *job) inputs() (paths []string) {
	for _, a := range append(saidOf(j, model.Left), saidOf(j, model.Right)...) {
		if a.file != "" {
			paths = append(paths, a.file)
		}
	}
	return paths
}

// complete gives the functions that are nil those of the job.
func (t *fitTask) complete(j *job) {
	or(&t.parse, t.parse == nil, func() error { return nil })
	or(&t.inputs, t.inputs == nil, j.inputs)
	or(&t.open, t.open == nil, j.open)
	or(&t.openNotes, t.openNotes == nil, j.openNotes)
	or(&t.names, t.names == nil, j.names)
	or(&t.shape, t.shape == nil, j.shape)
	or(&t.prepare, t.prepare == nil, j.prepare)
	or(&t.rowsData, t.rowsData == nil, j.rowsData)
	or(&t.preparations, t.preparations == nil, j.preparations)
	or(&t.write, t.write == nil, j.write)
	or(&t.charts, t.charts == nil, j.charts)
	or(&t.marks, t.marks == nil, j.marks)
	or(&t.planned, t.planned == nil, j.planned)
}

// or sets a function that is missing to another one.
func or[F any](own *F, missing bool, other F) {
	if missing {
		*own = other
	}
}

// What a job does where its task does nothing of its own.

func (j *job) openNotes() []string {
	if j.graph != nil {
		return graphNotes(j.graph)
	}
	return j.sides.columnNotes()
}

func nodeIDs(j *job) []int64 {
	if j.graph == nil {
		return nil
	}
	return j.graph.IDs
}

func (j *job) planned(r *planResult, _ *report.Report) {
	if j.kernelText != "" {
		r.Kernel = j.kernel.String()
	}
}

func (j *job) open(ctx context.Context, args []string) error {
	if err := j.sides.open(ctx, j.app, &j.data, args, &j.data, j.rightFiles); err != nil {
		return err
	}
	return j.sides.checkColumns()
}

func (j *job) prepare(ctx context.Context) error {
	j.rows.AllColumns = slices.Contains(j.task.names(), "matrix")
	return j.sides.prepare(ctx, j.passEngine(), &j.rows)
}

func (j *job) names() []string {
	switch {
	case j.edges.path != "":
		return []string{graphInput}
	case j.sides.right != nil:
		return []string{"left", "right"}
	}
	return []string{"data"}
}

func (j *job) shape() model.Shape {
	s := model.Shape{Rows: rowsOf(j.sides.left, j.sides.prepared.left), Columns: columnsOf(j.sides.left, j.sides.prepared.left)}
	if j.sides.right != nil {
		s.Cols = rowsOf(j.sides.right, j.sides.prepared.right)
	}
	return s
}

func (j *job) rowsData() rowsData {
	p := j.sides.prepared.left.Preparation
	return rowsData{Nulls: p.Nulls.String(), Columns: knownNames(j.sides.left, p),
		Categories: model.CategoriesOf(p), columnPositions: j.sides.left.positions(p), IndexBase: j.sides.indexBase()}
}

func (j *job) preparations() (left, right prepare.Preparation) {
	return j.sides.prepared.left.Preparation, prepare.Preparation{}
}

// write writes the factors, uncommitted, each in a pass over its source. The columns that rows
// carry along stand behind them, as transform has them.
func (j *job) write(ctx context.Context, m model.Model) (writers []pathWriter, err error) {
	t, ok := m.(model.Transformer)
	if !ok && (writesFactors(j) || writes(j, model.Class)) {
		return nil, errors.New("this model turns no rows into others")
	}
	for _, f := range j.factors {
		if f.path == "" {
			continue
		}
		rows := j.sides.prepared.left
		if f.side == model.Right && j.sides.prepared.right != nil {
			rows = j.sides.prepared.right
		}
		r, err := j.request(t, f.side)
		if err != nil {
			return writers, err
		}
		if f.kind != model.Coordinates {
			r.Kinds = []model.Kind{f.kind}
		}
		w, err := newRowsFile(j.app, f.path, t, r, rows.Info().Rows, carried(j, f.path, rows))
		if err != nil {
			return writers, err
		}
		writers = append(writers, pathWriter{w, f.path})
		if err := w.fill(ctx, j.app.engine(), t, rows); err != nil {
			return writers, err
		}
	}
	return writers, nil
}

// charts returns the spectrum of a model, and rows of each side in the first columns of the embedding.
func (j *job) charts(ctx context.Context, m model.Model, r *model.Report) (list []chart.Chart, err error) {
	d := m.Describe()
	list = addSpectrum(list, d, r)
	t, ok := m.(model.Transformer)
	if !ok {
		return list, nil
	}
	for _, side := range drawnSides(j, d) {
		s, err := sample(ctx, j, side)
		if err != nil {
			return nil, err
		}
		e, err := embedding(ctx, j, t, side, s)
		if err != nil {
			return nil, err
		}
		of := "Rows"
		if j.sides.right != nil {
			of = map[model.Side]string{model.Left: "Left rows", model.Right: "Right rows"}[side]
		}
		groups, shades := j.task.marks(s, side)
		list = append(list, e.panels(of, s.words(), groups, shades)...)
	}
	return list, nil
}

// drawnSides returns the sides whose rows are drawn.
func drawnSides(j *job, d *model.Description) []model.Side {
	switch {
	case j.sides.prepared.left == nil:
		return nil
	case j.sides.prepared.right != nil && d.TwoSided:
		return []model.Side{model.Left, model.Right}
	}
	return []model.Side{model.Left}
}

// marks returns the groups of --label, or shades if it has many distinct numbers.
func (j *job) marks(s *sampled, _ model.Side) (*chart.Groups, *chart.Shades) {
	return labelMarks(j.data.label, s.label)
}
