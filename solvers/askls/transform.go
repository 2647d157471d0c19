package askls

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

var _ model.Calibrated = (*Model)(nil)

// Describe returns what the model says about itself.
func (m *Model) Describe() *model.Description {
	d := &model.Description{Method: Name, Subject: m.Kernel(), Kernel: m.Kernel(), Rows: m.Samples, Cols: m.Samples, Rank: m.Classes, Seed: m.Seed,
		Columns: m.Dimension(model.Left)}
	if m.Edges != nil {
		d.Subject = fmt.Sprintf("matrix between %d samples", m.Edges.Total)
	}
	fact := func(name string, value any) {
		d.Facts = append(d.Facts, model.Fact{Name: name, Value: fmt.Sprint(value)})
	}
	fact("C", m.C)
	fact("ridge", m.Ridge)
	fact("engine", m.Engine)
	fact("merge", m.Merge)
	return d
}

// Outputs returns the names of the decisions, one for each class. A machine has one
// side: it decides on samples.
func (m *Model) Outputs(side model.Side) ([]string, error) {
	if side != model.Left {
		return nil, errors.New("a classifier has one side")
	}
	names := make([]string, m.Classes)
	for c := range names {
		names[c] = "decision" + strconv.Itoa(c)
	}
	return names, nil
}

// Dimension returns how many columns the rows of samples have: of an explicit matrix,
// one for every sample of it.
func (m *Model) Dimension(model.Side) int {
	if m.Edges != nil {
		return int(m.Edges.Total)
	}
	return m.Functions.Dimension(model.Left)
}

// TransformPlan returns what a pass of Transform over rows will hold.
func (m *Model) TransformPlan(e stream.Engine, _ model.Side, rows stream.Source) *model.Plan {
	p := model.NewPlan(e, rows.Info().Rows, len(rows.Info().Columns))
	p.Passes = 1
	if m.Edges != nil {
		p.Add("model", 4*m.Edges.Total*int64(m.Classes), "")
	} else {
		p.Include(m.Functions.TransformPlan(e, model.Left, rows))
		p.Include(m.Functions.TransformPlan(e, model.Right, rows))
	}
	p.Map("blocks of decisions", len(rows.Info().Columns), 3*m.Classes)
	return p
}

// Transform gives the decisions on samples, a column for each class, to emit in order. Rows
// are those of [Model.Evaluate].
func (m *Model) Transform(ctx context.Context, e stream.Engine, side model.Side, rows stream.Source, kept bool, emit model.Emit) error {
	if _, err := m.Outputs(side); err != nil {
		return err
	}
	var buf []float64
	return m.Evaluate(ctx, e, rows, kept, func(b *stream.Block, both blas64.General) error {
		decisions := shaped(&buf, both.Rows, m.Classes)
		m.Decide(decisions, both)
		return emit(b, decisions)
	})
}

// Probabilities puts those of the classes into dst, for each row of decisions: that of each
// class against the rest by its log-odds, divided by their sum. It is an error unless
// functions are stacked.
func (m *Model) Probabilities(dst, decisions blas64.General) error {
	if m.Merge != MergeStack {
		return fmt.Errorf("functions that are merged by %v give no probabilities: fit with `merge stack`", m.Merge)
	}
	for i := range decisions.Rows {
		p, most := dense.Row(dst, i), math.Inf(-1)
		for c, odds := range dense.Row(decisions, i) {
			p[c] = -math.Log1p(math.Exp(-odds)) // in logarithms: all may underflow
			if odds < 0 {
				p[c] = odds - math.Log1p(math.Exp(odds))
			}
			most = max(most, p[c])
		}
		sum := 0.0
		for c, v := range p {
			p[c] = math.Exp(v - most)
			sum += p[c]
		}
		for c := range p {
			p[c] /= sum
		}
	}
	return nil
}
