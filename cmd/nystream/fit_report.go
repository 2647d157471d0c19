package main

import (
	"fmt"
	"strings"

	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/show"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream/prepare"
)

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
		list = append(list, fitError{e.Of.String(), show.Number(e.Value), flags.Spell(a.cmd, e.From), flags.Spell(a.cmd, e.Reason)})
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
	r, _ := j.result(m, report)
	return j.app.print(r, &r.Text)
}

// result returns what is known about a finished fit, and the notes, which are among it.
func (j *job) result(m model.Model, report *model.Report) (r *show.Report, notes []string) {
	d, chosen := m.Describe(), flags.Spell(j.app.cmd, report.Choice.String())
	notes = flags.SpellAll(j.app.cmd, append(j.task.openNotes(), report.Notes...))
	warnings := append(append([]string{}, j.warnings...), flags.SpellAll(j.app.cmd, report.Warnings)...)
	r = &show.Report{Text: show.Text{Title: j.task.title()}}
	r.Put("method", j.method)
	r.PutSome("chosen", chosen)
	r.PutSome("kernel", d.Kernel)
	r.Put("rows", d.Rows)
	r.Put("columns", d.Cols)
	r.Put("dimension", d.Columns)
	r.Put("rank", d.Rank)
	r.Put("values", d.Values)
	r.Put("seed", d.Seed)
	r.Put("warnings", warnings)
	for _, w := range warnings {
		r.Add("warning", "%s", w)
	}
	if report.Choice.Reason != "" { // else the family says it
		r.Add("chosen", "%s", chosen)
	}
	j.task.fitted(d, r)
	errors := j.app.fitErrors(report)
	r.PutSome("errors", errors)
	addErrors(&r.Text, errors)
	j.addWork(r, d, report)
	r.Put("notes", notes)
	return r, notes
}

// addWork adds what the fit took, and where its files are.
func (j *job) addWork(r *show.Report, d *model.Description, report *model.Report) {
	left, used := j.sides.leftOut(), j.app.used()
	r.Put("columns_left_out", left)
	if len(left) > 0 {
		r.Add("left out", "%s", leftOutWords(left))
	}
	if j.sides.prepared.left != nil {
		found := j.sides.prepared.left.Found()
		r.PutSome("categories", found)
		addCategories(&r.Text, found)
	}
	r.Put("rows_dropped", j.sides.prepared.dropped())
	if n := j.sides.prepared.dropped(); n > 0 {
		r.Add("dropped", "%s rows with nulls", show.Count(n))
	}
	passes := j.passes(report)
	r.Put("passes", passes)
	r.Put("scans", j.scans)
	var words []string
	for _, name := range j.task.names() {
		words = append(words, fmt.Sprintf("%d over %s", passes[name], name)+scanWords(j.scans[name]))
	}
	r.Add("passes", "%s", strings.Join(words, ", "))
	r.Put("exact_passes", report.ExactPasses)
	residuals := ""
	if len(report.Residuals) > 0 {
		r.PutSome("residual", report.Residual())
		residuals = fmt.Sprintf("residuals up to %.1e", report.Residual())
		if len(d.Values) > 0 {
			residuals += " of the largest value"
		}
	}
	if report.ExactPasses > 0 {
		r.Add("exact passes", "%s", strings.TrimSuffix(fmt.Sprintf("%d over all entries, %s", report.ExactPasses, residuals), ", "))
	} else if residuals != "" {
		r.Add("solution", "%s", residuals)
	}
	r.PutSome("resumed", j.resumed)
	r.Put("kernel_entries", report.KernelEntries)
	r.Put("seconds", used.Seconds)
	r.Put("peak_rss_bytes", used.PeakRSSBytes)
	r.Add("work", "%s kernel entries, %v", show.Count(report.KernelEntries), used)
	r.Put("output", j.output)
	r.Add("model", "%s", j.output)
	for _, f := range j.allOutputs() {
		if f.path != "" {
			r.Add(f.what, "%s", f.path)
		}
	}
}

// scanWords tells of the passes before the fit.
func scanWords(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (and %d before, to open and prepare it)", n)
}

// inputOf returns the input of a side by its place among the names, or nil.
func (j *job) inputOf(place int) *input { return []*input{j.sides.left, j.sides.right}[place] }

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
	return j.inputOf(place) != nil && ((place == 0 || j.sides.apart) && j.rows.Scans() || j.rows.Nulls == prepare.NullsDrop)
}
