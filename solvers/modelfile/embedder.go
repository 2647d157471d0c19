package modelfile

import (
	"fmt"

	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream/prepare"
)

// Embedder computes the outputs of a request for raw rows in memory, one or a few at a time. It must not be used
// concurrently: see [Embedder.Clone].
type Embedder struct {
	rows  *prepare.RowPreparer
	model *model.Embedder
	row   []float64 // prepared
	batch []float64 // prepared rows
}

// Embedder returns an embedder for a request, such as the class or the predicted value of a row. It fails if the model
// lacks a requested output, or if its rows are those of a graph.
func (m *Model) Embedder(r model.Request) (*Embedder, error) {
	e, err := model.NewEmbedder(m.Transformer, r)
	if err != nil {
		return nil, err
	}
	rows, err := m.Rows(r.Side)
	if err != nil {
		return nil, err
	}
	return &Embedder{rows: rows, model: e, row: make([]float64, rows.Width())}, nil
}

// Clone returns an embedder for another goroutine: see [model.Embedder.Clone].
func (e *Embedder) Clone() *Embedder {
	return &Embedder{rows: e.rows, model: e.model.Clone(), row: make([]float64, len(e.row))}
}

// Width returns the number of outputs of a row.
func (e *Embedder) Width() int { return e.model.Width() }

// Embed writes the outputs of a raw row to dst, whose length must be Width. Numbers and words are in the order of
// [Model.Preparation]; NaN and "" are nulls. It fails if the fit refused such a row. Cost: as [model.Embedder.Embed].
func (e *Embedder) Embed(dst, row []float64, words ...string) error {
	if err := e.rows.Prepare(e.row, row, words...); err != nil {
		return err
	}
	return e.model.Embed(dst, e.row)
}

// EmbedBatch embeds several rows: all their numbers are in rows, their outputs in dst and their words in words, row
// after row. It is faster than single calls. Errors name the row, counted from 0.
func (e *Embedder) EmbedBatch(dst, rows []float64, words ...string) error {
	if e.Width() == 0 {
		return nil
	}
	n, numbers, each := len(dst)/e.Width(), e.rows.Numbers(), e.rows.Words()
	if len(dst) != n*e.Width() || len(rows) != n*numbers || len(words) != n*each {
		return fmt.Errorf("%d numbers and %d words for %d outputs; a row has %d and %d, and gives %d", len(rows), len(words),
			len(dst), numbers, each, e.Width())
	}
	if w := len(e.row); len(e.batch) < n*w {
		e.batch = make([]float64, n*w)
	}
	for i := range n {
		to := e.batch[i*len(e.row) : (i+1)*len(e.row)]
		if err := e.rows.Prepare(to, rows[i*numbers:(i+1)*numbers], words[i*each:(i+1)*each]...); err != nil {
			return fmt.Errorf("row %d (counted from 0): %w", i, err)
		}
	}
	return e.model.EmbedBatch(dst, e.batch[:n*len(e.row)])
}
