package modelfile

import (
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream/prepare"
)

// Embedder answers a request for one raw row at a time. It belongs to one goroutine: make one for each.
type Embedder struct {
	rows  *prepare.RowPreparer
	model *model.Embedder
	row   []float64 // prepared
}

// Embedder returns an embedder for a request, such as the class or the predicted value of a row. It
// returns an error if the model has no such output, or if its rows are those of a graph.
func (m *Model) Embedder(r model.Request) (*Embedder, error) {
	e, err := model.NewEmbedder(m.Transformer, r)
	if err != nil {
		return nil, err
	}
	rows, err := m.Rows(r.Side)
	if err != nil {
		return nil, err
	}
	return &Embedder{rows, e, make([]float64, rows.Width())}, nil
}

// Width returns the number of outputs of a row.
func (e *Embedder) Width() int { return e.model.Width() }

// Embed puts the outputs of a raw row into dst, whose length is Width. Numbers and words are in the order of
// [Model.Preparation]: NaN and "" are nulls. It returns an error if the fit refused such a row.
// The cost is that of [model.Embedder.Embed].
func (e *Embedder) Embed(dst, row []float64, words ...string) error {
	if err := e.rows.Prepare(e.row, row, words...); err != nil {
		return err
	}
	return e.model.Embed(dst, e.row)
}
