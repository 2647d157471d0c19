package rkhs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

var _ model.Transformer = (*Model)(nil)

// Describe returns a summary of the model.
func (m *Model) Describe() *model.Description {
	kernel := m.Right.Space.Kernel.String()
	d := &model.Description{Method: Name, Subject: fmt.Sprintf("%s, %s", m.Operator, kernel), Kernel: kernel, Rows: cmp.Or(m.RowsY, m.Pairs), Cols: m.Pairs,
		Rank: m.Rank(), Values: m.Values, Seed: m.Seed, Columns: m.Dimension(model.Left), TwoSided: !m.Operator.Traits().Symmetric}
	fact := func(name string, value any) {
		d.Facts = append(d.Facts, model.Fact{Name: name, Value: fmt.Sprint(value)})
	}
	fact("task", m.Task)
	fact("engine", m.Algorithm)
	if t := m.Operator.Traits(); t.Inverts {
		fact("ridge", t.Ridge)
	}
	if m.Left.Space != m.Right.Space {
		fact("left kernel", m.Left.Space.Kernel)
	}
	if m.Lag > 0 {
		fact("lag", m.Lag)
	}
	if m.Imag != nil {
		fact("imaginary parts", fmt.Sprintf("%.4g", m.Imag))
	}
	fact("centred", m.Centered)
	return d
}

// functions returns the functions of a side.
func (m *Model) functions(side model.Side) *Functions {
	if side == model.Right {
		return m.Right
	}
	return m.Left
}

// Outputs returns the names of the functions of a side: left0, left1, …, or for complex ones left0_re, left1_re, …,
// followed by left0_im, ….
func (m *Model) Outputs(side model.Side, kind model.Output) ([]string, error) {
	if err := kind.RequireOneOf(model.Coordinates); err != nil {
		return nil, err
	}
	if side == model.Both {
		return nil, errors.New("functions are of the left rows of pairs or of the right ones: transform one side at a time")
	}
	parts := []string{""}
	if m.functions(side).Complex {
		parts = []string{"_re", "_im"}
	}
	var names []string
	for _, part := range parts {
		for i := range m.functions(side).Count() {
			names = append(names, side.String()+strconv.Itoa(i)+part)
		}
	}
	return names, nil
}

// Dimension returns the number of columns of the rows of a side.
func (m *Model) Dimension(side model.Side) int { return m.functions(side).Dimension() }

// TransformPlan returns the cost of Transform for rows.
func (m *Model) TransformPlan(e stream.Engine, rows stream.Source, r model.Request) *model.Plan {
	f, columns := m.functions(r.Side), len(rows.Info().Columns)
	p := model.NewPlan(e, rows.Info().Rows, columns)
	p.SourcePasses = 1
	p.Include(f.Space.TransformPlan(e, rows, model.Request{}))
	p.Add("coefficients", int64(len(f.Coefficients.Data)), "")
	p.Map("blocks of values", columns, f.Coefficients.Cols)
	return p
}

// Transform passes the values of the singular functions or eigenfunctions of a side at rows to emit, in order: see
// [model.Transform].
func (m *Model) Transform(ctx context.Context, e stream.Engine, rows stream.Source, r model.Request, emit model.Emit) error {
	return model.Transform(ctx, e, m, rows, r, emit)
}

// Worker makes workers of [Model.Transform].
func (m *Model) Worker(rows stream.Source, r model.Request) (func() model.Worker, error) {
	return m.functions(r.Side).worker(rows.Info())
}
