package ridge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/solvers/internal/basis"
	"github.com/nystream/nystream/solvers/internal/tiles"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Name identifies models of this package in saved headers.
const Name = "ridge"

// Model predicts targets or decision values of classes: k(x, Landmarks)·Coefficients + Intercept.
type Model struct {
	Kernel       kernelgen.Kernel
	Metric       blas64.General // maps rows before the kernel: d×1 factors of columns, or d×d; no rows for none
	Landmarks    blas64.General // p×d, mapped by the metric
	Coefficients blas64.General // p×t
	Intercept    []float64      // t
	Names        []string       // of the targets; nil for classes
	Classes      int            // 0 for targets
	Lambda       float64        // the penalty
	Rows         int64          // of the fit
	Seed         uint64
	// Temperature turns decision values into probabilities, softmax(decisions/Temperature); 0 for targets.
	Temperature float64
	Intervals   *Intervals // nil for classes
	Posterior   *Posterior // for standard deviations; nil unless [Solver.Std] was set
}

var _ model.Transformer = (*Model)(nil)

// Describe returns a summary of the model.
func (m *Model) Describe() *model.Description {
	task := "regression"
	if m.Classes > 0 {
		task = "classification"
	}
	facts := []model.Fact{{Name: "task", Value: task}, {Name: "landmarks", Value: strconv.Itoa(m.Landmarks.Rows)},
		{Name: "penalty", Value: fmt.Sprintf("%.4g", m.Lambda)}}
	if m.Metric.Rows > 0 {
		facts = append(facts, model.Fact{Name: "metric", Value: m.form().String()})
	}
	return &model.Description{Method: Name, Subject: fmt.Sprintf("%s, %s", task, m.Kernel), Kernel: m.Kernel.String(),
		Rows: m.Rows, Cols: int64(m.Landmarks.Cols), Columns: m.Landmarks.Cols, Rank: len(m.Intercept), Seed: m.Seed, Facts: facts}
}

// form returns the form of a metric.
func (m *Model) form() Metric {
	if m.Metric.Cols == 1 {
		return DiagonalMetric
	}
	return FullMetric
}

// Outputs returns the names of the targets, of their bounds and deviations, or of the class, its decision values and
// probabilities. Coordinates are values or decision values.
func (m *Model) Outputs(side model.Side, kind model.Output) ([]string, error) {
	if side != model.Left {
		return nil, errors.New("a regression has one side")
	}
	if m.Classes == 0 {
		return m.outputsOfTargets(kind)
	}
	switch kind {
	case model.Class:
		return []string{"class"}, nil
	case model.Value, model.Lower, model.Upper, model.Deviation:
		return nil, errors.New("the model chooses classes: ask for classes, decisions or probabilities")
	case model.Probability:
		if m.Temperature == 0 {
			return nil, errors.New("the model knows no probabilities, as older builds made it: fit again")
		}
	case model.Coordinates:
		kind = model.Decision
	}
	names := make([]string, m.Classes)
	for c := range names {
		names[c] = kind.String() + strconv.Itoa(c)
	}
	return names, kind.RequireOneOf(model.Decision, model.Probability)
}

// outputsOfTargets returns the names of the outputs of a regression. It fails, with the reason, for those the model
// lacks.
func (m *Model) outputsOfTargets(kind model.Output) ([]string, error) {
	switch kind {
	case model.Class, model.Decision, model.Probability:
		return nil, errors.New("the model predicts numbers and chooses no classes: ask for values")
	case model.Coordinates, model.Value:
		return m.Names, nil
	case model.Deviation:
		if m.Posterior == nil {
			return nil, errors.New("the model knows no standard deviations: fit with `Std`")
		}
	default:
		if m.Intervals == nil {
			return nil, errors.New("the model knows no intervals: the notes of its fit say why, or an older build made it; fit again")
		}
	}
	names := make([]string, len(m.Names))
	for j, name := range m.Names {
		names[j] = name + "_" + kind.String()
	}
	return names, kind.RequireOneOf(model.Lower, model.Upper, model.Deviation)
}

// Dimension returns the number of columns of a row.
func (m *Model) Dimension(model.Side) int { return m.Landmarks.Cols }

// TransformPlan returns the cost of Transform for rows.
func (m *Model) TransformPlan(e stream.Engine, rows stream.Source, r model.Request) *model.Plan {
	d, p := m.Landmarks.Cols, int64(m.Landmarks.Rows)
	outputs, a := 2*len(m.Intercept), m.answers(r)
	if m.Classes == 0 {
		outputs = a.width + len(a.kinds)*len(m.Intercept)
	}
	plan := model.NewPlan(e, rows.Info().Rows, d)
	plan.Map("blocks of predictions", d, outputs)
	plan.Add("model", p*int64(2*d+3*len(m.Intercept))+int64(m.Metric.Rows*m.Metric.Cols), "")
	tiles := int64(1)
	if m.Posterior != nil {
		plan.Add("model of standard deviations", 2*p*p, "")
		tiles = 2
	}
	plan.Add("tiles", tiles*int64(e.Workers())*int64(a.panelRows())*p, "`Engine.Threads`")
	plan.AddEntries(float64(max(0, rows.Info().Rows)) * float64(p))
	plan.SourcePasses = 1
	return plan
}

// Transform predicts values with their bounds and deviations, or classes with their decision values
// and probabilities, in one pass: see [model.Transform]. Cost of a row: ℓ kernel entries, 2·ℓ·t flops,
// twice that for bounds, and 2·ℓ² flops for deviations.
func (m *Model) Transform(ctx context.Context, e stream.Engine, rows stream.Source, r model.Request, emit model.Emit) error {
	return model.Transform(ctx, e, m, rows, r, emit)
}

// Worker makes workers of [Model.Transform].
func (m *Model) Worker(rows stream.Source, r model.Request) (func() model.Worker, error) {
	info := rows.Info()
	if err := input.CheckColumns(info, m.Landmarks.Cols); err != nil {
		return nil, err
	}
	t, err := tiles.New(m.Kernel, false)
	if err != nil {
		return nil, err
	}
	answers := m.answers(r)
	if v := m.Intervals; answers.bounds && r.Level > v.Highest() {
		return nil, stream.NewDataError("", "`Request.Level %v` is above %.4g, the highest that %d out-of-fold residuals tell", r.Level, v.Highest(), v.Residuals)
	}
	features := (&basis.Map{Tiles: t, Landmarks: basis.NewPanel(m.Landmarks, nil, nil)}).Features(info.Name)
	return func() model.Worker {
		fill, byMetric := features.Worker(), rowMap(m.Metric)
		var entries, numbers, variances []float64 // grow to the largest panel so far
		return func(dst blas64.General, b *stream.Block) error {
			for first, x := range b.Panels(answers.panelRows()) {
				k, raw := matrix.Reuse(&entries, x.Rows, m.Landmarks.Rows), matrix.Reuse(&numbers, x.Rows, answers.width)
				x = byMetric(x)
				if err := fill(k, x, b.Start+int64(first)); err != nil {
					return err
				}
				answers.linear(raw, k)
				if answers.deviations {
					both := matrix.Reuse(&variances, 2, x.Rows)
					diagonal, relative := matrix.Row(both, 0), matrix.Row(both, 1)
					t.Diagonal(diagonal, x)
					m.Posterior.variances(relative, diagonal, k, m.Lambda)
					for i, v := range relative {
						matrix.Row(raw, i)[raw.Cols-1] = v
					}
				}
				answers.answer(matrix.Rows(dst, first, x.Rows), r, raw)
			}
			return nil
		}
	}, nil
}

// header is the file of a model: see [model.NewArchive].
type header struct {
	Method       string         `json:"method"`
	Kernel       string         `json:"kernel"`
	Names        []string       `json:"targets,omitempty"`
	Classes      int            `json:"classes,omitempty"`
	Lambda       float64        `json:"penalty"`
	Seed         uint64         `json:"seed"`
	Rows         int64          `json:"rows" min:"1"`
	Columns      int            `json:"columns" min:"1"`
	Temperature  float64        `json:"temperature,omitempty"`
	Metric       blas64.General `json:"-" array:"metric,columns,factors,optional"`
	Landmarks    blas64.General `json:"-" array:"landmarks,p,columns"`
	Coefficients blas64.General `json:"-" array:"coefficients,p,t"`
	Intercept    []float64      `json:"-" array:"intercept,t"`
	Intervals    *Intervals     `json:"intervals,omitempty" array:"interval_"`
	Posterior    *Posterior     `json:"posterior,omitempty" array:"posterior_"`
}

// Sizes returns the number of targets or classes.
func (h header) Sizes(a *model.Archive) map[string]int64 {
	if (h.Classes > 0) == (len(h.Names) > 0) || h.Classes == 1 || slices.Contains(h.Names, "") {
		a.Fail("header: %d classes and targets %q", h.Classes, h.Names)
	}
	return map[string]int64{"t": int64(max(h.Classes, len(h.Names)))}
}

// Save returns the model as an archive with the arrays landmarks (p×d), coefficients (p×t) and
// intercept (t), metric (d×1 or d×d) if there is one, and those of [Intervals] and [Posterior].
func (m *Model) Save() (*model.Archive, error) {
	return model.NewArchive(header{Method: Name, Kernel: m.Kernel.String(), Names: m.Names, Classes: m.Classes, Lambda: m.Lambda, Seed: m.Seed,
		Rows: m.Rows, Columns: m.Landmarks.Cols, Metric: m.Metric,
		Landmarks: m.Landmarks, Coefficients: m.Coefficients, Intercept: m.Intercept,
		Temperature: m.Temperature, Intervals: m.Intervals, Posterior: m.Posterior})
}

// Load returns a saved model. Custom kernels need their profiles. It checks the shape of every array.
func Load(a *model.Archive, profiles ...kernelgen.Profile) (*Model, error) {
	var h header
	if !a.Open(Name, &h) {
		return nil, a.Err()
	}
	m := &Model{Kernel: a.Kernel(h.Kernel, profiles...), Metric: h.Metric, Landmarks: h.Landmarks,
		Coefficients: h.Coefficients, Intercept: h.Intercept,
		Names: h.Names, Classes: h.Classes, Lambda: h.Lambda, Rows: h.Rows, Seed: h.Seed,
		Temperature: h.Temperature, Intervals: h.Intervals, Posterior: h.Posterior}
	m.check(a)
	return m, a.Err()
}

// check fails for numbers that no fit produces.
func (m *Model) check(a *model.Archive) {
	if m.Landmarks.Rows == 0 {
		a.Fail("array landmarks has no rows")
	}
	if c := m.Metric.Cols; m.Metric.Rows > 0 && c != 1 && c != m.Metric.Rows {
		a.Fail("array metric is %d×%d: it has a column, or as many as rows", m.Metric.Rows, c)
	}
	if m.Temperature < 0 {
		a.Fail("header: temperature is %v", m.Temperature)
	}
	if v := m.Intervals; v != nil && a.Err() == nil {
		for j, floor := range v.Floor {
			if q := matrix.Row(v.Quantiles, j); floor <= 0 || q[0] < 0 || !slices.IsSorted(q) {
				a.Fail("arrays interval_floor and interval_quantiles of target %d: a scale has to be above 0, and quantiles ascend from 0", j)
			}
		}
	}
	if v := m.Posterior; v != nil && a.Err() == nil {
		for i := range v.Means {
			if matrix.Row(v.Upper, i)[i] <= 0 || matrix.Row(v.Factor, i)[i] <= 0 {
				a.Fail("arrays posterior_upper and posterior_factor: number %d of a diagonal is not above 0", i)
			}
		}
		if !(v.Weight > 0 && m.Lambda > 0) || slices.ContainsFunc(v.Noise, func(v float64) bool { return v < 0 }) ||
			slices.ContainsFunc(v.Unit, func(v float64) bool { return v <= 0 }) {
			a.Fail("header: posterior of weight %v and penalty %v, with noise %v in units %v: none may be below 0", v.Weight,
				m.Lambda, v.Noise, v.Unit)
		}
	}
}
