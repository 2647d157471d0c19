package ism

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

var _ model.Transformer = (*Model)(nil)

// Outputs returns xw0, xw1, …: the columns of XW; and for a classifier the class or the decisions. The model is
// one-sided.
func (m *Model) Outputs(side model.Side, kind model.Output) ([]string, error) {
	if side != model.Left {
		return nil, fmt.Errorf("a model projects rows, and has no %v side", side)
	}
	if kind != model.Coordinates {
		return m.classOutputs(kind)
	}
	names := make([]string, m.Dim())
	for k := range names {
		names[k] = fmt.Sprintf("xw%d", k)
	}
	return names, nil
}

// Dimension returns the number of columns of a row.
func (m *Model) Dimension(model.Side) int { return m.W.Rows }

// TransformPlan returns the cost of Transform for rows.
func (m *Model) TransformPlan(e stream.Engine, rows stream.Source, _ model.Request) *model.Plan {
	p := model.NewPlan(e, rows.Info().Rows, m.W.Rows)
	p.SourcePasses = 1
	p.Map("blocks of XW", m.W.Rows, m.Dim())
	p.Add("model", int64(len(m.W.Data)), "")
	return p
}

// Transform passes XW of rows, their classes or decisions to emit: see [model.Transform]. Cost: one pass, 2·d·q flops a
// row.
func (m *Model) Transform(ctx context.Context, e stream.Engine, rows stream.Source, r model.Request, emit model.Emit) error {
	return model.Transform(ctx, e, m, rows, r, emit)
}

// Worker makes workers of [Model.Transform].
func (m *Model) Worker(rows stream.Source, r model.Request) (func() model.Worker, error) {
	if err := input.CheckColumns(rows.Info(), m.W.Rows); err != nil {
		return nil, err
	}
	if !r.Includes(model.Coordinates) {
		return func() model.Worker { return m.answer(r) }, nil
	}
	if len(r.Outputs) > 1 {
		return nil, errors.New("coordinates and classes are asked for one at a time")
	}
	return func() model.Worker {
		return func(dst blas64.General, b *stream.Block) error {
			m.Project(dst, b.X)
			return nil
		}
	}, nil
}

// Project stores x·W in dst: x is n×d, dst n×q. It panics if the shapes do not fit.
func (m *Model) Project(dst, x blas64.General) {
	if x.Cols != m.W.Rows || dst.Rows != x.Rows || dst.Cols != m.W.Cols {
		panic(fmt.Sprintf("ism: %d×%d rows projected by %d×%d into %d×%d", x.Rows, x.Cols, m.W.Rows, m.W.Cols, dst.Rows, dst.Cols))
	}
	if x.Rows > 0 {
		dense.GemmRows(noTrans, x, m.W, 0, dst)
	}
}
