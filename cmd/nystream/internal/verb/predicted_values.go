package verb

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/cmd/nystream/internal/saved"
	"github.com/nystream/nystream/internal/matrix"
	"github.com/nystream/nystream/solvers/lowrank"
	"github.com/nystream/nystream/solvers/metrics"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// valueKeys has the JSON keys of predict for numbers.
var valueKeys = report.NewGroup("predict, of numbers")

var (
	keyTargets       = valueKeys.Key("targets", "names of the targets")
	keyLabelled      = valueKeys.Key("labelled", "rows with a known number")
	keyRMSE          = valueKeys.Key("rmse", "root mean squared error")
	keyRMSEError     = valueKeys.Key("rmse_error", "standard error of rmse")
	keyR2            = valueKeys.Key("r2", "share of the variance that is predicted")
	keyCovered       = valueKeys.Key("covered", "share of the known numbers inside their intervals")
	keyIntervalWidth = valueKeys.Key("interval_width", "mean width of the intervals")
)

// predictValues predicts numbers, and compares them with the column --label if there is one.
func (p *predictCommand) predictValues(m model.Transformer, targets []string) (*prediction, error) {
	r := p.valueRequest()
	intervals := r.Includes(model.Upper)
	if _, err := r.Names(m); err != nil {
		return nil, flags.Usagef("%w", err)
	}
	if p.compares() {
		p.truth = newTruth(rows.NewAnnotation("--label", p.data.Label), nil)
	}
	refuse := p.set.Refuse()
	refuse.If(true, "decisions probabilities", "is for models of classes: this one predicts numbers")
	refuse.When(p.truth != nil && len(targets) > 1, "--label compares with one column, and this model predicts several")
	refuse.When(p.truth != nil && p.truth.label.File != "", p.data.Label+": true numbers are in a column of the data")
	if err := refuse.Err(); err != nil {
		return nil, err
	}
	score := &valueScore{}
	a := &prediction{rowsAnswer: rowsAnswer{request: r, columns: predictedNames(targets, r.Outputs)}}
	a.each = func(b *stream.Block, values blas64.General) (*stream.Batch, error) {
		batch := &stream.Batch{X: values}
		if p.truth == nil {
			return batch, nil
		}
		return batch, score.compare(&b.Kept[p.truth.column], values, p.data.Label, intervals)
	}
	a.report = func(_ *rowsResult, out *report.Report) error {
		out.Show(keyTargets, targets, "targets", "%s", report.Words(targets))
		if p.truth != nil {
			score.report(out, intervals)
		}
		return nil
	}
	return a, nil
}

// noveltyKeys has the JSON keys of predict --novelty.
var noveltyKeys = report.NewGroup("predict --novelty")

var (
	keyShare  = noveltyKeys.Key("share", "expected share of marked rows among rows like those of the fit")
	keyMarked = noveltyKeys.Key("marked", "rows marked as novel")
)

// markNovel requests the novelty of each row, and marks the rows with the largest.
func (p *predictCommand) markNovel(f *saved.File, m model.Transformer) (*prediction, error) {
	r := model.Request{Outputs: []model.Output{model.Novelty}}
	names, err := r.Names(m)
	if errors.Is(err, model.ErrNoOutput) {
		return nil, flags.Usagef("--novelty: %s is of family %s; nystream fit pca --novelty makes a model that has it",
			f.Path, f.Family.Name)
	}
	if err != nil {
		return nil, flags.Usagef("%w", err)
	}
	refuse := p.set.Refuse()
	refuse.If(true, "decisions probabilities interval std", "goes into predictions, and --novelty predicts nothing: leave it out")
	refuse.If(true, "label labels", "is compared with predictions, and --novelty predicts nothing: carry the column along with --keep")
	if err := refuse.Err(); err != nil {
		return nil, err
	}
	marked, warnings := int64(0), []string(nil)
	if known, ok := f.Model.(*lowrank.Model); ok {
		warnings = flags.SpellAll(p.app.Cmd, known.Novelty.CheckShare(p.novelty))
	}
	a := &prediction{rowsAnswer: rowsAnswer{request: r, columns: append(names, "novel")}}
	a.each = func(_ *stream.Block, made blas64.General) (*stream.Batch, error) {
		all := matrix.New(made.Rows, made.Cols+1)
		for i := range all.Rows {
			row := matrix.Row(all, i)
			copy(row, matrix.Row(made, i))
			if row[made.Cols-1] <= p.novelty {
				row[made.Cols] = 1
				marked++
			}
		}
		return &stream.Batch{X: all}, nil
	}
	a.report = func(r *rowsResult, out *report.Report) error {
		out.Put(keyShare, p.novelty)
		out.Put(keyMarked, marked)
		out.PutSome(report.KeyWarnings, warnings)
		out.AddWarnings(warnings)
		out.Add("novel", "%s of %s rows (%.3g %%); of ordinary rows about %.3g %%", report.Count(marked), report.Count(r.rows),
			100*float64(marked)/float64(max(1, r.rows)), 100*p.novelty)
		return nil
	}
	return a, nil
}

// valueRequest returns the requested outputs: values first, then interval limits and standard deviations.
func (p *predictCommand) valueRequest() model.Request {
	r := model.Request{Outputs: []model.Output{model.Value}}
	if p.set.Given("interval") {
		r.Outputs, r.Level = append(r.Outputs, model.Lower, model.Upper), p.interval
	}
	if p.std {
		r.Outputs = append(r.Outputs, model.Deviation)
	}
	return r
}

// predictedNames returns the column names of predictions: predicted, predicted_lower, …, and with several targets
// predicted_a, predicted_b, predicted_a_lower, ….
func predictedNames(targets []string, kinds []model.Output) (names []string) {
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

// valueScore compares predictions, and intervals, with true values.
type valueScore struct {
	metrics.Regression
	inside, width float64
}

// compare adds the rows with a known true value. The first column of values is the prediction; with intervals, the next
// two are their limits. It fails if the truth is text.
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
		s.Add(v, row[0])
		if intervals {
			s.width += row[2] - row[1]
			if row[1] <= v && v <= row[2] {
				s.inside++
			}
		}
	}
	return nil
}

// report adds the scores to a result.
func (s *valueScore) report(out *report.Report, intervals bool) {
	n := s.Count()
	out.PutSome(keyLabelled, n)
	if rmse := s.RMSE(); !math.IsNaN(rmse) {
		words := fmt.Sprintf("%.4g%s", rmse, report.PlusMinus(report.Optional(s.RMSEError()), "%.2g"))
		if r2 := s.R2(); !math.IsNaN(r2) { // undefined if the true values are constant
			words += fmt.Sprintf(", R² %.4f", r2)
		}
		out.Show(keyRMSE, rmse, "RMSE", "%s (%s rows)", words, report.Count(n))
	}
	out.PutSome(keyRMSEError, s.RMSEError())
	out.PutSome(keyR2, s.R2())
	if covered := s.inside / float64(n); intervals && n > 0 {
		width := s.width / float64(n)
		out.Show(keyCovered, covered, "intervals", "cover %.4f of the rows, mean width %.4g", covered, width)
		out.PutSome(keyIntervalWidth, width)
	}
}
