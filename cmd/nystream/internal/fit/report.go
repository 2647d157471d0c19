package fit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nystream/nystream/cmd/nystream/internal/app"
	"github.com/nystream/nystream/cmd/nystream/internal/chart"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/solvers/model"
)

// fitKeys has the JSON keys common to all fits.
var fitKeys = report.NewGroup("fit")

var (
	keyResidual       = fitKeys.Key("residual", "largest residual of a value, over the largest value")
	keyExactPasses    = fitKeys.Key("exact_passes", "passes over all entries of A")
	keyByLandmarks    = fitKeys.Key("by_landmarks", "errors with a quarter, half and all of the landmarks, or of all steps of --landmarks auto, and a prediction with twice as many if there are more rows (ridge: out of fold, relative to the error of the mean): landmarks, error, predicted")
	keyColumnsLeftOut = fitKeys.Key("columns_left_out", "columns that are no features: name, reason")
	keyResumed        = fitKeys.Key("resumed", "passes that went on from states: pass, row, of (rows)")
)

// reportFit prints the report of a finished fit.
func reportFit(j *Job, m model.Model, fitted *model.Report) error {
	r, _ := fitResult(j, m, fitted)
	return j.App.Print(r)
}

// fitResult returns the report of a finished fit, and its notes, which are printed separately.
func fitResult(j *Job, m model.Model, fitted *model.Report) (r *report.Report, notes []string) {
	d, chosen := m.Describe(), flags.Spell(j.App.Cmd, fitted.Choice.String())
	notes = flags.SpellAll(j.App.Cmd, slices.Concat(j.task.OpenNotes(), fitted.Notes, fitted.Details))
	warnings := append(append([]string{}, j.Warnings...), flags.SpellAll(j.App.Cmd, fitted.Warnings)...)
	r = &report.Report{Title: j.task.Title()}
	r.Put(report.KeyMethod, j.Method)
	r.PutSome(report.KeyChosen, chosen)
	r.PutSome(report.KeyKernel, d.Kernel)
	r.Put(report.KeyRows, d.Rows)
	r.Put(report.KeyColumns, d.Cols)
	r.Put(report.KeyDimension, d.Columns)
	r.Put(report.KeyRank, d.Rank)
	r.Put(report.KeyValues, d.Values)
	r.Put(report.KeySeed, d.Seed)
	r.Put(report.KeyWarnings, warnings)
	r.AddWarnings(warnings)
	if fitted.Choice.Reason != "" { // otherwise the family reports it
		r.Add("chosen", "%s", chosen)
	}
	r.AddErrors(app.FitErrors(j.App, fitted))
	if len(fitted.Estimates) > 0 { // otherwise the family reports them after its own errors
		AddLandmarks(r, fitted)
	}
	j.task.Fitted(d, r)
	r.PutSome(report.KeyErrors, app.FitErrors(j.App, fitted))
	addData(j, r)
	addPasses(j, r, fitted)
	addResiduals(r, fitted, len(d.Values) > 0)
	addWork(j, r, fitted)
	r.Put(report.KeyNotes, notes)
	return r, notes
}

// landmarkError is the error with a given number of landmarks.
type landmarkError struct {
	Landmarks int           `json:"landmarks"`
	Error     report.Number `json:"error"`
	Predicted bool          `json:"predicted"`
}

// AddLandmarks adds the errors with fewer landmarks, and a prediction for more; nothing if there are none.
func AddLandmarks(r *report.Report, fitted *model.Report) {
	if len(fitted.ByLandmarks) < 2 {
		return
	}
	var list []landmarkError
	var words []string
	for _, of := range fitted.ByLandmarks {
		list = append(list, landmarkError{of.Landmarks, report.Number(of.Error), false})
		words = append(words, fmt.Sprintf("%.2g with %s", of.Error, report.Count(int64(of.Landmarks))))
	}
	text := strings.Join(words, ", ")
	if next, known := fitted.NextError(); known {
		list = append(list, landmarkError{next.Landmarks, report.Number(next.Error), true})
		text += fmt.Sprintf("; about %.2g with %s", next.Error, report.Count(int64(next.Landmarks)))
	}
	r.Show(keyByLandmarks, list, "landmarks", "%s %s", chart.LandmarkError(fitted), text)
}

// addData adds the numbers of dropped rows and columns.
func addData(j *Job, r *report.Report) {
	left := j.Sides.LeftOut()
	r.Put(keyColumnsLeftOut, left)
	if len(left) > 0 {
		r.Add("not used", "%s", rows.LeftOutWords(left))
	}
	if j.Sides.Prepared.Left != nil {
		found := j.Sides.Prepared.Left.CategoryCounts()
		r.PutSome(report.KeyCategories, found)
		r.AddCategories(found)
	}
	dropped := j.Sides.Prepared.Dropped()
	r.Put(report.KeyRowsDropped, dropped)
	r.AddDropped(dropped)
}

// addPasses adds the passes over each source.
func addPasses(j *Job, r *report.Report, fitted *model.Report) {
	passes := passesOf(j, fitted)
	r.Put(report.KeyPasses, passes)
	r.Put(report.KeyScans, j.Scans)
	addReading(j, r, passes)
}

// addReading adds the amount read of each source in files, and the passes over each other source.
func addReading(j *Job, r *report.Report, passes map[string]int) {
	read := make(map[string]rows.ReadStats)
	for i, name := range j.task.Names() {
		in, label := inputOf(j, i), "read"
		if len(j.task.Names()) > 1 {
			label += " of " + name
		}
		if in == nil {
			r.Add(label, "in %s", report.Counted(passes[name], "pass", "passes"))
			continue
		}
		of := in.ReadStats(j.Scans[name])
		read[name] = of
		numbered := "the landmark rows before it"
		if of.Rows == j.sampled[name] {
			numbered = "a sample of the rows before it"
		}
		r.Add(label, "%s", of.Words(numbered))
	}
	r.PutSome(report.KeyRead, read)
}

// addResiduals adds the exact passes and the largest residual, which is relative if there are values.
func addResiduals(r *report.Report, fitted *model.Report, values bool) {
	r.Put(keyExactPasses, fitted.ExactPasses)
	if fitted.ExactPasses > 0 {
		r.Add("exact passes", "%d", fitted.ExactPasses)
	}
	if len(fitted.Residuals) == 0 {
		return
	}
	of := ""
	if values {
		of = " of the largest value"
	}
	r.PutSome(keyResidual, fitted.Residual())
	r.Add("residuals", "at most %.1e%s", fitted.Residual(), of)
}

// addWork adds the resources used by the fit, and the paths of its files.
func addWork(j *Job, r *report.Report, fitted *model.Report) {
	used := j.App.Used()
	r.PutSome(keyResumed, j.resumed)
	r.Put(report.KeyKernelEntries, fitted.KernelEntries)
	r.PutUsed(used)
	r.Add("work", "%v", used)
	r.Put(report.KeyOutput, j.output)
	written := []string{j.output}
	for _, f := range allOutputs(j) {
		if f.Path != "" {
			written = append(written, f.Path)
		}
	}
	r.Add("written", "%s", strings.Join(written, ", "))
}
