package model

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// Embedder computes the outputs of a [Request] for rows in memory, one or a few at a time. It must not be used
// concurrently: see [Embedder.Clone].
type Embedder struct {
	workers func() Worker
	worker  Worker
	block   stream.Block // a single row
	out     blas64.General
}

// NewEmbedder returns an embedder for m. It fails if the model lacks a requested output, or if its rows are those of a
// graph.
func NewEmbedder(m Transformer, r Request) (*Embedder, error) {
	names, err := r.Names(m)
	if err != nil {
		return nil, err
	}
	row := matrix.New(1, m.Dimension(r.Side))
	worker, err := checkedWorker(m, stream.FromMatrix("row", row), r)
	if err != nil {
		return nil, err
	}
	return &Embedder{worker, worker(), stream.Block{X: row}, matrix.New(1, len(names))}, nil
}

// Clone returns an embedder for another goroutine. It may be called at any time. Clones share the model and all
// precomputed data, so they are cheap: a sync.Pool may make them with Clone as its New.
func (e *Embedder) Clone() *Embedder {
	row := matrix.New(1, e.Columns())
	return &Embedder{e.workers, e.workers(), stream.Block{X: row}, matrix.New(1, e.Width())}
}

// Columns returns the number of columns of a row.
func (e *Embedder) Columns() int { return e.block.X.Cols }

// Width returns the number of outputs of a row.
func (e *Embedder) Width() int { return e.out.Cols }

// Embed writes the outputs of a row to dst, whose length must be Width. It fails if the row does not have Columns
// entries or one is not finite. Cost: as Transform for one row. It does not allocate, except for at most five small
// objects with asymmetric kernels.
func (e *Embedder) Embed(dst, row []float64) error {
	if len(row) != e.Columns() || len(dst) != e.Width() {
		return fmt.Errorf("a row of %d numbers for %d outputs; the model takes %d and gives %d", len(row), len(dst),
			e.Columns(), e.Width())
	}
	if len(dst) == 0 {
		return nil
	}
	copy(e.block.X.Data, row)
	if err := e.worker(e.out, &e.block); err != nil {
		return err
	}
	copy(dst, e.out.Data)
	return nil
}

// EmbedBatch embeds several rows, stored one after the other in rows, as are their outputs in dst. It is faster than
// single calls because it multiplies matrices. Errors name the row, counted from 0.
func (e *Embedder) EmbedBatch(dst, rows []float64) error {
	n := len(rows) / max(1, e.Columns())
	if len(rows) != n*e.Columns() || len(dst) != n*e.Width() {
		return fmt.Errorf("%d numbers for %d outputs; the model takes %d a row and gives %d", len(rows), len(dst), e.Columns(),
			e.Width())
	}
	if len(dst) == 0 {
		return nil
	}
	return e.worker(matrix.Of(dst, n, e.Width()), &stream.Block{X: matrix.Of(rows, n, e.Columns())})
}
