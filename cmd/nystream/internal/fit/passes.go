package fit

import (
	"fmt"

	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/solvers/model"
	"github.com/nystream/nystream/stream/prepare"
)

// scanWords returns the number of passes before the fit, in words.
func scanWords(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", and %d before to open and prepare it", n)
}

// inputOf returns the input of a side by its index among the names, or nil.
func inputOf(j *Job, index int) *rows.Input { return []*rows.Input{j.Sides.Left, j.Sides.Right}[index] }

// AllPasses counts the passes over each source so far. A source that is not a file counts once.
func AllPasses(j *Job) map[string]int {
	n := make(map[string]int)
	for i, name := range j.task.Names() {
		n[name] = 1
		if in := inputOf(j, i); in != nil {
			n[name] = in.Passes()
		}
	}
	return n
}

// gatheredRows counts the rows of each source in files gathered by number so far.
func gatheredRows(j *Job) map[string]int64 {
	n := make(map[string]int64)
	for i, name := range j.task.Names() {
		if in := inputOf(j, i); in != nil {
			n[name] = in.Files.ReadStats().Rows
		}
	}
	return n
}

// passesOf counts the passes of the method over each source, and those that wrote factors. For sources that are not
// files, it uses the report of the fit.
func passesOf(j *Job, r *model.Report) map[string]int {
	n := AllPasses(j)
	for i, name := range j.task.Names() {
		n[name] -= j.Scans[name]
		if inputOf(j, i) == nil {
			n[name] = r.SourcePasses + j.FactorPasses
		}
	}
	return n
}

// plannedScans counts the passes over each source before the fit: those so far, and those for nulls and scaling.
func plannedScans(j *Job) map[string]int {
	n := AllPasses(j)
	for i, name := range j.task.Names() {
		if scansOf(j, i) {
			n[name]++
		}
	}
	return n
}

// scansOf reports whether preparation takes a pass over a source, given its index among the names.
func scansOf(j *Job, index int) bool {
	return inputOf(j, index) != nil && ((index == 0 || j.Sides.Separate) && j.Rows.Scans() || j.Rows.Nulls == prepare.NullsDrop)
}
