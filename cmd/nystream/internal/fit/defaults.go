package fit

import (
	"context"
	"errors"
	"slices"

	"github.com/nystream/nystream/cmd/nystream/internal/chart"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/cmd/nystream/internal/saved"
	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream/prepare"
)

// Inputs returns the files named by annotations.
func (j *Job) Inputs() (paths []string) {
	for _, a := range append(annotationsOf(j, model.Left), annotationsOf(j, model.Right)...) {
		if a.File != "" {
			paths = append(paths, a.File)
		}
	}
	return paths
}

// setDefaults replaces nil functions by the defaults of the job.
func (t *Task) setDefaults(j *Job) {
	setDefault(&t.Parse, t.Parse == nil, func() error { return nil })
	setDefault(&t.Inputs, t.Inputs == nil, j.Inputs)
	setDefault(&t.Open, t.Open == nil, j.Open)
	setDefault(&t.OpenNotes, t.OpenNotes == nil, j.OpenNotes)
	setDefault(&t.Names, t.Names == nil, j.Names)
	setDefault(&t.Shape, t.Shape == nil, j.Size)
	setDefault(&t.Prepare, t.Prepare == nil, j.Prepare)
	setDefault(&t.RowsData, t.RowsData == nil, j.RowsData)
	setDefault(&t.Preparations, t.Preparations == nil, j.Preparations)
	setDefault(&t.Write, t.Write == nil, j.Write)
	setDefault(&t.Charts, t.Charts == nil, j.Charts)
	setDefault(&t.Marks, t.Marks == nil, j.Marks)
	setDefault(&t.Planned, t.Planned == nil, j.planned)
}

// setDefault sets a missing function.
func setDefault[F any](own *F, missing bool, other F) {
	if missing {
		*own = other
	}
}

// Defaults for the functions of a task.

func (j *Job) OpenNotes() []string {
	if j.Graph != nil {
		return rows.GraphNotes(j.Graph)
	}
	return j.Sides.ColumnNotes()
}

func nodeIDs(j *Job) []int64 {
	if j.Graph == nil {
		return nil
	}
	return j.Graph.IDs
}

func (j *Job) planned(r *PlanResult, _ *report.Report) {
	if j.KernelText != "" {
		r.Kernel = j.Kernel.String()
	}
}

func (j *Job) Open(ctx context.Context, args []string) error {
	if err := j.Sides.Open(ctx, j.App, &j.Data, args, &j.Data, j.RightFiles); err != nil {
		return err
	}
	return j.Sides.CheckColumns()
}

func (j *Job) Prepare(ctx context.Context) error {
	j.Rows.AllColumns = slices.Contains(j.task.Names(), "matrix")
	return j.Sides.Prepare(ctx, j.PassEngine(), &j.Rows)
}

func (j *Job) Names() []string {
	switch {
	case j.Edges.Path != "":
		return []string{saved.GraphInput}
	case j.Sides.Right != nil:
		return []string{"left", "right"}
	}
	return []string{"data"}
}

func (j *Job) Size() model.Size {
	s := model.Size{Rows: rows.RowsOf(j.Sides.Left, j.Sides.Prepared.Left), Columns: rows.ColumnsOf(j.Sides.Left, j.Sides.Prepared.Left)}
	if j.Sides.Right != nil {
		s.Cols = rows.RowsOf(j.Sides.Right, j.Sides.Prepared.Right)
	}
	return s
}

func (j *Job) RowsData() saved.Data {
	p := j.Sides.Prepared.Left.Preparation
	return saved.Data{Nulls: p.Nulls.String(), Columns: rows.KnownNames(j.Sides.Left, p),
		Categories: input.CategoriesOf(p), ColumnPositions: j.Sides.Left.Positions(p), IndexBase: j.Sides.IndexBase(), Dates: saved.DatesOf(j.Sides.Left)}
}

func (j *Job) Preparations() (left, right prepare.Preparation) {
	return j.Sides.Prepared.Left.Preparation, prepare.Preparation{}
}

// Write writes the factors, uncommitted, each in a pass over its source. Kept columns follow them, as with transform.
func (j *Job) Write(ctx context.Context, m model.Model) (writers []rows.PathWriter, err error) {
	t, ok := m.(model.Transformer)
	if !ok && (WritesFactors(j) || Writes(j, model.Class)) {
		return nil, errors.New("this model does not transform rows")
	}
	for _, f := range j.Factors {
		if f.Path == "" {
			continue
		}
		source := j.Sides.Prepared.Left
		if f.Side == model.Right && j.Sides.Prepared.Right != nil {
			source = j.Sides.Prepared.Right
		}
		r, err := j.request(t, f.Side)
		if err != nil {
			return writers, err
		}
		if f.kind != model.Coordinates {
			r.Outputs = []model.Output{f.kind}
		}
		w, err := rows.NewRowsFile(j.App, f.Path, t, r, source.Info().Rows, KeptFields(j, f.Path, source))
		if err != nil {
			return writers, err
		}
		writers = append(writers, rows.PathWriter{Output: w, Path: f.Path})
		if err := w.Fill(ctx, j.App.Engine(), t, source); err != nil {
			return writers, err
		}
	}
	return writers, nil
}

// Charts returns the spectrum of a model, and charts of the rows of each side in the first columns of the embedding.
func (j *Job) Charts(ctx context.Context, m model.Model, r *model.Report) (list []chart.Chart, err error) {
	d := m.Describe()
	list = chart.AddLandmarks(chart.AddSpectrum(list, d, r), r)
	t, ok := m.(model.Transformer)
	if !ok {
		return list, nil
	}
	for _, side := range drawnSides(j, d) {
		s, err := Sample(ctx, j, side)
		if err != nil {
			return nil, err
		}
		e, err := Embed(ctx, j, t, side, s)
		if err != nil {
			return nil, err
		}
		of := "Rows"
		if j.Sides.Right != nil {
			of = map[model.Side]string{model.Left: "Left rows", model.Right: "Right rows"}[side]
		}
		groups, shades := j.task.Marks(s, side)
		list = append(list, e.Panels(of, s.Words(), groups, shades)...)
	}
	return list, nil
}

// drawnSides returns the sides with charts of their rows.
func drawnSides(j *Job, d *model.Description) []model.Side {
	switch {
	case j.Sides.Prepared.Left == nil:
		return nil
	case j.Sides.Prepared.Right != nil && d.TwoSided:
		return []model.Side{model.Left, model.Right}
	}
	return []model.Side{model.Left}
}

// Marks returns the groups of --label, or shades if it has many distinct numbers.
func (j *Job) Marks(s *Sampled, _ model.Side) (*chart.Groups, *chart.Shades) {
	return chart.LabelMarks(j.Data.Label, s.label)
}
