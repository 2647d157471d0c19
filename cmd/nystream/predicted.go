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
	classes   []string // their names
	decisions bool
	likely    model.Calibrated // nil without probabilities

	w      blockstore.Writer // nil for no file
	values []float64         // of the classes, in a file that holds no words
	batch  stream.Batch
	rows   int64
	counts []int64 // of rows, for each class
}

// newPredictions looks at what a model predicts. Classes without names are numbered.
func newPredictions(m model.Predictor, classes []string, decisions, probabilities bool) (*predictions, error) {
	k, err := m.Choices()
	if err != nil {
		return nil, usagef("%w", err)
	}
	if len(classes) != k {
		classes = numbered("", k)
	}
	p := &predictions{classes: classes, decisions: decisions, counts: make([]int64, k)}
	if !probabilities {
		return p, nil
	}
	if p.likely, _ = m.(model.Calibrated); p.likely == nil {
		return nil, usagef("--probabilities: this model knows none")
	}
	if err := p.likely.Probabilities(stream.NewMatrix(0, k), stream.NewMatrix(0, k)); err != nil {
		return nil, usagef("--probabilities: %w", err)
	}
	return p, nil
}

// columns returns the names of the columns of numbers, besides the class.
func (p *predictions) columns() (names []string) {
	for _, part := range []struct {
		wanted bool
		name   string
	}{{p.decisions, "decision"}, {p.likely != nil, "probability"}} {
		for _, c := range p.classes {
			if part.wanted {
				names = append(names, part.name+"_"+c)
			}
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
func (p *predictions) predict(ctx context.Context, e stream.Engine, m model.Predictor, rows *taken, truth *truth) error {
	var chosen []int
	var room blas64.General
	names, err := m.Outputs(model.Left)
	if err != nil {
		return err
	}
	return m.Transform(ctx, e, model.Left, rows.source, rows.kept != nil, func(b *stream.Block, made blas64.General) error {
		if err := model.CheckOutputs(rows.source.Info(), names, made, b.Start); err != nil {
			return err
		}
		if room.Rows < made.Rows {
			room = stream.NewMatrix(made.Rows, len(p.classes))
		}
		decisions := stream.RowSlice(room, 0, made.Rows)
		m.Weigh(decisions, made)
		chosen = slices.Grow(chosen[:0], decisions.Rows)[:decisions.Rows]
		m.Choose(chosen, decisions)
		p.rows += int64(len(chosen))
		for _, class := range chosen {
			p.counts[class]++
		}
		if truth != nil {
			if err := truth.compare(b, chosen); err != nil {
				return err
			}
		}
		return p.write(b, rows, decisions, chosen)
	})
}

// write writes the rows of a block.
func (p *predictions) write(b *stream.Block, rows *taken, decisions blas64.General, chosen []int) error {
	if p.w == nil {
		return nil
	}
	n, k, first := len(chosen), len(p.classes), 0
	width := len(p.columns())
	if p.values != nil {
		first = 1
	}
	if p.batch.X.Rows < n {
		p.batch.X = stream.NewMatrix(n, first+width)
	}
	x := p.batch.X
	part := func(at int) blas64.General {
		return blas64.General{Rows: n, Cols: k, Stride: x.Stride, Data: x.Data[at:]}
	}
	if p.decisions {
		for i := range n {
			copy(x.Data[i*x.Stride+first:], decisions.Data[i*decisions.Stride:i*decisions.Stride+k])
		}
		first += k
	}
	if p.likely != nil {
		if err := p.likely.Probabilities(part(first), decisions); err != nil {
			return err
		}
	}
	if p.values != nil {
		for i, class := range chosen {
			x.Data[i*x.Stride] = p.values[class]
		}
	} else {
		words := p.batch.Kept[0].Strings[:0]
		for _, class := range chosen {
			words = append(words, p.classes[class])
		}
		p.batch.Kept[0].Strings = words
		if rows.kept != nil {
			copy(p.batch.Kept[1:], rows.kept(b, n))
		}
	}
	return p.w.Write(&p.batch, n)
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
