package ridge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Name is what the header of a saved model of this package calls it.
const Name = "ridge"

// Model predicts targets, or decides among classes: k(x, Landmarks)·Coefficients + Intercept.
type Model struct {
	Kernel       kernelgen.Kernel
	Landmarks    blas64.General // p×d
	Coefficients blas64.General // p×t
	Intercept    []float64      // t
	Names        []string       // of the targets; nil for classes
	Classes      int            // 0 for targets
	Lambda       float64        // the penalty
	Rows         int64          // of the fit
	Seed         uint64
}

var _ model.Transformer = (*Model)(nil)

// Describe returns what the model says about itself.
func (m *Model) Describe() *model.Description {
	task := "regression"
	if m.Classes > 0 {
		task = "classification"
	}
	return &model.Description{Method: Name, Subject: fmt.Sprintf("%s, %s", task, m.Kernel), Kernel: m.Kernel.String(), Rows: m.Rows, Cols: int64(m.Landmarks.Cols),
		Rank: len(m.Intercept), Seed: m.Seed, Columns: m.Landmarks.Cols,
		Facts: []model.Fact{{Name: "task", Value: task}, {Name: "landmarks", Value: strconv.Itoa(m.Landmarks.Rows)},
			{Name: "penalty", Value: fmt.Sprintf("%.4g", m.Lambda)}}}
}

// Outputs returns the names of the targets, or of the class and its decision values. Coordinates
// are values or decision values.
func (m *Model) Outputs(side model.Side, kind model.Kind) ([]string, error) {
	if side != model.Left {
		return nil, errors.New("a regression has one side")
	}
	if m.Classes == 0 {
		if kind == model.Class || kind == model.Decision {
			return nil, errors.New("the model predicts numbers and chooses no classes: ask for values")
		}
		return m.Names, kind.Only(model.Coordinates, model.Value)
	}
	switch kind {
	case model.Class:
		return []string{"class"}, nil
	case model.Value:
		return nil, errors.New("the model chooses classes: ask for classes or decisions")
	}
	names := make([]string, m.Classes)
	for c := range names {
		names[c] = "decision" + strconv.Itoa(c)
	}
	return names, kind.Only(model.Coordinates, model.Decision)
}

// Dimension returns how many columns rows have.
func (m *Model) Dimension(model.Side) int { return m.Landmarks.Cols }

// TransformPlan returns what a pass of Transform over rows will hold.
func (m *Model) TransformPlan(e stream.Engine, rows stream.Source, _ model.Request) *model.Plan {
	d, p := m.Landmarks.Cols, int64(m.Landmarks.Rows)
	plan := model.NewPlan(e, rows.Info().Rows, d)
	plan.Map("blocks of predictions", d, 2*len(m.Intercept))
	plan.Add("model", p*int64(2*d+len(m.Intercept)), "")
	plan.Add("tiles", int64(e.Workers())*stream.PanelRows*p, "`threads`")
	plan.AddEntries(float64(max(0, rows.Info().Rows)) * float64(p))
	plan.SourcePasses = 1
	return plan
}

// Transform predicts values, decision values or classes of rows in one pass: see [model.Transform].
// Cost of a row: ℓ kernel entries, 2·ℓ·t flops.
func (m *Model) Transform(ctx context.Context, e stream.Engine, rows stream.Source, r model.Request, emit model.Emit) error {
	return model.Transform(ctx, e, m, rows, r, emit)
}

// Worker makes workers of [Model.Transform].
func (m *Model) Worker(rows stream.Source, r model.Request) (func() model.Worker, error) {
	if m.Classes == 0 && len(r.Kinds) > 1 {
		return nil, errors.New("values are asked for once")
	}
	info := rows.Info()
	if err := model.CheckColumns(info, m.Landmarks.Cols); err != nil {
		return nil, err
	}
	t, err := tiles.New(m.Kernel, false)
	if err != nil {
		return nil, err
	}
	features := (&basis.Map{Tiles: t, Landmarks: basis.NewPanel(m.Landmarks, nil, nil)}).Features(info.Name)
	return func() model.Worker {
		fill, room := features.Worker(), stream.NewMatrix(stream.PanelRows, m.Landmarks.Rows)
		decisions := stream.NewMatrix(stream.PanelRows, len(m.Intercept))
		return func(dst blas64.General, b *stream.Block) error {
			for first, x := range b.Panels(stream.PanelRows) {
				k, out := stream.RowSlice(room, 0, x.Rows), stream.RowSlice(dst, first, x.Rows)
				if err := fill(k, x, b.Start+int64(first)); err != nil {
					return err
				}
				if m.Classes == 0 {
					m.values(out, k)
					continue
				}
				values := stream.RowSlice(decisions, 0, x.Rows)
				m.values(values, k)
				model.Decisions{Classes: m.Classes}.Answer(out, r, values)
			}
			return nil
		}
	}, nil
}

// values puts k·Coefficients + Intercept into dst.
func (m *Model) values(dst, k blas64.General) {
	for i := range dst.Rows {
		copy(dense.Row(dst, i), m.Intercept)
	}
	dense.Gemm(blas.NoTrans, blas.NoTrans, 1, k, m.Coefficients, 1, dst)
}

// header is a saved model: see [model.NewArchive].
type header struct {
	Method       string         `json:"method"`
	Kernel       string         `json:"kernel"`
	Names        []string       `json:"targets,omitempty"`
	Classes      int            `json:"classes,omitempty"`
	Lambda       float64        `json:"penalty"`
	Seed         uint64         `json:"seed"`
	Rows         int64          `json:"rows" min:"1"`
	Columns      int            `json:"columns" min:"1"`
	Landmarks    blas64.General `json:"-" array:"landmarks,p,columns"`
	Coefficients blas64.General `json:"-" array:"coefficients,p,t"`
	Intercept    []float64      `json:"-" array:"intercept,t"`
}

// Sizes gives the number of targets or classes.
func (h header) Sizes(a *model.Archive) map[string]int64 {
	if (h.Classes > 0) == (len(h.Names) > 0) || h.Classes == 1 || slices.Contains(h.Names, "") {
		a.Fail("header: %d classes and targets %q", h.Classes, h.Names)
	}
	return map[string]int64{"t": int64(max(h.Classes, len(h.Names)))}
}

// Save returns the model as an archive with the arrays landmarks (p×d), coefficients (p×t) and
// intercept (t).
func (m *Model) Save() (*model.Archive, error) {
	return model.NewArchive(header{Method: Name, Kernel: m.Kernel.String(), Names: m.Names, Classes: m.Classes, Lambda: m.Lambda, Seed: m.Seed,
		Rows: m.Rows, Columns: m.Landmarks.Cols, Landmarks: m.Landmarks, Coefficients: m.Coefficients, Intercept: m.Intercept})
}

// Load returns the model that was saved; a kernel of one's own needs its profile. Every shape is
// checked.
func Load(a *model.Archive, profiles ...kernelgen.Profile) (*Model, error) {
	var h header
	if !a.Open(Name, &h) {
		return nil, a.Err()
	}
	m := &Model{Kernel: a.Kernel(h.Kernel, profiles...), Landmarks: h.Landmarks, Coefficients: h.Coefficients, Intercept: h.Intercept,
		Names: h.Names, Classes: h.Classes, Lambda: h.Lambda, Rows: h.Rows, Seed: h.Seed}
	if h.Landmarks.Rows == 0 {
		a.Fail("array landmarks has no rows")
	}
	return m, a.Err()
}
