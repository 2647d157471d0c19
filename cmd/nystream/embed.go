package main

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore"
	contract "github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// embedding is a file of embedded rows on its way.
type embedding struct {
	blockstore.Writer
	rows int64 // written so far
}

// embedTo writes the embedding of the rows of src to path, columns u0, u1, …
// (v0, v1, … for the right side), and then the columns kept of src. The
// writer is returned for the caller to commit or abort; it is nil if it could
// not be made. Cost: one pass.
func (m *model) embedTo(ctx context.Context, e stream.Engine, path, side string, src stream.Source, kept []stream.Field) (*embedding, error) {
	info := src.Info()
	w, err := blockstore.Create(path, blockstore.Schema{Columns: factorNames(side, m.rank()), Kept: kept, Rows: info.Rows})
	if err != nil {
		return nil, err
	}
	out := &embedding{Writer: w}
	return out, m.embed(ctx, e, side, src, len(kept) > 0, func(b *stream.Block, u blas64.General) error {
		out.rows += int64(u.Rows)
		return w.Write(&stream.Batch{X: u, Kept: b.Kept}, u.Rows)
	})
}

// embed hands the embedding of the rows of src to emit, in order.
func (m *model) embed(ctx context.Context, e stream.Engine, side string, src stream.Source, kept bool, emit func(*stream.Block, blas64.General) error) error {
	of := contract.Left
	if side == "right" {
		of = contract.Right
	}
	return m.kernel.Transform(ctx, e, of, src, kept, emit)
}

// writeMatrix writes a matrix that is in memory.
func writeMatrix(ctx context.Context, path, prefix string, x blas64.General) (*embedding, error) {
	w, err := blockstore.Create(path, blockstore.Schema{Columns: numbered(prefix, x.Cols), Rows: int64(x.Rows)})
	if err != nil {
		return nil, err
	}
	out := &embedding{w, int64(x.Rows)}
	if err := context.Cause(ctx); err != nil {
		return out, err
	}
	return out, w.Write(&stream.Batch{X: x}, x.Rows)
}

func (m *model) rank() int {
	return m.kernel.Left.Rank()
}

func factorNames(side string, rank int) []string {
	if side == "right" {
		return numbered("v", rank)
	}
	return numbered("u", rank)
}

func numbered(prefix string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("%s%d", prefix, i)
	}
	return names
}
