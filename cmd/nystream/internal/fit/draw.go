package fit

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nystream/nystream/cmd/nystream/internal/chart"
	"github.com/nystream/nystream/cmd/nystream/internal/flags"
	"github.com/nystream/nystream/cmd/nystream/internal/report"
	"github.com/nystream/nystream/cmd/nystream/internal/rows"
	"github.com/nystream/nystream/solvers/model"
)

func refusesDrawing(j *Job, refuse *flags.Refusals) {
	refuse.If(j.States.Stops(), "plot report", "draws a model, and a shard makes none: give it to the fit of all shards")
}

// draw writes the chart and the report. The caller commits them.
func draw(ctx context.Context, j *Job, m model.Model, r *model.Report) (writers []rows.PathWriter, err error) {
	if !j.Draws.Wanted() {
		return nil, nil
	}
	sheet := &chart.Sheet{Title: pictureTitle(j, r), Subtitle: j.task.Title()}
	if sheet.Charts, err = j.task.Charts(ctx, m, r); err != nil {
		return nil, err
	}
	for _, f := range []struct {
		path   string
		encode func() ([]byte, error)
	}{
		{j.Draws.plot, func() ([]byte, error) { return sheet.Encode(j.Draws.plot) }},
		{j.Draws.report, func() ([]byte, error) { return page(j, m, r, sheet) }},
	} {
		if f.path == "" {
			continue
		}
		data, err := f.encode()
		if err != nil {
			return writers, err
		}
		w, err := j.App.Session.PrepareFile(f.path, data)
		if err != nil {
			return writers, err
		}
		writers = append(writers, rows.PathWriter{Output: w, Path: f.path})
	}
	return writers, nil
}

// pictureTitle returns the names of the data files and the error of the fit.
func pictureTitle(j *Job, r *model.Report) string {
	title := shownName(j)
	if score := score(j, r); score != "" {
		title += " · " + score
	}
	return title
}

// shownName returns dataName, or "rows" with --provenance=false.
func shownName(j *Job) string {
	if !j.App.RecordProvenance {
		return "rows"
	}
	return dataName(j)
}

// shownCommand returns the command line, or "" with --provenance=false.
func shownCommand(j *Job) string {
	if !j.App.RecordProvenance {
		return ""
	}
	return report.ShellLine(append([]string{"nystream"}, j.App.CommandLine...))
}

// dataName returns the names of the data files without their folders.
func dataName(j *Job) string {
	files := slices.Clone(j.args)
	if len(files) == 0 {
		files = slices.Clone(j.task.Inputs())
	}
	const most = 3
	more := ""
	if len(files) > most {
		more = fmt.Sprintf(" and %d more", len(files)-most)
		files = files[:most]
	}
	for i, f := range files {
		if files[i] = filepath.Base(f); f == "-" {
			files[i] = "standard input"
		}
	}
	return strings.Join(files, ", ") + more
}

// score returns the first known estimate of an error, or else the largest residual.
func score(j *Job, r *model.Report) string {
	for _, e := range r.Estimates {
		if !math.IsNaN(e.Value) {
			return fmt.Sprintf("%s about %.2g", report.ErrorName(e.Quantity.String()), e.Value)
		}
	}
	if len(r.Residuals) > 0 {
		return fmt.Sprintf("residuals up to %.1e", r.Residual())
	}
	return ""
}
