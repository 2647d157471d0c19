package main

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// columnNames returns what a file of factors of the columns of a matrix carries along: their
// names.
func columnNames(a *app, path string, names []string) ([]stream.Field, []string) {
	if numbersOnly(a, path) {
		return nil, nil
	}
	return []stream.Field{{Name: "column", Kind: stream.String}}, names
}

// numbersOnly reports whether a file has no place for columns of any kind beside a matrix.
func numbersOnly(a *app, path string) bool {
	format := formatOf(a, path)
	return format == "npy" || format == "libsvm"
}

// rowsFile is a file of what a model makes of rows, on its way.
type rowsFile struct {
	blockstore.Writer // nil to count rows only
	request           model.Request
	// kept returns the columns that the rows of a block carry along; nil for none.
	kept func(b *stream.Block, rows int) []stream.Column
	// each returns what is written of the rows of a block, without what they carry along; nil to
	// write what the model makes.
	each func(b *stream.Block, made blas64.General) (*stream.Batch, error)
	rows int64 // so far
}

// coordinates are the words of --coordinates.
var coordinates = flags.Words("scores", "orthonormal")

// addCoordinates adds the flag.
func addCoordinates(s *flags.Set, value *flags.Word) {
	s.Add(flags.Flag{Name: "coordinates", Arg: "word", Usage: "columns of a low-rank model", Group: flags.Output, Effect: flags.Writes, Value: flags.Choice(value, coordinates, "U·√values", "U")})
}

// requestOf returns a request for the coordinates of rows on a side: scores, where a model has them and
// orthonormal ones are not asked for. It fails if the flag is given for a model of another kind.
func requestOf(m model.Transformer, side model.Side, flag flags.Word, given bool) (model.Request, error) {
	_, err := m.Outputs(side, model.Scores)
	switch {
	case errors.Is(err, model.ErrNoOutput) && given:
		return model.Request{}, flags.Usagef("--coordinates is for low-rank models: leave it out with this one")
	case err == nil && flag == "scores":
		return model.Request{Side: side, Kinds: []model.Kind{model.Scores}}, nil
	}
	return model.Request{Side: side}, nil
}

// newRowsFile begins a file for what a request makes of rows, and for the first columns that they
// carry along.
func newRowsFile(a *app, path string, m model.Transformer, r model.Request, rows int64, kept []stream.Field) (*rowsFile, error) {
	names, err := r.Names(m)
	if err != nil {
		return nil, err
	}
	w := &rowsFile{request: r}
	if len(kept) > 0 {
		w.kept = func(b *stream.Block, _ int) []stream.Column { return b.Kept[:len(kept)] }
	}
	w.Writer, err = create(a, path, blockstore.Schema{Columns: names, Kept: kept, Rows: rows})
	return w, err
}

// fill writes what a model makes of rows. Cost: one pass.
func (w *rowsFile) fill(ctx context.Context, e stream.Engine, m model.Transformer, rows stream.Source) error {
	r := w.request
	r.Kept = r.Kept || w.kept != nil
	names, err := r.Names(m)
	if err != nil {
		return err
	}
	return m.Transform(ctx, e, rows, r, func(b *stream.Block, made blas64.General) error {
		if err := model.CheckOutputs(rows.Info(), names, made, b.Start); err != nil {
			return err
		}
		batch := &stream.Batch{X: made}
		if w.each != nil {
			if batch, err = w.each(b, made); err != nil {
				return err
			}
		}
		w.rows += int64(made.Rows)
		if w.Writer == nil {
			return nil
		}
		if w.kept != nil {
			batch.Kept = append(batch.Kept, w.kept(b, made.Rows)...)
		}
		return w.Write(batch, made.Rows)
	})
}

// writeMatrix writes a matrix that is in memory, uncommitted. Its rows are of the columns
// of the data, whose names stand behind them.
func writeMatrix(a *app, path string, names []string, x blas64.General, columns []string) (blockstore.Writer, error) {
	kept, columns := columnNames(a, path, columns)
	w, err := create(a, path, blockstore.Schema{Columns: names, Kept: kept, Rows: int64(x.Rows)})
	if err != nil {
		return nil, err
	}
	batch := &stream.Batch{X: x}
	if len(kept) > 0 {
		batch.Kept = []stream.Column{{Kind: stream.String, Strings: columns}}
	}
	return w, w.Write(batch, x.Rows)
}

func numbered(prefix string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("%s%d", prefix, i)
	}
	return names
}
