package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/blockstore"
	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// valuesResult is what predict prints as JSON of a model of numbers.
type valuesResult struct {
	rowsResult
	Targets []string     `json:"targets"`
	Known   int64        `json:"labelled,omitempty"` // rows whose number is known
	RMSE    *show.Number `json:"rmse,omitempty"`
	R2      *show.Number `json:"r2,omitempty"`
	// Covered is the share of known numbers in their intervals, and Width the mean width of these.
	Covered *show.Number `json:"covered,omitempty"`
	Width   *show.Number `json:"interval_width,omitempty"`
}

// predictValues writes the numbers that a model predicts, and compares them with the column --label.
func (p *predictCommand) predictValues(ctx context.Context, f *modelFile, m model.Transformer, args []string) error {
	targets, err := m.Outputs(model.Left, model.Value)
	if err != nil {
		return usagef("%w", err)
	}
	r := p.valueRequest()
	label := p.data.label
	if err := refuse([]contradiction{
		{p.decisions || p.probabilities, "--decisions and --probabilities are for models of classes: this one predicts numbers"},
		{p.labelsFile != "", "--labels is for models of a graph"},
		{label != "" && len(targets) > 1, "--label compares with one column, and this model predicts several"},
	}); err != nil {
		return err
	}
	if label != "" {
		t := newTruth(newAside("--label", label), nil)
		if err := p.nameColumn(ctx, f, t, args[1:]); err != nil {
			return err
		}
		if label = p.data.label; label == "" {
			return usagef("%s: true numbers are in a column of the data", t.said.named())
		}
	}
	score, known := &valueScore{}, -1
	result, err := p.writeAnswers(ctx, f, m, args, r, predictedNames(targets, r.Kinds), func(rows *taken) {
		known = slices.IndexFunc(rows.fields, func(f stream.Field) bool { return f.Name == label })
	}, func(b *stream.Block, values blas64.General) (blas64.General, error) {
		if known < 0 {
			return values, nil
		}
		return values, score.compare(&b.Kept[known], values, label, r.Asks(model.Upper))
	})
	if err != nil {
		return err
	}
	out := &valuesResult{rowsResult: *result, Targets: targets}
	if known >= 0 {
		score.add(out)
		if r.Asks(model.Upper) {
			out.Covered, out.Width = show.Optional(score.inside/score.n), show.Optional(score.width/score.n)
		}
	}
	return p.printRows(&out.rowsResult, out, out.text)
}

// writeAnswers makes a pass over rows and writes the numbers that a request gives, under the names of columns.
// opened is called before it, and each with the numbers of a block, which it may replace.
func (p *predictCommand) writeAnswers(ctx context.Context, f *modelFile, m model.Transformer, args []string,
	r model.Request, columns []string,
	opened func(*taken), each func(*stream.Block, blas64.General) (blas64.General, error)) (*rowsResult, error) {
	names, err := r.Names(m)
	if err != nil {
		return nil, usagef("%w", err)
	}
	rows, err := f.open(ctx, &p.application, m, model.Left, args[1:])
	if err != nil {
		return nil, err
	}
	defer rows.close()
	opened(rows)
	r.Kept = rows.kept != nil
	plan := m.TransformPlan(p.engine(), rows.source, r)
	p.writerBudget(&plan.Memory, p.output, rows.source.Info().Rows, len(columns))
	rows.budget(p.app, &plan.Memory)
	if err := p.checkBudget(&plan.Memory); err != nil {
		return nil, err
	}
	p.origin = p.madeWith(f, rows)
	w := &transformed{kept: rows.fields}
	if p.formatOf(p.output) == "npy" { // it holds numbers alone
		w.kept = nil
	}
	if p.output != "" {
		s := blockstore.Schema{Columns: columns, Kept: w.kept, Rows: rows.source.Info().Rows}
		if w.Writer, err = p.create(p.output, s); err != nil {
			return nil, err
		}
		defer w.Abort() // does nothing after Commit
	}
	err = m.Transform(ctx, p.engine(), rows.source, r, func(b *stream.Block, made blas64.General) error {
		if err := model.CheckOutputs(rows.source.Info(), names, made, b.Start); err != nil {
			return err
		}
		out, err := each(b, made)
		if err != nil {
			return err
		}
		w.rows += int64(out.Rows)
		if w.Writer == nil {
			return nil
		}
		return w.put(b, out)
	})
	if err != nil {
		return nil, err
	}
	if w.Writer != nil {
		if err := w.Commit(); err != nil {
			return nil, err
		}
	}
	result := rows.result(args[0], w.rows, p.output)
	return &result, nil
}

// noveltyResult is what predict --novelty prints as JSON.
type noveltyResult struct {
	rowsResult
	Share  show.Number `json:"share"` // of rows like those of the fit that is marked
	Marked int64       `json:"marked"`
}

// predictNovelty writes how unlike the fitted rows each row is, and marks the strangest.
func (p *predictCommand) predictNovelty(ctx context.Context, f *modelFile, m model.Transformer, args []string) error {
	r := model.Request{Kinds: []model.Kind{model.Novelty}}
	names, err := r.Names(m)
	if errors.Is(err, model.ErrNoOutput) {
		return usagef("--novelty: %s is of family %s; nystream fit pca --novelty makes a model that knows it",
			args[0], f.family.name)
	}
	if err != nil {
		return usagef("%w", err)
	}
	if err := refuse([]contradiction{
		{p.decisions || p.probabilities || p.intervals || p.std,
			"--novelty predicts nothing: leave out --decisions, --probabilities, --interval and --std"},
		{p.data.label+p.labelsFile != "", "--novelty is compared with no label: carry the column along with --keep"},
	}); err != nil {
		return err
	}
	out := &noveltyResult{Share: show.Number(p.novelty)}
	var marked blas64.General
	mark := func(_ *stream.Block, made blas64.General) (blas64.General, error) {
		if marked.Rows < made.Rows {
			marked = stream.NewMatrix(made.Rows, made.Cols+1)
		}
		all := stream.RowSlice(marked, 0, made.Rows)
		for i := range all.Rows {
			row := all.Data[i*all.Stride:][:all.Cols]
			copy(row, made.Data[i*made.Stride:][:made.Cols])
			row[made.Cols] = 0
			if row[made.Cols-1] <= p.novelty {
				row[made.Cols] = 1
				out.Marked++
			}
		}
		return all, nil
	}
	result, err := p.writeAnswers(ctx, f, m, args, r, append(names, "novel"), func(*taken) {}, mark)
	if err != nil {
		return err
	}
	out.rowsResult = *result
	return p.printRows(&out.rowsResult, out, func(t *show.Text) {
		t.Add("novel", "%s rows, %.4g of all; %g of rows like those of the fit would be", show.Count(out.Marked),
			float64(out.Marked)/float64(max(1, out.Rows)), p.novelty)
	})
}

// valueRequest returns what the flags ask for: values first, then the ends of intervals and standard
// deviations.
func (p *predictCommand) valueRequest() model.Request {
	r := model.Request{Kinds: []model.Kind{model.Value}}
	if p.intervals {
		r.Kinds, r.Level = append(r.Kinds, model.Lower, model.Upper), p.interval
	}
	if p.std {
		r.Kinds = append(r.Kinds, model.Deviation)
	}
	return r
}

// predictedNames returns the names of the columns of predictions: predicted, predicted_lower, …, and
// with several targets predicted_a, predicted_b, predicted_a_lower, ….
func predictedNames(targets []string, kinds []model.Kind) (names []string) {
	for _, kind := range kinds {
		for _, target := range targets {
			name := predictedColumn
			if len(targets) > 1 {
				name += "_" + target
			}
			if kind != model.Value {
				name += "_" + kind.String()
			}
			names = append(names, name)
		}
	}
	return names
}

// valueScore compares predictions with true numbers.
type valueScore struct{ n, mean, squares, errors, inside, width float64 }

// compare adds rows whose true number is known. The columns of values are the predictions of one
// target, and then the ends of their intervals if there are any.
func (s *valueScore) compare(truth *stream.Column, values blas64.General, label string, intervals bool) error {
	for i := range values.Rows {
		if truth.Null(i) {
			continue
		}
		var v float64
		switch truth.Kind {
		case stream.Int64:
			v = float64(truth.Ints[i])
		case stream.Float64:
			v = truth.Floats[i]
		default:
			return fromData(fmt.Errorf("--label %s holds text, and the model predicts numbers", label))
		}
		if math.IsNaN(v) {
			continue
		}
		row := values.Data[i*values.Stride:]
		e := v - row[0]
		s.errors += e * e
		s.n++
		if intervals {
			s.width += row[2] - row[1]
			if row[1] <= v && v <= row[2] {
				s.inside++
			}
		}
		away := v - s.mean // Welford 1962
		s.mean += away / s.n
		s.squares += away * (v - s.mean)
	}
	return nil
}

// add adds the figures to a result.
func (s *valueScore) add(r *valuesResult) {
	r.Known = int64(s.n)
	r.RMSE, r.R2 = show.Optional(math.Sqrt(s.errors/s.n)), show.Optional(1-s.errors/s.squares)
}

func (r *valuesResult) text(t *show.Text) {
	t.Add("targets", "%s", show.Words(r.Targets))
	if r.RMSE != nil {
		t.Add("error", "RMSE %.4g, R² %.4f, of %s rows", float64(*r.RMSE), float64(*r.R2), show.Count(r.Known))
	}
	if r.Covered != nil {
		t.Add("intervals", "%.4f of the rows are inside, mean width %.4g", float64(*r.Covered), float64(*r.Width))
	}
}
