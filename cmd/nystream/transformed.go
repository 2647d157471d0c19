package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// transformed is a file of rows on its way.
type transformed struct {
	blockstore.Writer
	request model.Request
	rows    int64          // written so far
	kept    []stream.Field // columns that rows carry along
}

// carries returns the columns that the rows of a block carry along; nil if none are
// written.
func (w *transformed) carries() func(b *stream.Block, rows int) []stream.Column {
	if len(w.kept) == 0 {
		return nil
	}
	return func(b *stream.Block, _ int) []stream.Column { return b.Kept[:len(w.kept)] }
}

// coordinates are the words of --coordinates.
var coordinates = words("scores", "orthonormal")

// addCoordinates adds the flag.
func addCoordinates(cmd *cobra.Command, value *word) {
	addChoice(cmd, value, "coordinates", "scale of the columns of a low-rank model", coordinates, "U·√values", "U")
}

// requestOf returns a request for the coordinates of rows on a side: scores, where a model has them and
// orthonormal ones are not asked for. It fails if the flag is given for a model of another kind.
func requestOf(m model.Transformer, side model.Side, flag word, given bool) (model.Request, error) {
	_, err := m.Outputs(side, model.Scores)
	switch {
	case errors.Is(err, model.ErrNoOutput) && given:
		return model.Request{}, usagef("--coordinates is for low-rank models: leave it out with this one")
	case err == nil && flag == "scores":
		return model.Request{Side: side, Kinds: []model.Kind{model.Scores}}, nil
	}
	return model.Request{Side: side}, nil
}

// newTransformed begins a file for what a request makes of rows with so many, and for
// columns that they carry along.
func (a *app) newTransformed(path string, m model.Transformer, r model.Request, rows int64,
	kept []stream.Field) (*transformed, error) {
	names, err := r.Names(m)
	if err != nil {
		return nil, err
	}
	w, err := a.create(path, blockstore.Schema{Columns: names, Kept: kept, Rows: rows})
	if err != nil {
		return nil, err
	}
	return &transformed{Writer: w, request: r, kept: kept}, nil
}

// transform writes what a request makes of rows. kept gives the columns that they carry
// along, nil for none. Cost: one pass.
func (w *transformed) transform(ctx context.Context, e stream.Engine, m model.Transformer, rows stream.Source,
	kept func(b *stream.Block, rows int) []stream.Column) error {
	r := w.request
	names, err := r.Names(m)
	if err != nil {
		return err
	}
	r.Kept = kept != nil
	return m.Transform(ctx, e, rows, r, func(b *stream.Block, u blas64.General) error {
		if err := model.CheckOutputs(rows.Info(), names, u, b.Start); err != nil {
			return err
		}
		batch := &stream.Batch{X: u}
		if kept != nil {
			batch.Kept = kept(b, u.Rows)
		}
		w.rows += int64(u.Rows)
		return w.Write(batch, u.Rows)
	})
}

// put writes what was made of the rows of a block, with what they carry along.
func (w *transformed) put(b *stream.Block, u blas64.General) error {
	batch := &stream.Batch{X: u}
	if len(w.kept) > 0 {
		batch.Kept = b.Kept[:len(w.kept)]
	}
	return w.Write(batch, u.Rows)
}

// transformBoth writes what a request makes of rows on either side, in one pass.
func transformBoth(ctx context.Context, e stream.Engine, m model.Transformer, rows stream.Source, left, right *transformed) error {
	r := left.request
	names, err := r.Names(m)
	if err != nil {
		return err
	}
	first := len(names)
	r.Side, r.Kept = model.Both, len(left.kept)+len(right.kept) > 0
	both, err := r.Names(m)
	if err != nil {
		return err
	}
	return m.Transform(ctx, e, rows, r, func(b *stream.Block, uv blas64.General) error {
		if err := model.CheckOutputs(rows.Info(), both, uv, b.Start); err != nil {
			return err
		}
		u, v := uv, uv
		u.Cols, v.Cols = first, uv.Cols-first
		v.Data = v.Data[min(first, len(v.Data)):]
		return errors.Join(left.put(b, u), right.put(b, v))
	})
}

// writeMatrix writes a matrix that is in memory, uncommitted. Its rows are of the columns
// of the data, whose names stand behind them.
func (a *app) writeMatrix(ctx context.Context, path string, names []string, x blas64.General, columns []string) (*transformed, error) {
	kept, columns := a.columnNames(path, columns)
	w, err := a.create(path, blockstore.Schema{Columns: names, Kept: kept, Rows: int64(x.Rows)})
	if err != nil {
		return nil, err
	}
	out := &transformed{Writer: w, rows: int64(x.Rows)}
	if err := context.Cause(ctx); err != nil {
		return out, err
	}
	batch := &stream.Batch{X: x}
	if len(kept) > 0 {
		batch.Kept = []stream.Column{{Kind: stream.String, Strings: columns}}
	}
	return out, w.Write(batch, x.Rows)
}

func numbered(prefix string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("%s%d", prefix, i)
	}
	return names
}
