package askls

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"

	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

var _ model.Transformer = (*Model)(nil)

// Describe returns a summary of the model.
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
	fact("engine", m.Algorithm)
	fact("merge", m.Merge)
	return d
}

// Outputs returns the names of the decisions, which are also the coordinates, of the class or of the probabilities.
// Only stacked functions have probabilities.
func (m *Model) Outputs(side model.Side, kind model.Output) ([]string, error) {
	if side != model.Left {
		return nil, errors.New("a classifier has one side")
	}
	switch {
	case kind == model.Class:
		return []string{"class"}, nil
	case kind == model.Probability && m.Merge != MergeStack:
		return nil, fmt.Errorf("functions that are merged by %v give no probabilities: fit with `Merge stack`", m.Merge)
	case kind == model.Coordinates:
		kind = model.Decision
	}
	names := make([]string, m.Classes)
	for c := range names {
		names[c] = kind.String() + strconv.Itoa(c)
	}
	return names, kind.RequireOneOf(model.Decision, model.Probability)
}

// Dimension returns the number of columns of a sample; for an explicit matrix, the number of its samples.
func (m *Model) Dimension(model.Side) int {
	if m.Edges != nil {
		return int(m.Edges.Total)
	}
	return m.Functions.Dimension(model.Left)
}

// TransformPlan returns the cost of Transform for rows.
func (m *Model) TransformPlan(e stream.Engine, rows stream.Source, _ model.Request) *model.Plan {
	p := model.NewPlan(e, rows.Info().Rows, len(rows.Info().Columns))
	p.SourcePasses = 1
	if m.Edges != nil {
		p.Add("model", 4*m.Edges.Total*int64(m.Classes), "")
	} else {
		p.Include(m.Functions.TransformPlan(e, rows, model.Request{Side: model.Left}))
		p.Include(m.Functions.TransformPlan(e, rows, model.Request{Side: model.Right}))
	}
	p.Map("blocks of decisions", len(rows.Info().Columns), 3*m.Classes)
	return p
}

// Transform passes decisions on samples, their classes or probabilities to emit in order. Rows are those of
// [Model.Evaluate].
func (m *Model) Transform(ctx context.Context, e stream.Engine, rows stream.Source, r model.Request, emit model.Emit) error {
	return model.Transform(ctx, e, m, rows, r, emit)
}

// Worker makes workers of [Model.Transform].
func (m *Model) Worker(rows stream.Source, r model.Request) (func() model.Worker, error) {
	functions, err := m.functionWorker(rows)
	if err != nil {
		return nil, err
	}
	answers := family.Decisions{Classes: m.Classes, Probabilities: probabilities}
	return func() model.Worker {
		do := functions()
		var values, merged []float64
		return func(dst blas64.General, b *stream.Block) error {
			both, decisions := matrix.Reuse(&values, dst.Rows, 2*m.Classes), matrix.Reuse(&merged, dst.Rows, m.Classes)
			if err := do(both, b); err != nil {
				return err
			}
			m.Decide(decisions, both)
			answers.Answer(dst, r, decisions)
			return nil
		}
	}, nil
}

// probabilities writes class probabilities to dst, one row for each row of decisions. They are those of each class
// against the rest, by its log-odds, normalised to sum to 1.
func probabilities(dst, decisions blas64.General) {
	for i := range decisions.Rows {
		p, most := matrix.Row(dst, i), math.Inf(-1)
		for c, odds := range matrix.Row(decisions, i) {
			p[c] = -math.Log1p(math.Exp(-odds)) // logarithms, because all may underflow
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
}
