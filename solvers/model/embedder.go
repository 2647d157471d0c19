package model

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// Embedder answers a request for rows in memory, one or a few at a time. It belongs to one goroutine: others use a
// Clone.
type Embedder struct {
	workers func() Worker
	worker  Worker
	block   stream.Block // of one row
	out     blas64.General
}

// NewEmbedder returns an embedder. It returns an error if the model has no such output, or if its
// rows are those of a graph.
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

// Clone returns an embedder for another goroutine, which may be called at any time. The two share the model, and what
// was made of it once: a clone is cheap. It is what the New of a sync.Pool returns.
func (e *Embedder) Clone() *Embedder {
	row := matrix.New(1, e.Columns())
	return &Embedder{e.workers, e.workers(), stream.Block{X: row}, matrix.New(1, e.Width())}
}

// Columns returns the length of a row.
func (e *Embedder) Columns() int { return e.block.X.Cols }

// Width returns the number of outputs of a row.
func (e *Embedder) Width() int { return e.out.Cols }

// Embed puts the outputs of a row into dst, whose length is Width. It returns an error if the row has
// another length than Columns, or if a number is not finite. Cost: as Transform for one row.
// Nothing is allocated, but for at most five small objects by models of asymmetric kernels.
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

// EmbedBatch is Embed for rows that follow each other in one slice, as their outputs do in dst. It is faster than
// calls for single rows, by products of matrices. An error names the row, counted from 0.
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
