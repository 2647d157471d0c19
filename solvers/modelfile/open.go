package modelfile

import (
	"context"
	"errors"
	"fmt"

	"github.com/nystream/nystream/kernelgen"
	"github.com/nystream/nystream/solvers/askls"
	"github.com/nystream/nystream/solvers/ism"
	"github.com/nystream/nystream/solvers/ksvd"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/solvers/ridge"
	"github.com/nystream/nystream/solvers/rkhs"
	"github.com/nystream/nystream/solvers/transport"
	"github.com/nystream/nystream/stream"
	"github.com/nystream/nystream/stream/prepare"
)

// Model is a model of any family that takes raw rows: as they are in the files, not yet chosen,
// encoded or scaled. It is safe for concurrent use. TransformPlan is of rows that [Model.Prepare] returned.
type Model struct {
	// Transformer is the model itself, of the type of its family; it takes prepared rows.
	model.Transformer
	left, right prepare.Preparation
}

// Open reads a model of any family, with how its fit prepared rows. An error says what is wrong with
// a file that was damaged or changed, or that is no model.
func Open(path string, profiles ...kernelgen.Profile) (*Model, error) {
	a, err := Load(path)
	if err != nil {
		return nil, err
	}
	m, err := open(a, profiles)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

func open(a *model.Archive, profiles []kernelgen.Profile) (m *Model, err error) {
	m, a.Prepared = &Model{}, true
	switch a.Family() {
	case askls.Name:
		m.Transformer, err = askls.Load(a, profiles...)
	case ism.Name:
		m.Transformer, err = ism.Load(a, profiles...)
	case ksvd.Name:
		m.Transformer, err = ksvd.Load(a, profiles...)
	case ridge.Name:
		m.Transformer, err = ridge.Load(a, profiles...)
	case "rkhs":
		m.Transformer, err = rkhs.Load(a, profiles...)
	case transport.Name:
		m.Transformer, err = transport.Load(a, profiles...)
	default:
		m.Transformer, err = lowrank.Load(a, profiles...)
	}
	if err != nil {
		return nil, err
	}
	m.left = a.Preparation(model.Left, m.Transformer.Dimension(model.Left))
	m.right = a.Preparation(model.Right, m.Transformer.Dimension(model.Right))
	return m, a.Err()
}

// Preparation returns how rows of a side are prepared: the columns that they need, with the levels
// of those of words.
func (m *Model) Preparation(side model.Side) prepare.Preparation {
	if side == model.Right {
		return m.right
	}
	return m.left
}

// Dimension returns how many columns of numbers raw rows of a side have.
func (m *Model) Dimension(side model.Side) int {
	return m.Transformer.Dimension(side) - m.Preparation(side).Width()
}

// Prepare makes of raw rows what the model itself takes. Columns are found by name, in any order
// among others; those of words are kept columns of the source, see blockstore.Options.Categories.
// An error names a column that is missing or of another type.
func (m *Model) Prepare(ctx context.Context, e stream.Engine, side model.Side,
	rows stream.Source) (*prepare.Source, error) {
	return m.Preparation(side).Apply(ctx, e, rows)
}

// Rows returns what prepares single rows of a side.
func (m *Model) Rows(side model.Side) (*prepare.RowPreparer, error) {
	return m.Preparation(side).Rows(m.Dimension(side))
}

// Worker returns an error: workers take prepared rows.
func (m *Model) Worker(stream.Source, model.Request) (func() model.Worker, error) {
	return nil, errors.New("workers take prepared rows: use Transform, Embedder for single rows, or the Transformer of the model")
}

// Transform prepares raw rows, and gives what the model makes of them to emit, in order. Cost: one pass,
// and one more that counts rows if the fit dropped those with nulls.
func (m *Model) Transform(ctx context.Context, e stream.Engine, rows stream.Source, r model.Request,
	emit model.Emit) error {
	prepared, err := m.Prepare(ctx, e, r.Side, rows)
	if err != nil {
		return err
	}
	return m.Transformer.Transform(ctx, e, prepared, r, emit)
}
