package model

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/stream"
)

// Embedder answers a request for one row at a time. It belongs to one goroutine: make one for each.
type Embedder struct {
	worker Worker
	block  stream.Block
	out    blas64.General
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
	return &Embedder{worker: worker(), block: stream.Block{X: row}, out: matrix.New(1, len(names))}, nil
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
