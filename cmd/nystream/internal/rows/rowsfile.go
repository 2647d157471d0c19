package rows

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/solvers/input"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// ColumnNames returns the key column of a file of factors for the columns of a matrix: their names.
func ColumnNames(a *app.App, path string, names []string) ([]stream.Field, []string) {
	if NumbersOnly(a, path) {
		return nil, nil
	}
	return []stream.Field{{Name: "column", Kind: stream.String}}, names
}

// NumbersOnly reports whether a file can hold only a numeric matrix.
func NumbersOnly(a *app.App, path string) bool {
	format := FormatOf(a, path)
	return format == "npy" || format == "libsvm"
}

// CountsRows reports whether the number of rows must be known before the first is written to path: an NPY file starts
// with it, and a pipe cannot seek.
func CountsRows(a *app.App, path string) bool {
	return isOutputPipe(path) && FormatOf(a, path) == "npy"
}

// RowsFile is an uncommitted file of a model's outputs for rows.
type RowsFile struct {
	blockstore.Writer // nil to count rows only
	Request           model.Request
	// Kept returns the kept columns of the rows of a block; nil for none.
	Kept func(b *stream.Block, rows int) []stream.Column
	// Each returns the output for the rows of a block, without kept columns; nil to write the outputs of the model.
	Each func(b *stream.Block, made blas64.General) (*stream.Batch, error)
	Rows int64 // number so far
}

// coordinates has the words of --coordinates.
var coordinates = flags.Words("scores", "orthonormal")

// AddCoordinates adds the flag.
func AddCoordinates(s *flags.Set, value *flags.Word) {
	s.Add(flags.Flag{Name: "coordinates", Arg: "word", Usage: "coordinates of a low-rank embedding", Group: flags.Output, Effect: flags.Writes, Value: flags.Choice(value, coordinates, "U·√values", "U")})
}

// RequestOf returns a request for the coordinates of rows on a side: scores, if the model has them and orthonormal ones
// are not requested. It fails if the flag is set for a model of another kind.
func RequestOf(m model.Transformer, side model.Side, flag flags.Word, given bool) (model.Request, error) {
	_, err := m.Outputs(side, model.Scores)
	switch {
	case errors.Is(err, model.ErrNoOutput) && given:
		return model.Request{}, flags.Usagef("--coordinates is for low-rank models: leave it out with this one")
	case err == nil && flag == "scores":
		return model.Request{Side: side, Outputs: []model.Output{model.Scores}}, nil
	}
	return model.Request{Side: side}, nil
}

// NewRowsFile starts a file for the outputs of a request, with the first of the kept columns.
func NewRowsFile(a *app.App, path string, m model.Transformer, r model.Request, rows int64, kept []stream.Field) (*RowsFile, error) {
	names, err := r.Names(m)
	if err != nil {
		return nil, err
	}
	w := &RowsFile{Request: r}
	if len(kept) > 0 {
		w.Kept = func(b *stream.Block, _ int) []stream.Column { return b.Kept[:len(kept)] }
	}
	w.Writer, err = Create(a, path, blockstore.Schema{Columns: names, Kept: kept, Rows: rows})
	return w, err
}

// Fill writes the outputs of a model for rows. Cost: one pass.
func (w *RowsFile) Fill(ctx context.Context, e stream.Engine, m model.Transformer, rows stream.Source) error {
	r := w.Request
	r.Kept = r.Kept || w.Kept != nil
	names, err := r.Names(m)
	if err != nil {
		return err
	}
	return m.Transform(ctx, e, rows, r, func(b *stream.Block, made blas64.General) error {
		if err := input.CheckOutputs(rows.Info(), names, made, b.Start); err != nil {
			return err
		}
		batch := &stream.Batch{X: made}
		if w.Each != nil {
			if batch, err = w.Each(b, made); err != nil {
				return err
			}
		}
		w.Rows += int64(made.Rows)
		if w.Writer == nil {
			return nil
		}
		if w.Kept != nil {
			batch.Kept = append(batch.Kept, w.Kept(b, made.Rows)...)
		}
		return w.Write(batch, made.Rows)
	})
}

// WriteMatrix writes a matrix in memory, uncommitted. Each row belongs to a column of the data, whose name follows it.
func WriteMatrix(a *app.App, path string, names []string, x blas64.General, columns []string) (blockstore.Writer, error) {
	kept, columns := ColumnNames(a, path, columns)
	w, err := Create(a, path, blockstore.Schema{Columns: names, Kept: kept, Rows: int64(x.Rows)})
	if err != nil {
		return nil, err
	}
	batch := &stream.Batch{X: x}
	if len(kept) > 0 {
		batch.Kept = []stream.Column{{Kind: stream.String, Strings: columns}}
	}
	return w, w.Write(batch, x.Rows)
}

func Numbered(prefix string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("%s%d", prefix, i)
	}
	return names
}
