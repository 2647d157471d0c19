package main

import (
	"context"
	"errors"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/sketch"
	"github.com/nystream/nystream/solvers/family"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// toyModel is the means of columns.
type toyModel struct {
	Method string    `json:"method"` // "toy"
	Rows   int64     `json:"rows"`
	Means  []float64 `json:"-" array:"means,columns"`
}

// toyWork is what a fit does between its pass and its model.
var toyWork = func() {}

// planToy returns what fitToy costs.
func planToy(e stream.Engine, s model.Size) *model.Plan {
	p := model.NewPlan(e, s.Rows, s.Columns)
	p.Fold("sums", s.Rows, s.Columns, int64(s.Columns), "the number of `columns`")
	p.SourcePasses = 1
	p.Notes = []string{"means are quick: see `times`"}
	return p
}

// fitToy returns the means of the columns of rows, each multiplied by times.
func fitToy(ctx context.Context, e stream.Engine, rows stream.Source, times float64) (*toyModel, error) {
	d := len(rows.Info().Columns)
	sum, err := stream.Fold(ctx, e, "toy", rows, func() *sketch.Sum { return sketch.NewSum(1, d) }, func() func(*sketch.Sum, *stream.Block) error {
		return func(s *sketch.Sum, b *stream.Block) error {
			for i := range b.X.Rows {
				blas64.Axpy(1, blas64.Vector{N: d, Inc: 1, Data: b.X.Data[i*b.X.Stride:]}, blas64.Vector{N: d, Inc: 1, Data: s.Data})
			}
			return nil
		}
	})
	if err != nil {
		return nil, err
	}
	toyWork()
	m := &toyModel{Method: "toy", Rows: rows.Info().Rows}
	for _, v := range sum.Data[:d] {
		m.Means = append(m.Means, times*v/float64(m.Rows))
	}
	return m, nil
}

func loadToy(a *model.Archive, _ ...kernelgen.Profile) (*toyModel, error) {
	m := &toyModel{}
	a.Read(m)
	return m, a.Err()
}

func (m *toyModel) Describe() *model.Description {
	return &model.Description{Method: "toy", Subject: "means", Rows: m.Rows, Cols: int64(len(m.Means)), Rank: len(m.Means), Values: m.Means, Columns: len(m.Means)}
}

func (m *toyModel) Save() (*model.Archive, error) { return model.NewArchive(m) }

// Outputs returns the names of the offsets, which are the decisions too, or of the class: the
// column that is furthest above its mean.
func (m *toyModel) Outputs(side model.Side, kind model.Output) ([]string, error) {
	if side != model.Left {
		return nil, errors.New("means have one side")
	}
	if kind == model.Class {
		return []string{"class"}, nil
	}
	return rows.Numbered("off", len(m.Means)), kind.RequireOneOf(model.Coordinates, model.Decision)
}

func (m *toyModel) Dimension(model.Side) int { return len(m.Means) }

func (m *toyModel) TransformPlan(e stream.Engine, _ stream.Source, _ model.Request) *model.Plan {
	return model.NewPlan(e, -1, len(m.Means))
}

func (m *toyModel) Transform(ctx context.Context, e stream.Engine, rows stream.Source, r model.Request, emit model.Emit) error {
	return model.Transform(ctx, e, m, rows, r, emit)
}

func (m *toyModel) Worker(_ stream.Source, r model.Request) (func() model.Worker, error) {
	return func() model.Worker {
		return func(dst blas64.General, b *stream.Block) error {
			offsets := matrix.New(b.X.Rows, len(m.Means))
			for i := range b.X.Rows {
				for j, mean := range m.Means {
					offsets.Data[i*offsets.Stride+j] = b.X.Data[i*b.X.Stride+j] - mean
				}
			}
			family.Decisions{Classes: len(m.Means)}.Answer(dst, r, offsets)
			return nil
		}
	}, nil
}
