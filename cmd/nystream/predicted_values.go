package main

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// valuesResult is the JSON report of predict for a regression.
type valuesResult struct {
	*rowsResult
	Targets []string     `json:"targets"`
	Known   int64        `json:"labelled,omitempty"` // rows whose number is known
	RMSE    *show.Number `json:"rmse,omitempty"`
	Error   *show.Number `json:"rmse_error,omitempty"` // standard error
	R2      *show.Number `json:"r2,omitempty"`
	// Covered is the share of true numbers inside their intervals, and Width the mean width of the intervals.
	Covered *show.Number `json:"covered,omitempty"`
	Width   *show.Number `json:"interval_width,omitempty"`
}

// predictValues predicts numbers, and compares them with the column --label if there is one.
func (p *predictCommand) predictValues(m model.Transformer, targets []string) (*prediction, error) {
	r := p.valueRequest()
	intervals := r.Asks(model.Upper)
	if _, err := r.Names(m); err != nil {
		return nil, usagef("%w", err)
	}
	if p.compares() {
		p.truth = newTruth(newAside("--label", p.data.label), nil)
	}
	if err := refuse([]contradiction{
		{p.decisions || p.probabilities, "--decisions and --probabilities are for models of classes: this one predicts numbers"},
		{p.labelsFile != "", "--labels is for models of a graph"},
		{p.truth != nil && len(targets) > 1, "--label compares with one column, and this model predicts several"},
		{p.truth != nil && p.truth.said.file != "", p.data.label + ": true numbers are in a column of the data"},
	}); err != nil {
		return nil, err
	}
	score := &valueScore{}
	a := &prediction{rowsAnswer: rowsAnswer{request: r, columns: predictedNames(targets, r.Kinds)}}
	a.each = func(b *stream.Block, values blas64.General) (*stream.Batch, error) {
		batch := &stream.Batch{X: values}
		if p.truth == nil {
			return batch, nil
		}
		return batch, score.compare(&b.Kept[p.truth.place], values, p.data.label, intervals)
	}
	a.report = func(r *rowsResult) (any, func(t *show.Text), error) {
		out := &valuesResult{rowsResult: r, Targets: targets}
		if p.truth != nil {
			score.add(out)
			if intervals {
				out.Covered, out.Width = show.Optional(score.inside/score.n), show.Optional(score.width/score.n)
			}
		}
		return out, out.text, nil
	}
	return a, nil
}

// noveltyResult is the JSON report of predict --novelty.
type noveltyResult struct {
	*rowsResult
	Share  show.Number `json:"share"` // expected share marked of rows like those of the fit
	Marked int64       `json:"marked"`
	// Warnings are reasons to doubt the marks.
	Warnings []string `json:"warnings,omitempty"`
}

// markNovel asks how unlike the fitted rows each row is, and marks the strangest.
func (p *predictCommand) markNovel(f *modelFile, m model.Transformer) (*prediction, error) {
	r := model.Request{Kinds: []model.Kind{model.Novelty}}
	names, err := r.Names(m)
	if errors.Is(err, model.ErrNoOutput) {
		return nil, usagef("--novelty: %s is of family %s; nystream fit pca --novelty makes a model that knows it",
			f.path, f.family.name)
	}
	if err != nil {
		return nil, usagef("%w", err)
	}
	if err := refuse([]contradiction{
		{p.decisions || p.probabilities || p.intervals || p.std,
			"--novelty predicts nothing: leave out --decisions, --probabilities, --interval and --std"},
		{p.data.label+p.labelsFile != "", "--novelty is compared with no label: carry the column along with --keep"},
	}); err != nil {
		return nil, err
	}
	out := &noveltyResult{Share: show.Number(p.novelty)}
	if known, ok := f.model.(*lowrank.Model); ok {
		out.Warnings = p.sentences(known.Novelty.Doubts(p.novelty))
	}
	a := &prediction{rowsAnswer: rowsAnswer{request: r, columns: append(names, "novel")}}
	a.each = func(_ *stream.Block, made blas64.General) (*stream.Batch, error) {
		all := matrix.New(made.Rows, made.Cols+1)
		for i := range all.Rows {
			row := matrix.Row(all, i)
			copy(row, matrix.Row(made, i))
			if row[made.Cols-1] <= p.novelty {
				row[made.Cols] = 1
				out.Marked++
			}
		}
		return &stream.Batch{X: all}, nil
	}
	a.report = func(r *rowsResult) (any, func(t *show.Text), error) {
		out.rowsResult = r
		return out, func(t *show.Text) {
			for _, w := range out.Warnings {
				t.Add("warning", "%s", w)
			}
			t.Add("novel", "%s rows, %.4g of all; %g of rows like those of the fit would be", show.Count(out.Marked),
				float64(out.Marked)/float64(max(1, out.Rows)), p.novelty)
		}, nil
	}
	return a, nil
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

// valueScore compares predictions with true numbers. Large offsets do not cancel, and squares do not overflow or
// underflow.
type valueScore struct {
	n, inside, width float64
	first, mean      float64 // the first true number, and the mean relative to it
	spread, errors   squareSum
}

// squareSum is a scaled sum of squares, which may themselves be out of range.
type squareSum struct{ scale, sum, fourth float64 } // scale²·sum, and scale⁴·fourth of the fourth powers

// add adds factor·v².
func (s *squareSum) add(v, factor float64) {
	if v = math.Abs(v); v > s.scale {
		by := s.scale / v * (s.scale / v)
		s.scale, s.sum, s.fourth = v, s.sum*by, s.fourth*by*by
	}
	if s.scale > 0 {
		square := (v / s.scale) * (v / s.scale)
		s.sum += factor * square
		s.fourth += factor * square * square
	} else {
		s.sum += v // NaN
	}
}

// root returns the root mean square of n numbers.
func (s *squareSum) root(n float64) float64 { return s.scale * math.Sqrt(s.sum/n) }

// rootError returns the standard error of root, by the delta method. It is NaN for n = 1.
func (s *squareSum) rootError(n float64) float64 {
	mean := s.sum / n
	return s.scale * math.Sqrt(max(0, s.fourth/n-mean*mean)/(n-1)/mean) / 2
}

// over returns s divided by other.
func (s *squareSum) over(other squareSum) float64 {
	scale := s.scale / other.scale
	return scale * scale * (s.sum / other.sum)
}

// compare adds the rows whose true number is known. The first column of values is the prediction; with
// intervals the next two are their ends. It fails if the truth is text.
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
			return stream.NewDataError("", "--label %s holds text, and the model predicts numbers", label)
		}
		if math.IsNaN(v) {
			continue
		}
		row := values.Data[i*values.Stride:]
		if s.errors.add(v-row[0], 1); s.n == 0 {
			s.first = v
		}
		s.n++
		if intervals {
			s.width += row[2] - row[1]
			if row[1] <= v && v <= row[2] {
				s.inside++
			}
		}
		away := v - s.first - s.mean
		s.mean += away / s.n
		s.spread.add(away, (s.n-1)/s.n) // Welford 1962
	}
	return nil
}

// add adds the figures to a result.
func (s *valueScore) add(r *valuesResult) {
	r.Known = int64(s.n)
	r.Error = show.Optional(s.errors.rootError(s.n))
	r.RMSE, r.R2 = show.Optional(s.errors.root(s.n)), show.Optional(1-s.errors.over(s.spread))
}

func (r *valuesResult) text(t *show.Text) {
	t.Add("targets", "%s", show.Words(r.Targets))
	if r.RMSE != nil {
		words := fmt.Sprintf("RMSE %.4g%s", float64(*r.RMSE), plusMinus(r.Error, "%.2g"))
		if r.R2 != nil { // defined unless the true numbers are constant
			words += fmt.Sprintf(", R² %.4f", float64(*r.R2))
		}
		t.Add("error", "%s, of %s rows", words, show.Count(r.Known))
	}
	if r.Covered != nil {
		t.Add("intervals", "%.4f of the rows are inside, mean width %.4g", float64(*r.Covered), float64(*r.Width))
	}
}
