package main

import (
	"context"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// predictedColumn is the name of the column with the classes.
const predictedColumn = "predicted"

// predictions are a file of predictions on its way, or their numbers alone.
type predictions struct {
	classes []string // their names
	request model.Request

	w      blockstore.Writer // nil for no file
	values []float64         // of the classes, in a file that holds no words
	batch  stream.Batch
	rows   int64
	counts []int64 // of rows, for each class
}

// newPredictions asks a model for classes, and for decisions and probabilities if wanted.
// Classes without names are numbered.
func newPredictions(m model.Transformer, classes []string, decisions, probabilities bool) (*predictions, error) {
	names, err := m.Outputs(model.Left, model.Decision)
	if err != nil {
		return nil, usagef("%w", err)
	}
	if len(classes) != len(names) {
		classes = numbered("", len(names))
	}
	p := &predictions{classes: classes, request: model.Request{Kinds: []model.Kind{model.Class}}, counts: make([]int64, len(names))}
	if decisions {
		p.request.Kinds = append(p.request.Kinds, model.Decision)
	}
	if probabilities {
		p.request.Kinds = append(p.request.Kinds, model.Probability)
		if _, err := p.request.Names(m); err != nil {
			return nil, usagef("--probabilities: %w", err)
		}
	}
	return p, nil
}

// columns returns the names of the columns of numbers, besides the class.
func (p *predictions) columns() (names []string) {
	for _, kind := range p.request.Kinds[1:] {
		for _, c := range p.classes {
			names = append(names, kind.String()+"_"+c)
		}
	}
	return names
}

// create begins the file.
func (p *predictions) create(a *app, path string, rows *taken) (err error) {
	if path == "" {
		return nil
	}
	s := blockstore.Schema{Columns: p.columns(), Rows: rows.source.Info().Rows}
	if a.formatOf(path) == "npy" {
		p.values = classValues(p.classes)
		s.Columns = append([]string{predictedColumn}, s.Columns...)
	} else {
		s.Kept = append([]stream.Field{{Name: predictedColumn, Kind: stream.String}}, rows.fields...)
		p.batch.Kept = make([]stream.Column, len(s.Kept))
		p.batch.Kept[0].Kind = stream.String
	}
	p.w, err = a.create(path, s)
	return err
}

// classValues returns words as numbers, or if they are not their places.
func classValues(words []string) []float64 {
	values := make([]float64, len(words))
	for i, w := range words {
		var err error
		if values[i], err = strconv.ParseFloat(w, 64); err != nil {
			return places(len(words))
		}
	}
	return values
}

func places(n int) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = float64(i)
	}
	return values
}

// numbered reports whether the file numbers words.
func (p *predictions) numbered() bool {
	return slices.ContainsFunc(p.classes, func(c string) bool { _, err := strconv.ParseFloat(c, 64); return err != nil && p.values != nil })
}

// predict makes a pass over rows, and compares what it finds with what is true, unless
// that is nil.
func (p *predictions) predict(ctx context.Context, e stream.Engine, m model.Transformer, rows *taken, truth *truth) error {
	names, err := p.request.Names(m)
	if err != nil {
		return err
	}
	p.request.Kept = rows.kept != nil
	var chosen []int
	return m.Transform(ctx, e, rows.source, p.request, func(b *stream.Block, made blas64.General) error {
		if err := model.CheckOutputs(rows.source.Info(), names, made, b.Start); err != nil {
			return err
		}
		chosen = chosen[:0]
		for i := range made.Rows {
			class := int(made.Data[i*made.Stride])
			chosen = append(chosen, class)
			p.counts[class]++
		}
		p.rows += int64(len(chosen))
		if truth != nil {
			if err := truth.compare(b, chosen); err != nil {
				return err
			}
		}
		return p.write(b, rows, made, chosen)
	})
}

// write writes the rows of a block. The first column of made is the class.
func (p *predictions) write(b *stream.Block, rows *taken, made blas64.General, chosen []int) error {
	if p.w == nil {
		return nil
	}
	if p.values != nil {
		for i, class := range chosen {
			made.Data[i*made.Stride] = p.values[class]
		}
		p.batch.X = made
		return p.w.Write(&p.batch, made.Rows)
	}
	p.batch.X = made
	p.batch.X.Cols--
	p.batch.X.Data = made.Data[min(1, len(made.Data)):]
	words := p.batch.Kept[0].Strings[:0]
	for _, class := range chosen {
		words = append(words, p.classes[class])
	}
	p.batch.Kept[0].Strings = words
	if rows.kept != nil {
		copy(p.batch.Kept[1:], rows.kept(b, made.Rows))
	}
	return p.w.Write(&p.batch, made.Rows)
}

func (p *predictions) commit() error {
	if p.w == nil {
		return nil
	}
	return p.w.Commit()
}

func (p *predictions) abort() {
	if p.w != nil {
		p.w.Abort()
	}
}

// chosen returns how many rows are of each class that was chosen.
func (p *predictions) chosen() []classCount {
	counts := []classCount{}
	for c, n := range p.counts {
		if n > 0 {
			counts = append(counts, classCount{p.classes[c], n})
		}
	}
	return counts
}
