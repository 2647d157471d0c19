package ksvd

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/internal/linalg/dense"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// Embedder makes what a worker of a pass has to do: a function that puts u or v of the
// rows of a block into as many rows of dst. It belongs to one goroutine.
type Embedder func() func(dst blas64.General, b *stream.Block) error

// Embedder prepares a side of the model for a pass over new rows, for those who make
// more of a block than [Model.Transform] does.
func (m *Model) Embedder(side model.Side, rows stream.Source) (Embedder, error) {
	from := sourceOf(rows)
	var parts []Embedder
	for _, side := range sides(side) {
		if err := m.takes(m.side(side), from); err != nil {
			return nil, err
		}
		part, err := m.embedder(m.side(side), from, nil)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	return m.nextToEachOther(parts), nil
}

// nextToEachOther makes the columns of several embedders.
func (m *Model) nextToEachOther(parts []Embedder) Embedder {
	r := m.Rank()
	return func() func(blas64.General, *stream.Block) error {
		var do []func(blas64.General, *stream.Block) error
		for _, part := range parts {
			do = append(do, part())
		}
		return func(dst blas64.General, b *stream.Block) error {
			for i, f := range do {
				if err := f(dense.Columns(dst, i*r, r), b); err != nil {
					return err
				}
			}
			return nil
		}
	}
}

// takes returns what is wrong with rows for a side.
func (m *Model) takes(side *Side, rows source) error {
	if d := rows.dimension(); d != side.dimension() {
		return fmt.Errorf("%s has %d columns, and the model was fitted on %d", rows.name(), d, side.dimension())
	}
	if sparse := side.Landmarks.Sparse != nil; sparse != (rows.sparse != nil) {
		return fmt.Errorf("%s: a model of a graph takes the rows of a sparse matrix, and a model of dense rows dense ones", rows.name())
	}
	return nil
}

func (m *Model) embedder(side *Side, rows source, stats *statistics) (Embedder, error) {
	t, err := m.entries()
	if err != nil {
		return nil, err
	}
	p := side.prepare(t, m.total(side), stats, rows.name())
	return func() func(blas64.General, *stream.Block) error {
		w := p.embedder()
		return func(dst blas64.General, b *stream.Block) error {
			if rows.sparse == nil && side.Map.Rows == 0 { // else the kernel sees other rows
				if err := t.checkKernel(rows.name(), b.X, b.Start); err != nil {
					return err
				}
			}
			return w.block(dst, rows, b)
		}
	}, nil
}

// FittedEmbedder returns the embedder of the fitted rows of a side, with the sums and means
// of the fit, and these rows.
func (f *Fit) FittedEmbedder(side model.Side) (Embedder, stream.Source, error) {
	rows, inner, without := f.data.left, *f.Model, *f.side(side)
	without.Map = blas64.General{} // the rows of the data have been multiplied
	if side == model.Left {
		inner.Left = &without
	} else {
		rows, inner.Right = f.data.right, &without
	}
	worker, err := inner.embedder(&without, rows, f.stats)
	return worker, rows.Source, err
}
