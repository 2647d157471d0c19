package report

import (
	"errors"
	"fmt"
	"strings"

	"github.com/nystream/nystream/internal/quote"
	"github.com/nystream/nystream/solvers/metrics"
	"github.com/nystream/nystream/stream/prepare"
)

// Used is the time and the memory of a run.
type Used struct {
	Seconds      float64
	PeakRSSBytes int64
}

// String returns the time and the memory in words.
func (u Used) String() string { return Seconds(u.Seconds) + ", peak memory " + Bytes(u.PeakRSSBytes) }

// PutUsed adds the time and the memory of a run.
func (r *Report) PutUsed(u Used) {
	r.Put(KeySeconds, u.Seconds)
	r.Put(KeyPeakRSSBytes, u.PeakRSSBytes)
}

// FitError is an estimate of an error, or the reason for its absence.
type FitError struct {
	Quantity string `json:"of"`
	Value    Number `json:"value"`
	Evidence string `json:"from,omitempty"`
	Reason   string `json:"reason,omitempty"` // if the value is null
}

// AddErrors adds a line for each estimate.
func (r *Report) AddErrors(list []FitError) {
	for _, e := range list {
		if e.Reason != "" {
			r.Add(ErrorName(e.Quantity), "unknown: %s", e.Reason)
		} else {
			r.Add(ErrorName(e.Quantity), "%.2g (estimated from %s)", float64(e.Value), e.Evidence)
		}
	}
}

// ErrorName returns the name of a relative error. of is its quantity, or its norm.
func ErrorName(of string) string {
	quantity, norm, ok := strings.Cut(of, " in the ")
	switch norm = strings.TrimSuffix(norm, " norm"); {
	case !ok:
		return strings.TrimSuffix(of, "s") + " error"
	case quantity == "matrix":
		return norm + " error"
	}
	quantity, _, _ = strings.Cut(quantity, ",")
	return norm + " error of the " + quantity
}

// AddDropped adds a line about rows with nulls that were dropped, if there are any.
func (r *Report) AddDropped(rows int64) {
	if rows > 0 {
		r.Add("dropped", "%s with nulls", Counted(int(rows), "row", "rows"))
	}
}

// AddWarnings adds reasons to doubt the result, at the end of the text.
func (r *Report) AddWarnings(warnings []string) {
	for _, w := range warnings {
		r.Fields = append(r.Fields, Field{Label: "warning", Text: w, Warning: true})
	}
}

// AddCategories adds a line about columns of text: their levels, nulls and unseen values. It adds
// nothing for an empty list.
func (r *Report) AddCategories(list []prepare.CategoryCount) {
	var words []string
	for _, c := range list {
		text := quote.Bare(c.Column) + ": " + Counted(c.Levels, "level", "levels")
		if c.Nulls > 0 {
			text += ", " + Counted(int(c.Nulls), "null", "nulls")
		}
		if c.Unseen > 0 {
			text += ", " + Counted(int(c.Unseen), "value", "values") + " not seen in the fit"
		}
		words = append(words, text)
	}
	if len(words) > 0 {
		r.Add("categories", "%s", strings.Join(words, "; "))
	}
}

// Figures has the scores of predicted classes.
type Figures struct {
	Samples  int64  `json:"samples"`
	Accuracy Number `json:"accuracy"`
	MicroF1  Number `json:"micro_f1"` // the accuracy, if each sample has one class
	MacroF1  Number `json:"macro_f1"`
	// Error is the standard error of the accuracy; nil for rows of the training set.
	Error *Number `json:"accuracy_error,omitempty"`
}

// FiguresOf returns the scores of a tally, nil if it is empty.
func FiguresOf(t *metrics.Tally) *Figures {
	accuracy, err := t.Accuracy()
	macro, err2 := t.MacroF1()
	if errors.Join(err, err2) != nil {
		return nil
	}
	return &Figures{t.Rows(), Number(accuracy), Number(accuracy), Number(macro),
		Optional(metrics.ShareError(accuracy, float64(t.Rows())))}
}

// Words returns the accuracy and macro F1, with the number of samples and their unit.
func (f *Figures) Words(unit string) string {
	return fmt.Sprintf("%.4f%s, macro F1 %.4f (%s %s)", float64(f.Accuracy), PlusMinus(f.Error, "%.4f"),
		float64(f.MacroF1), Count(f.Samples), unit)
}
