package verb

import (
	"errors"
	"fmt"
	"strconv"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/cmd/nystream/internal/saved"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// predictedColumn is the name of the column of classes.
const predictedColumn = "predicted"

// predictClasses requests classes from a model, with decisions and probabilities if wanted. Classes without names are
// numbered. In an .npy file, which cannot hold words, they are numbers.
func (p *predictCommand) predictClasses(f *saved.File, m model.Transformer) (*prediction, error) {
	names, err := m.Outputs(model.Left, model.Decision)
	switch {
	case p.set.Given("interval") || p.std:
		return nil, flags.Usagef("--interval and --std are for models of numbers: this one predicts classes; use --probabilities")
	case errors.Is(err, model.ErrNoOutput):
		return nil, flags.Usagef("%s is of family %s, whose models do not classify; nystream fit ridge --label makes one that does",
			f.Path, f.Family.Name)
	case err != nil:
		return nil, flags.Usagef("%w", err)
	case f.Family.Clusters && p.data.Label != "":
		return nil, flags.Usagef("--label: clusters cannot be compared with labels; carry the column along with --keep")
	}
	classes := f.Data.Classes
	if len(classes) != len(names) {
		classes = rows.Numbered("", len(names))
	}
	if p.compares() {
		p.truth = newTruth(rows.NewAnnotation("--label", p.data.Label), classes)
	}
	a := &prediction{rowsAnswer: rowsAnswer{request: model.Request{Outputs: []model.Output{model.Class}}}}
	add := func(kind model.Output) {
		a.request.Outputs = append(a.request.Outputs, kind)
		for _, c := range classes {
			a.columns = append(a.columns, kind.String()+"_"+c)
		}
	}
	if p.decisions {
		add(model.Decision)
	}
	if p.probabilities {
		add(model.Probability)
		if _, err := a.request.Names(m); err != nil {
			return nil, flags.Usagef("--probabilities: %w", err)
		}
	}
	var values []float64 // of the classes
	if rows.FormatOf(p.app, p.output) == "npy" {
		a.columns = append([]string{predictedColumn}, a.columns...)
		var numbers bool
		if values, numbers = classValues(classes); !numbers {
			p.app.Note("%s holds only numbers, so classes are numbered from 0, in the order of nystream inspect", p.output)
		}
	} else {
		a.fields = []stream.Field{{Name: predictedColumn, Kind: stream.String}}
	}
	counts, chosen, words := make([]int64, len(classes)), []int(nil), []string(nil)
	// The closure runs on one goroutine, in row order, so that chosen and words are reused between blocks.
	a.each = func(b *stream.Block, made blas64.General) (*stream.Batch, error) {
		chosen, words = chosen[:0], words[:0]
		for i := range made.Rows {
			class := int(made.Data[i*made.Stride])
			chosen, words = append(chosen, class), append(words, classes[class])
			counts[class]++
			if values != nil {
				made.Data[i*made.Stride] = values[class]
			}
		}
		if p.truth != nil {
			if err := p.truth.compare(b, chosen); err != nil {
				return nil, err
			}
		}
		if values != nil {
			return &stream.Batch{X: made}, nil
		}
		made.Cols--
		made.Data = made.Data[min(1, len(made.Data)):]
		return &stream.Batch{X: made, Kept: []stream.Column{{Kind: stream.String, Strings: words}}}, nil
	}
	a.report = func(_ *rowsResult, out *report.Report) error {
		addPredicted(out, classes, counts)
		if p.truth == nil {
			return nil
		}
		return p.truth.report(out)
	}
	return a, nil
}

// classValues converts words to numbers. If not all are numeric, it returns their indices.
func classValues(words []string) (values []float64, numbers bool) {
	values = make([]float64, len(words))
	indices := make([]float64, len(words))
	numbers = true
	for i, w := range words {
		v, err := strconv.ParseFloat(w, 64)
		values[i], indices[i] = v, float64(i)
		numbers = numbers && err == nil
	}
	if !numbers {
		return indices, false
	}
	return values, true
}

// addPredicted adds the predicted classes, with the number of rows of each.
func addPredicted(out *report.Report, classes []string, counts []int64) {
	predicted, words := []classCount{}, []string(nil)
	for c, n := range counts {
		if n > 0 {
			predicted = append(predicted, classCount{classes[c], n})
			words = append(words, fmt.Sprintf("%s\u00a0(%s)", classes[c], report.Count(n)))
		}
	}
	out.Show(keyPredicted, predicted, "predicted", "%s", report.Words(words))
}
