package main

import (
	"fmt"
	"strings"

	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream"
)

// fitResult is what fit prints as JSON of every model.
type fitResult struct {
	Method        string         `json:"method"`
	Chosen        string         `json:"chosen,omitempty"` // where the method was left open: which, and why
	Kernel        string         `json:"kernel,omitempty"`
	Rows          int64          `json:"rows"`
	Columns       int64          `json:"columns"`
	Dimension     int            `json:"dimension"` // numbers in the left rows that are computed with
	Rank          int            `json:"rank"`
	Values        []show.Number  `json:"values"`
	Residual      *show.Number   `json:"residual,omitempty"` // the largest, over the largest value
	Errors        []fitError     `json:"errors,omitempty"`   // estimated, relative to what is exact
	Passes        map[string]int `json:"passes"`             // of the method and for factors, after samples were gathered
	Scans         map[string]int `json:"scans"`              // before: to open text, for labels, nulls and scaling
	ExactPasses   int            `json:"exact_passes"`
	KernelEntries int64          `json:"kernel_entries"`
	Resumed       []resumption   `json:"resumed,omitempty"` // passes that went on from states
	used
	Seed           uint64                 `json:"seed"`
	RowsDropped    int64                  `json:"rows_dropped"`
	ColumnsLeftOut []leftOutColumn        `json:"columns_left_out"`
	Categories     []stream.CategoryCount `json:"categories,omitempty"`
	Warnings       []string               `json:"warnings"` // of columns that make nonsense of the fit
	Notes          []string               `json:"notes"`
	Output         string                 `json:"output"`
}

// fitError is an estimate of an error, or why there is none.
type fitError struct {
	Of     string      `json:"of"`
	Value  show.Number `json:"value"`
	From   string      `json:"from,omitempty"`
	Reason string      `json:"reason,omitempty"` // of a value that is null
}

// fitErrors returns the estimates of a fit's errors.
func (a *app) fitErrors(r *model.Report) (list []fitError) {
	for _, e := range r.Estimates {
		list = append(list, fitError{e.Of.String(), show.Number(e.Value), a.words(e.From), a.words(e.Reason)})
	}
	return list
}

// addErrors adds a line for each estimate of an error.
func addErrors(t *show.Text, list []fitError) {
	for _, e := range list {
		if e.Reason != "" {
			t.Add("error", "of the %s not known: %s", e.Of, e.Reason)
		} else {
			t.Add("error", "of the %s about %.2g, estimated from %s", e.Of, float64(e.Value), e.From)
		}
	}
}

// reportFit prints what is known about a finished fit.
func (j *job) reportFit(m model.Model, report *model.Report) error {
	_, all, t := j.result(m, report)
	return j.print(all, t)
}

// result returns what is known about a finished fit: what all families tell, that with what
// the family adds, and both in words.
func (j *job) result(m model.Model, report *model.Report) (r *fitResult, all any, t *show.Text) {
	d := m.Describe()
	r = &fitResult{Method: j.method, Chosen: j.words(report.Choice.String()), Kernel: d.Kernel, Rows: d.Rows, Columns: d.Cols, Dimension: d.Columns,
		Rank: d.Rank, Values: show.Numbers(d.Values), Passes: j.passes(report), Scans: j.scans, ExactPasses: report.ExactPasses,
		KernelEntries: report.KernelEntries, Resumed: j.resumed, used: j.used(), Seed: d.Seed,
		RowsDropped: j.prepared.dropped(), ColumnsLeftOut: j.sides.leftOut(), Warnings: append([]string{}, j.warnings...), Notes: j.sentences(append(j.task.openNotes(), report.Notes...)), Output: j.output}
	if j.prepared.left != nil {
		r.Categories = j.prepared.left.Found()
	}
	if len(report.Residuals) > 0 {
		r.Residual = show.Optional(report.Residual())
	}
	r.Errors = j.app.fitErrors(report)
	t = &show.Text{Title: j.task.title()}
	for _, w := range r.Warnings {
		t.Add("warning", "%s", w)
	}
	if report.Choice.Reason != "" { // else the family says it
		t.Add("chosen", "%s", r.Chosen)
	}
	all = j.task.fitted(r, t)
	addErrors(t, r.Errors)
	j.addWork(r, t)
	return r, all, t
}

// addWork adds lines about what the fit took, and where its files are.
func (j *job) addWork(r *fitResult, t *show.Text) {
	if len(r.ColumnsLeftOut) > 0 {
		t.Add("left out", "%s", leftOutWords(r.ColumnsLeftOut))
	}
	addCategories(t, r.Categories)
	if r.RowsDropped > 0 {
		t.Add("dropped", "%s rows with nulls", show.Count(r.RowsDropped))
	}
	t.Add("passes", "%s", j.passWords(r))
	residuals := ""
	if r.Residual != nil {
		residuals = fmt.Sprintf("residuals up to %.1e", float64(*r.Residual))
		if len(r.Values) > 0 {
			residuals += " of the largest value"
		}
	}
	if r.ExactPasses > 0 {
		t.Add("exact passes", "%s", strings.TrimSuffix(fmt.Sprintf("%d over all entries, %s", r.ExactPasses, residuals), ", "))
	} else if residuals != "" {
		t.Add("solution", "%s", residuals)
	}
	t.Add("work", "%s kernel entries, %v", show.Count(r.KernelEntries), r.used)
	t.Add("model", "%s", r.Output)
	for _, f := range j.allOutputs() {
		if f.path != "" {
			t.Add(f.what, "%s", f.path)
		}
	}
}

func (j *job) passWords(r *fitResult) string {
	var words []string
	for _, name := range j.task.names() {
		words = append(words, fmt.Sprintf("%d over %s", r.Passes[name], name)+scanWords(r.Scans[name]))
	}
	return strings.Join(words, ", ")
}

// scanWords tells of the passes before the fit.
func scanWords(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (and %d before, to open and prepare it)", n)
}

// inputOf returns the input of a side by its place among the names, or nil.
func (j *job) inputOf(place int) *input { return []*input{j.left, j.sides.right}[place] }

// allPasses counts the passes over each source so far. What is no file was read once.
func (j *job) allPasses() map[string]int {
	n := make(map[string]int)
	for i, name := range j.task.names() {
		n[name] = 1
		if in := j.inputOf(i); in != nil {
			n[name] = in.Passes()
		}
	}
	return n
}

// passes counts the passes of the method over each source, and those that wrote
// factors; for what is no file as the fit reports them.
func (j *job) passes(r *model.Report) map[string]int {
	n := j.allPasses()
	for i, name := range j.task.names() {
		n[name] -= j.scans[name]
		if j.inputOf(i) == nil {
			n[name] = r.SourcePasses + j.factorPasses
		}
	}
	return n
}

// plannedScans counts the passes over each source before the fit: those so far, and
// those for nulls and scaling.
func (j *job) plannedScans() map[string]int {
	n := j.allPasses()
	for i, name := range j.task.names() {
		if j.scansOf(i) {
			n[name]++
		}
	}
	return n
}

// scansOf reports whether preparing costs a pass over a source, by its place among the
// names.
func (j *job) scansOf(place int) bool {
	return j.inputOf(place) != nil && ((place == 0 || j.apart) && j.rows.Scans() || j.rows.Nulls == stream.NullsDrop)
}
