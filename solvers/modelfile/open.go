package modelfile

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore/archive"
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
	"github.com/nystream/nystream/stream/sparse"
)

// Model is a model of any family that takes raw rows, as they are stored in files, before column selection, encoding
// and scaling. It is safe for concurrent use. Rows of a graph, [sparse.Rows], are passed through unchanged.
type Model struct {
	// Transformer is the model itself, of the type of its family. It takes prepared rows.
	model.Transformer
	left, right prepare.Preparation
}

// Open reads a model of any family, with the preparation of its rows. It fails if the file was damaged or changed, or
// is no model.
func Open(path string, profiles ...kernelgen.Profile) (*Model, error) {
	a, err := ReadArchive(path)
	if err != nil {
		return nil, err
	}
	m, err := open(a, profiles)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// Read is [Open] for a file that is not on disk, such as a bytes.Reader or an object of a store. size is its length in
// bytes.
func Read(r io.ReaderAt, size int64, profiles ...kernelgen.Profile) (*Model, error) {
	file, err := archive.ReadAt(r, size)
	if err != nil {
		return nil, err
	}
	a, err := archiveOf(file)
	if err != nil {
		return nil, err
	}
	return open(a, profiles)
}

// OpenFS is [Open] for a file of a file system. With an embed.FS, a program can carry its model. The whole file is read
// into memory.
func OpenFS(files fs.FS, name string, profiles ...kernelgen.Profile) (*Model, error) {
	data, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, err
	}
	m, err := Read(bytes.NewReader(data), int64(len(data)), profiles...)
	if err != nil {
		return nil, stream.NewDataError(name, "%w", err)
	}
	return m, nil
}

func open(a *model.Archive, profiles []kernelgen.Profile) (m *Model, err error) {
	m, a.TakesPrepared = &Model{}, true
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

// Preparation returns the preparation of the rows of a side: the required columns, with the levels of categorical ones.
func (m *Model) Preparation(side model.Side) prepare.Preparation {
	if side == model.Right {
		return m.right
	}
	return m.left
}

// Dimension returns the number of numeric columns of raw rows of a side.
func (m *Model) Dimension(side model.Side) int {
	return m.Transformer.Dimension(side) - m.Preparation(side).Width()
}

// Prepare turns raw rows into rows of the model. Columns are matched by name, in any order and among others;
// categorical ones are kept columns of the source, see blockstore.Options.Categories. Errors name the column that is
// missing or of another type.
func (m *Model) Prepare(ctx context.Context, e stream.Engine, side model.Side,
	rows stream.Source) (*prepare.Source, error) {
	return m.Preparation(side).Apply(ctx, e, rows)
}

// Rows returns a preparer for single rows of a side.
func (m *Model) Rows(side model.Side) (*prepare.RowPreparer, error) {
	return m.Preparation(side).Rows(m.Dimension(side))
}

// Worker makes workers for blocks of raw rows. The blocks must carry the kept columns if the fit has categorical ones:
// see stream.Engine.WithKept. A row that the fit would have dropped is an error.
func (m *Model) Worker(rows stream.Source, r model.Request) (func() model.Worker, error) {
	if isGraph(rows) {
		return m.Transformer.Worker(rows, r)
	}
	columns, preparers, err := m.Preparation(r.Side).Blocks(rows)
	if err != nil {
		return nil, err
	}
	workers, err := m.Transformer.Worker(namedSource{rows, columns}, r)
	if err != nil {
		return nil, err
	}
	return func() model.Worker {
		prepare, do := preparers(), workers()
		var room blas64.General // grows to the largest block so far
		var prepared stream.Block
		return func(dst blas64.General, b *stream.Block) error {
			if room.Rows < b.X.Rows {
				room = stream.NewMatrix(b.X.Rows, len(columns))
			}
			prepared = stream.Block{Index: b.Index, Start: b.Start, X: stream.RowSlice(room, 0, b.X.Rows)}
			if err := prepare(prepared.X, b); err != nil {
				return err
			}
			return do(dst, &prepared)
		}
	}, nil
}

// PreparesRows reports true: the workers handle nulls.
func (m *Model) PreparesRows() bool { return true }

// namedSource is a source with the column names of prepared rows, for workers.
type namedSource struct {
	stream.Source
	columns []string
}

// Info describes the prepared rows.
func (n namedSource) Info() stream.Info {
	info := n.Source.Info()
	info.Columns = n.columns
	return info
}

// isGraph reports whether rows are those of a graph, which need no preparation.
func isGraph(rows stream.Source) bool {
	_, is := rows.(*sparse.Rows)
	return is
}

// TransformPlan returns the cost of Transform for raw rows.
func (m *Model) TransformPlan(e stream.Engine, rows stream.Source, r model.Request) *model.Plan {
	if isGraph(rows) {
		return m.Transformer.TransformPlan(e, rows, r)
	}
	columns, _, err := m.Preparation(r.Side).Blocks(rows)
	if err != nil {
		columns = make([]string, m.Transformer.Dimension(r.Side)) // Transform reports errors of rows
	}
	p := m.Transformer.TransformPlan(e, namedSource{rows, columns}, r)
	p.Add("raw rows", int64(stream.BlockRows(len(columns)))*int64(len(rows.Info().Columns)), "")
	return p
}

// Transform prepares raw rows and passes the outputs of the model to emit, in order. Cost: one pass, and another that
// counts rows if the fit dropped those with nulls.
func (m *Model) Transform(ctx context.Context, e stream.Engine, rows stream.Source, r model.Request,
	emit model.Emit) error {
	if isGraph(rows) {
		return m.Transformer.Transform(ctx, e, rows, r, emit)
	}
	prepared, err := m.Prepare(ctx, e, r.Side, rows)
	if err != nil {
		return err
	}
	return m.Transformer.Transform(ctx, e, prepared, r, emit)
}
